/// One of several pictures that are made of each source: its name, transforms and encoder.
public struct RenditionConfiguration: ConfigurationGroup {
  /// The name, which appears in file names and in the report.
  public var name = ""
  /// What is done to pixels.
  public var transform: [StageSelection<TransformSlot>] = []
  /// What turns pixels into a file's bytes; nil only while a configuration is read, and for the pipeline's own encoder in a
  /// request.
  public var encode: StageSelection<EncodeSlot>?

  /// A rendition in which nothing is chosen.
  public init() {}

  /// A rendition made in code.
  ///
  /// - Parameters:
  ///   - name: the name, in file names and in the report; a request's only one needs none.
  ///   - transform: what is done to pixels, in order.
  ///   - encode: what turns pixels into a file's bytes; nil, in a request, for the pipeline's own encoder.
  public init(
    _ name: String = "", transform: [any Stage<TransformSlot>], encode: (any Stage<EncodeSlot>)? = nil
  ) {
    self.name = name
    self.transform = transform.map { StageSelection($0) }
    self.encode = encode.map { StageSelection($0) }
  }

  /// What the group is called.
  public static let groupName = "rendition"

  /// Its options.
  public static let options: [OptionDeclaration<RenditionConfiguration>] = [
    .init("name", \.name, "the name, in file names and in the report", required: true) { name in
      let isSafe = name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
      return isSafe && !name.isEmpty && name.utf8.count <= 64
        ? nil : "a name is 1 to 64 letters, digits, \"-\" and \"_\""
    },
    .init("transform", \.transform, "what is done to pixels, in order"),
    .init("encode", \.encode, "what turns pixels into a file's bytes"),
  ]

  /// The rendition that JSON writes, with the defaults of the slots that it leaves out.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> RenditionConfiguration? {
    guard case .object(let object) = json else {
      scope.reportMismatch(json, expected: "an object with a name")
      return nil
    }
    var rendition = read(object, in: scope, owner: "\"\(groupName)\"")
    for option in options where object[option.name] == nil {
      guard let value = PipelineConfiguration.defaults[option.name] else { continue }
      option.read(value, &rendition, scope.member(option.name))
    }
    return rendition
  }
}
