import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An entry of a cache on disk. Its body stays readable while this value lives, also when the entry goes.
struct DiskSnapshot: CacheSnapshot {
  let cache: DiskCache
  let id: Int
  let head: StoredResponseHead
  let byteCount: Int
  let digest: ContentDigest?
  let file: FileDescriptor
  let path: String

  func body(chargedTo memory: (any BodyMemory)?) async throws -> SharedBytes {
    try await memory?.grow(to: byteCount)
    guard byteCount > 0 else {
      memory?.settle(at: 0)
      return .empty
    }
    guard let base = malloc(byteCount) else {
      throw PipelineError(.cache, .outOfBudget, "the system has no memory for \(byteCount) bytes of a stored body")
    }
    let buffer = UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    do {
      var count = 0
      while count < byteCount {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let read = try cache.calls.read(into: rest, from: file.number, at: count, path: path)
        guard read > 0 else { throw FileError("reading", path, number: EIO) }
        count += read
      }
    } catch {
      free(base)
      throw error
    }
    memory?.settle(at: byteCount)
    let bytes = SharedBytes(adopting: base, count: byteCount, keeping: memory) {
      free(UnsafeMutableRawPointer(mutating: $0))
    }
    if let digest, ContentDigest(of: bytes) != digest { throw DamagedEntryError() }
    return bytes
  }

  func update(_ head: StoredResponseHead) async throws {
    try await cache.update(id, to: head)
  }
}

/// An answer that is being stored on disk.
final class DiskEditor: CacheEditor {
  private let cache: DiskCache
  private let key: ResourceKey
  private let body = Lock(BodyParts())

  init(cache: DiskCache, key: ResourceKey) {
    self.cache = cache
    self.key = key
  }

  func append(_ bytes: SharedBytes) { body.withLock { $0.append(bytes) } }

  func commit(_ head: StoredResponseHead) async throws {
    try await cache.store(head, body.withLock { $0 }, for: key)
  }

  func discard() { body.withLock { $0 = BodyParts() } }
}
