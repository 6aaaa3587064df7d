import StandardStages

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A configuration read from a file.
struct ConfigurationFile {
  let configuration: PipelineConfiguration
  /// The folder that relative paths in it start from.
  let folder: String
  let registry: StageRegistry

  init(path: String) throws {
    let bytes = try Self.read(path)
    folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
    configuration = try PipelineConfiguration(
      text: bytes, file: path, folder: folder, registry: .standard, environment: Self.environment)
    registry = configuration.registry ?? .standard
  }

  /// The pipeline that it describes.
  func pipeline() throws -> Pipeline {
    try Pipeline(configuration, registry: registry, context: StageContext(folder: folder))
  }

  /// The hash of the configuration as it was understood.
  var fingerprint: String {
    var print = Fingerprint("configuration")
    print.add("options", JSONValue.object(configuration.effectiveOptions).compactText)
    return print.digest().hex(16)
  }

  /// A path of the configuration from the working folder.
  func resolving(_ path: String) -> String { StageContext(folder: folder).resolving(path) }

  private static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "re") else { throw failure(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      bytes += buffer[..<count]
      if count < buffer.count { break }
      guard bytes.count <= 16 << 20 else { throw CommandFailure.usage("\(path): larger than any configuration") }
    }
    guard ferror(file) == 0 else { throw failure(path) }
    return bytes
  }

  private static func failure(_ path: String) -> CommandFailure {
    .usage("\(path): \(String(cString: strerror(errno)))")
  }

  static var environment: [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return result
  }
}
