import Foundation

/// A folder of its own for a test, removed with it.
final class WorkingFolder: Sendable {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "/pipeline-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
    path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Servers that drop their privileges read in it.
    chmod(path, 0o755)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a name in the folder.
  func path(_ name: String) -> String { path + "/" + name }

  /// Writes a file, and the folders above it.
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    let url = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func write(_ text: String, to name: String) throws { try write(text.utf8, to: name) }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

  func lines(_ name: String) throws -> [String] {
    String(decoding: try read(name), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// Every file below a folder that is not hidden and not the program's own, by its path in it.
  func pictures(in name: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    let root = path(name)
    for case let file as String in FileManager.default.enumerator(atPath: root) ?? FileManager.DirectoryEnumerator() {
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: root + "/" + file, isDirectory: &isFolder)
      if !exists || isFolder.boolValue || file.hasPrefix(".") || file.hasSuffix(".json") || file.hasSuffix(".jsonl") {
        continue
      }
      found[file] = try read(name + "/" + file)
    }
    return found
  }
}
