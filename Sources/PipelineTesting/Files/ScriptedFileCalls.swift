import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's calls, noted down, some of which fail as a test says.
package final class ScriptedFileCalls: FileCalls {
  package enum Operation: String, Sendable {
    case open, read, write, sync, link, rename
  }

  /// The error number with which a call is to fail: by its kind, the path it names, and how many of its kind came before.
  package typealias Script = @Sendable (Operation, _ path: String, _ count: Int) -> Int32?

  private struct State {
    var log: [String] = []
    var counts: [Operation: Int] = [:]
    var script: Script
  }

  private let state: Lock<State>
  private let system = SystemFileCalls()

  package init(_ script: @escaping Script = { _, _, _ in nil }) {
    state = Lock(State(script: script))
  }

  /// What was called, one line each: `rename a.jpg`. Names of files that are being written are left out.
  package var log: [String] { state.withLock { $0.log } }

  package func fail(_ script: @escaping Script) {
    state.withLock {
      $0.script = script
      $0.counts = [:]
      $0.log = []
    }
  }

  private func note(_ operation: Operation, _ path: String, _ shown: String) throws(FileError) {
    let number = state.withLock { state in
      let count = state.counts[operation, default: 0]
      state.counts[operation] = count + 1
      state.log.append(shown.isEmpty ? operation.rawValue : "\(operation.rawValue) \(shown)")
      return state.script(operation, path, count)
    }
    if let number { throw FileError(operation.rawValue, path, number: number) }
  }

  package func open(_ path: String, in folder: Int32, flags: Int32) throws(FileError) -> Int32 {
    try note(.open, path, "")
    return try system.open(path, in: folder, flags: flags)
  }

  package func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws(FileError) -> Int {
    try note(.write, path, "")
    // Short writes are legal at any time: at most 1,000 bytes go at once here.
    return try system.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(1_000)), to: descriptor, path: path)
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int, path: String
  ) throws(FileError) -> Int {
    try note(.read, path, "")
    return try system.read(into: buffer, from: descriptor, at: offset, path: path)
  }

  package func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
    var status = stat()
    fstat(descriptor, &status)
    try note(.sync, path, status.st_mode & S_IFMT == S_IFDIR ? "folder" : "file")
    try system.synchronize(descriptor, path: path)
  }

  package func link(
    _ source: String, in sourceFolder: Int32, to target: String, in targetFolder: Int32
  ) throws(FileError) {
    try note(.link, target, target)
    try system.link(source, in: sourceFolder, to: target, in: targetFolder)
  }

  package func rename(
    _ source: String, in sourceFolder: Int32, to target: String, in targetFolder: Int32
  ) throws(FileError) {
    try note(.rename, target, target)
    try system.rename(source, in: sourceFolder, to: target, in: targetFolder)
  }
}
