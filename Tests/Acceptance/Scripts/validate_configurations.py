"""Says for each configuration whether the schema in the first file accepts it: "yes" or "no"."""

import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for name in sys.argv[2:]:
    with open(name) as file:
        print("yes" if validator.is_valid(json.load(file)) else "no")
