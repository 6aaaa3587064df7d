"""Validates each line of a report against a schema: validate_report.py SCHEMA REPORT. Prints the number of lines."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
validator = jsonschema.validators.validator_for(schema)
validator.check_schema(schema)
count = 0
for line in open(sys.argv[2], encoding="utf-8"):
    validator(schema).validate(json.loads(line))
    count += 1
print(count)
