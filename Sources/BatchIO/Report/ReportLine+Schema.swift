import FetchPipeline

extension ReportLine {
  /// The JSON Schema (draft 2020-12) of a line. It is strict: what it does not name is not there.
  public static let schema: JSONValue = [
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A line of the report",
    "description": "What became of an item: one JSON object a line, in the order in which items finish.",
    "type": "object",
    "properties": [
      "id": described("The row's own name, or its number.", ["type": "string"]),
      "url": described("The row's URL, verbatim but for a password.", ["type": "string"]),
      "status": described(
        "ok: made in this run; skipped: stood already; failed: not made.",
        words(ImageResult.Status.allCases.map(\.rawValue))),
      "error": error, "source": source, "http": http,
      "outputs": described("The pictures that stand.", ["type": "array", "items": output]),
      "flags": described(
        "What was noticed.",
        ["type": "array", "items": words(ResultFlag.allCases.map(\.rawValue)), "uniqueItems": true]),
      "ms": milliseconds,
      "fields": described("The row's other columns.", ["type": "object"]),
      "meta": described("What plugins add, by the name of their stage.", ["type": "object"]),
    ],
    "required": ["id", "url", "status", "flags", "ms"],
    "additionalProperties": false,
    "if": ["properties": ["status": ["const": "failed"]]],
    "then": ["required": ["error"], "properties": ["outputs": false]],
    "else": ["required": ["source", "outputs"], "properties": ["error": false]],
  ]

  private static let error = object(
    "Why the item failed.",
    [
      "stage": described("The step at which it failed.", words(PipelineError.Stage.allCases.map(\.rawValue))),
      "code": described("What went wrong.", words(PipelineError.Code.allCases.map(\.rawValue))),
      "message": described("What went wrong, in words.", ["type": "string"]),
      "transient": described("Whether another attempt, later, may well succeed.", ["type": "boolean"]),
    ])

  private static let source = object(
    "The picture that the item names.",
    [
      "format": described("Its format: jpeg, png, webp, or what a plugin brings.", name),
      "width": described("Its width in pixels, as displayed.", count(from: 1)),
      "height": described("Its height in pixels, as displayed.", count(from: 1)),
      "bytes": described("The bytes of its file.", count(from: 0)),
      "orientation": described("How its pixels are stored (Exif).", ["type": "integer", "minimum": 1, "maximum": 8]),
    ])

  private static let http = object(
    "How it was fetched, as far as it was.",
    [
      "status": described("The status of the last answer.", ["type": "integer", "minimum": 100, "maximum": 999]),
      "url": described("The URL that was asked last.", ["type": "string"]),
      "attempts": described("The attempts, redirects not counted.", count(from: 0)),
      "cache": described("What the HTTP cache did.", words(ExchangeDescription.CacheUse.allCases.map(\.rawValue))),
      "headers": described(
        "The header fields of the answer, where the report is to have them.",
        [
          "type": "array",
          "items": [
            "type": "array", "prefixItems": [["type": "string"], ["type": "string"]], "items": false, "minItems": 2,
          ],
        ]),
    ], optional: ["status", "headers"])

  private static let output = object(
    "A picture.",
    [
      "rendition": described("The rendition's name; empty where there is one without a name.", ["type": "string"]),
      "path": described("Where it is, in the output folder.", name),
      "format": described("Its format.", name),
      "width": described("Its width in pixels.", count(from: 1)),
      "height": described("Its height in pixels.", count(from: 1)),
      "bytes": described("The bytes of its file.", count(from: 0)),
    ])

  private static let milliseconds = object(
    "How long each step took, in milliseconds; 0 for what was not done.",
    JSONObject(
      ["fetch", "decode", "transform", "encode", "write", "total"].map {
        JSONObject.Member(name: $0, value: ["type": "number", "minimum": 0])
      }))

  private static let name: JSONValue = ["type": "string", "minLength": 1]

  private static func count(from minimum: Int) -> JSONValue { ["type": "integer", "minimum": .integer(minimum)] }

  private static func words(_ words: [String]) -> JSONValue { ["enum": .array(words.map(JSONValue.string))] }

  private static func described(_ meaning: String, _ schema: JSONValue) -> JSONValue {
    guard case .object(let members) = schema else { return schema }
    var object: JSONObject = ["description": .string(meaning)]
    object.members += members.members
    return .object(object)
  }

  private static func object(_ meaning: String, _ properties: JSONObject, optional: Set<String> = []) -> JSONValue {
    [
      "description": .string(meaning), "type": "object", "properties": .object(properties),
      "required": .array(properties.members.map(\.name).filter { !optional.contains($0) }.map(JSONValue.string)),
      "additionalProperties": false,
    ]
  }
}
