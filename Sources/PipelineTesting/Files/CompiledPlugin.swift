#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Shared libraries for tests of what loads them: compiled from C by the toolchain's clang.
package enum CompiledPlugin {
  /// Compiles `source`, which may include `fetch_pipeline_plugin.h`, into a library.
  ///
  /// - Parameter arguments: what else clang is told.
  package static func make(_ source: String, at path: String, arguments: [String] = []) throws {
    let file = path + ".c"
    guard let stream = fopen(file, "we") else { throw SystemFailure(call: "fopen", number: errno) }
    let written = fputs(source, stream)
    guard fclose(stream) == 0, written >= 0 else { throw SystemFailure(call: "fputs", number: errno) }
    let words =
      ["clang", "-shared", "-fPIC", "-fuse-ld=lld", "-I", headers, file, "-o", path] + arguments
    let argv = words.map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var pid: pid_t = 0
    let started = posix_spawnp(&pid, "clang", nil, nil, argv, environ)
    guard started == 0 else { throw SystemFailure(call: "posix_spawnp", number: started) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw SystemFailure(call: "clang", number: status) }
  }

  /// A library that this process uses, by the beginning of its name.
  package static func loadedLibrary(_ name: String) -> String? {
    guard let maps = fopen("/proc/self/maps", "re") else { return nil }
    defer { fclose(maps) }
    var line = [CChar](repeating: 0, count: 8192)
    while fgets(&line, Int32(line.count), maps) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard let start = text.firstIndex(of: "/") else { continue }
      let path = text[start...].prefix { $0 != "\n" }
      if path.split(separator: "/").last?.hasPrefix(name) == true { return String(path) }
    }
    return nil
  }

  /// The folder of the boundary's header.
  private static var headers: String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/\(root)/CFetchPipelinePlugin/include"
  }
}
