import FetchPipeline

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's calls, noted down, some of which fail as a test says.
final class ScriptedFileCalls: FileCalls {
  enum Operation: String, Sendable {
    case open, write, sync, rename
  }

  /// The error number with which a call is to fail: by its kind, the path it names, and how many of its kind came before.
  typealias Script = @Sendable (Operation, _ path: String, _ count: Int) -> Int32?

  private struct State {
    var log: [String] = []
    var counts: [Operation: Int] = [:]
    var script: Script
  }

  private let state: Lock<State>
  private let system = SystemFileCalls()

  init(_ script: @escaping Script = { _, _, _ in nil }) {
    state = Lock(State(script: script))
  }

  /// What was called, one line each: `rename a.jpg`. Names of files that are being written are left out.
  var log: [String] { state.withLock { $0.log } }

  func fail(_ script: @escaping Script) {
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

  func open(_ path: String, in folder: Int32, flags: Int32) throws(FileError) -> Int32 {
    try note(.open, path, "")
    return try system.open(path, in: folder, flags: flags)
  }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws(FileError) -> Int {
    try note(.write, path, "")
    // Short writes are legal at any time: at most 1,000 bytes go at once here.
    return try system.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(1_000)), to: descriptor, path: path)
  }

  func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
    var status = stat()
    fstat(descriptor, &status)
    try note(.sync, path, status.st_mode & S_IFMT == S_IFDIR ? "folder" : "file")
    try system.synchronize(descriptor, path: path)
  }

  func rename(_ source: String, in sourceFolder: Int32, to target: String, in targetFolder: Int32) throws(FileError) {
    try note(.rename, target, target)
    try system.rename(source, in: sourceFolder, to: target, in: targetFolder)
  }
}

/// Claims that are kept in memory alone.
final class MemoryClaims: PathClaims {
  private let holders = Lock<[String: ResourceKey]>([:])

  func claim(_ path: String, for key: ResourceKey) throws -> Bool {
    holders.withLock { holders in
      if let holder = holders[path] { return holder == key }
      holders[path] = key
      return true
    }
  }

  func release(_ path: String, for key: ResourceKey) {
    holders.withLock { if $0[path] == key { $0[path] = nil } }
  }

  var taken: [String] { holders.withLock { $0.keys.sorted() } }
}
