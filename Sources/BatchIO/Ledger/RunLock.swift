import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps a second run out while this one goes on. It ends with the value, or with the program however that dies.
public final class RunLock: Sendable {
  private let file: FileDescriptor

  /// Another run holds the lock.
  public struct HeldError: Error, Sendable, CustomStringConvertible {
    /// The lock's file.
    public let path: String
    /// The process that holds it, where the file says so.
    public let processID: Int?

    /// For a person.
    public var description: String {
      let holder = processID.map { "process \($0)" } ?? "another process"
      return "another run is going on here: \(holder) holds \(path)"
    }
  }

  /// Takes the lock; the file is made where there is none, and stays.
  ///
  /// - Throws: `HeldError` where another run has it; `disk-full` or `write` where the file cannot be made.
  public init(path: String) throws {
    file = try reportingAsOutput {
      FileDescriptor(
        owning: try SystemFileCalls().open(path, in: AT_FDCWD, flags: O_RDWR | O_CREAT | O_NOFOLLOW))
    }
    // Tied to the open file: neither a fork nor a second opening in this process lets another one in.
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: throw HeldError(path: path, processID: Self.processID(in: file.number))
      default: throw FileError("locking", path).asOutputError
      }
    }
    try reportingAsOutput {
      guard ftruncate(file.number, 0) == 0 else { throw FileError("writing", path) }
      try Array("\(getpid())\n".utf8).withUnsafeBytes {
        try SystemFileCalls().writeAll($0, to: file.number, path: path)
      }
    }
  }

  private static func processID(in descriptor: Int32) -> Int? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int(String(decoding: bytes.prefix(count).prefix { $0 != 0x0a }, as: UTF8.self))
  }
}
