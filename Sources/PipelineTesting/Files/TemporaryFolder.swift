#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A new, empty folder that goes with the value.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init(in parent: String = TemporaryFolder.defaultParent) throws {
    var template = Array("\(parent)/pipeline-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.flatMap { mkdtemp($0) } != nil }
    guard made else { throw SystemFailure(call: "mkdtemp", number: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// A path in the folder.
  package func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Every file and folder in it, but for what is passed over, as sorted paths; folders end in a slash.
  package func contents(excluding excluded: (String) -> Bool = { _ in false }) -> [String] {
    Self.list(path, prefix: "").filter { !excluded($0) }.sorted()
  }

  package static var defaultParent: String {
    getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  package static func list(_ folder: String, prefix: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        names.append(prefix + name + "/")
        names += list("\(folder)/\(name)", prefix: prefix + name + "/")
      } else {
        names.append(prefix + name)
      }
    }
    return names
  }

  package static func remove(_ path: String) {
    for name in list(path, prefix: "").sorted().reversed() {
      if name.hasSuffix("/") { rmdir("\(path)/\(name.dropLast())") } else { unlink("\(path)/\(name)") }
    }
    rmdir(path)
  }
}

/// A call on a file that failed.
package struct SystemFailure: Error {
  package let call: String
  package let number: Int32

  package init(call: String, number: Int32) {
    self.call = call
    self.number = number
  }
}

/// The bytes of a file; nil where there is none.
package func fileBytes(_ path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    guard count > 0 else { return count == 0 ? bytes : nil }
    bytes += chunk[..<count]
  }
}

/// The text of a file; nil where there is none.
package func fileText(_ path: String) -> String? {
  fileBytes(path).map { String(decoding: $0, as: UTF8.self) }
}

/// Makes a file, or replaces it.
package func writeFile(_ path: String, _ bytes: some Sequence<UInt8>) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw SystemFailure(call: "open", number: errno) }
  defer { close(descriptor) }
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { throw SystemFailure(call: "write", number: errno) }
    rest = rest.dropFirst(count)
  }
}

/// Makes a file of text, or replaces it.
package func writeFile(_ path: String, _ text: String) throws {
  try writeFile(path, text.utf8)
}
