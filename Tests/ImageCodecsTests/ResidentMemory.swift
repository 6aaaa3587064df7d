#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the process holds of the machine's memory, as Linux counts it.
enum ResidentMemory {
  /// The most so far, in bytes.
  static func peak() -> Int { value(of: "VmHWM:") }

  /// Now, in bytes.
  static func now() -> Int { value(of: "VmRSS:") }

  private static func value(of name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix(name) else { continue }
      return (Int(text.dropFirst(name.count).filter(\.isNumber)) ?? 0) * 1024
    }
    return 0
  }
}
