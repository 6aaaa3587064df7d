#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension PipelineConfiguration {
  /// Reads the configuration in a file (JSON5).
  ///
  /// - Parameters:
  ///   - path: the file. Relative paths in the configuration start from its folder: give `StageContext(folder:)` the same.
  ///   - registry: the stages that it may name.
  ///   - environment: what `${NAME}` stands for.
  /// - Throws: `ConfigurationError` with every mistake, in the order of the file; also where the file cannot be read.
  public init(
    contentsOf path: String, registry: StageRegistry, environment: [String: String] = ProcessEnvironment.variables
  ) throws {
    self = try PipelineConfiguration(
      text: try Self.bytes(ofFileAt: path), file: path, folder: Self.folder(of: path), registry: registry,
      environment: environment)
  }

  private static func bytes(ofFileAt path: String) throws -> [UInt8] {
    func failure(_ message: String) -> ConfigurationError {
      ConfigurationError(file: path, problems: [ConfigurationProblem(path: "", message: message)])
    }
    let calls = SystemFileCalls()
    do {
      let descriptor = FileDescriptor(owning: try calls.open(path, in: AT_FDCWD, flags: O_RDONLY))
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = try buffer.withUnsafeMutableBytes { buffer throws(FileError) in
          try calls.read(into: buffer, from: descriptor.number, at: bytes.count, path: path)
        }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
        guard bytes.count <= 16 << 20 else { throw failure("larger than any configuration") }
      }
    } catch let error as FileError {
      throw failure(String(cString: strerror(error.number)))
    }
  }

  /// The folder that a file is in; empty for the working folder.
  public static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
  }
}

/// The variables of this process's environment.
public enum ProcessEnvironment {
  /// All of them, by name.
  public static var variables: [String: String] {
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
