import StandardStages

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A configuration read from a file, or none with what a command line says in its place.
struct ConfigurationFile {
  let configuration: PipelineConfiguration
  /// What the file says, before variables are expanded.
  let written: JSONObject
  /// The file; nil where there is none.
  let path: String?
  /// The folder that relative paths in it start from.
  let folder: String
  let registry: StageRegistry

  /// - Parameters:
  ///   - path: nil for a configuration that is empty but for what `adjust` puts there.
  ///   - adjust: changes what the file says; is given the file's folder.
  init(path: String?, adjusting adjust: (inout JSONObject, String) throws -> Void = { _, _ in }) throws {
    let bytes = try path.map(Self.read) ?? Array("{}".utf8)
    let folder = path.map(PipelineConfiguration.folder(of:)) ?? ""
    self.folder = folder
    self.path = path
    if let path, let hint = ConfigurationHint.text(for: bytes, path: path) { throw CommandFailure.usage(hint) }
    var written: JSONObject = [:]
    var problem: (any Error)?
    configuration = try PipelineConfiguration(
      text: bytes, file: path, folder: folder, registry: .standard, environment: ProcessEnvironment.variables
    ) { object in
      do { try adjust(&object, folder) } catch { problem = error }
      written = object
    }
    if let problem { throw problem }
    registry = configuration.registry ?? .standard
    self.written = written
  }

  /// The pipeline that it describes.
  func pipeline(observer: any PipelineObserver = SilentObserver()) throws -> Pipeline {
    try Pipeline(configuration, registry: registry, context: context(observer: observer))
  }

  /// What stages are told.
  func context(observer: any PipelineObserver = SilentObserver()) -> StageContext {
    StageContext(folder: folder, observer: observer)
  }

  /// The hash of the configuration as it was understood.
  var fingerprint: String {
    var print = Fingerprint("configuration")
    print.add("options", JSONValue.object(configuration.effectiveOptions).compactText)
    return print.digest().hex(16)
  }

  /// A path of the configuration from the working folder.
  func resolving(_ path: String) -> String { StageContext(folder: folder).resolving(path) }

  /// A path of the command line, which starts from the working folder, as the configuration would have to write it.
  static func path(_ path: String, from folder: String) -> String {
    if path == "-" || path.hasPrefix("/") || folder.isEmpty { return path }
    guard let working = getcwd(nil, 0) else { return path }
    defer { free(working) }
    return "\(String(cString: working))/\(path)"
  }

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
}
