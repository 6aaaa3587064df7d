import FetchPipeline
import Glibc
import PipelineTesting

@testable import HTTPCache

/// A request for a path of an origin that is never asked.
func request(_ path: String, headers: HTTPFields = [:]) throws -> HTTPRequest {
  HTTPRequest(.get, try ResourceURL("http://a.example" + path), headers: headers)
}

/// A head as an origin sends it, fresh for `maxAge` seconds from second 1,000 on.
func head(_ path: String = "/", maxAge: Int = 60, more: HTTPFields = [:]) throws -> StoredResponseHead {
  var headers: HTTPFields = ["Content-Type": "image/jpeg", "Cache-Control": "max-age=\(maxAge)", "ETag": "\"x\""]
  for field in more { headers.append(field) }
  return StoredResponseHead(
    status: 200, headers: headers, url: try ResourceURL("http://a.example" + path), requestTime: 999.5,
    responseTime: 1000)
}

/// Bytes that differ from one seed to the next.
func bytes(_ count: Int, seed: UInt8 = 1) -> SharedBytes {
  SharedBytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(seed)) })
}

extension ResponseCache {
  /// Stores an answer as the pipeline does.
  func put(_ path: String, _ body: SharedBytes, head: StoredResponseHead? = nil) async throws {
    let editor = try await edit(key(for: request(path)))
    try await editor?.append(body)
    try await editor?.commit(head ?? HTTPCacheTests.head(path))
  }

  /// The body that is stored for a path; nil where none is.
  func get(_ path: String) async throws -> SharedBytes? {
    try await snapshot(for: key(for: request(path)))?.body(chargedTo: nil)
  }

  /// What is stored for a path.
  func find(_ path: String) async throws -> (any CacheSnapshot)? {
    try await snapshot(for: key(for: request(path)))
  }
}

/// A folder with a cache in it, a time that is set by hand, and the warnings so far.
final class DiskLab: Sendable {
  let folder: TemporaryFolder
  let time = Lock(1000.0)
  private let told = Lock<[String]>([])

  init() throws {
    folder = try TemporaryFolder()
  }

  var path: String { folder("cache") }
  var warnings: [String] { told.withLock { $0 } }

  /// Every body, as a path in the cache's folder.
  var bodies: [String] { folder.contents().filter { $0.hasPrefix("cache/bodies/") && !$0.hasSuffix("/") } }

  /// Every file that is being written, or was left by who wrote it.
  var staged: [String] {
    folder.contents().filter { $0.contains("/.pipeline.tmp/") && !$0.hasSuffix("/") && !$0.hasSuffix("/lock") }
  }

  func cache(
    capacity: Int = 1_000_000_000, rule: QueryRule = QueryRule(), calls: any FileCalls = SystemFileCalls(),
    maximumPages: Int? = nil
  ) -> DiskCache {
    DiskCache(
      path: path, capacity: capacity, rule: rule, warn: { [told] text in told.withLock { $0.append(text) } },
      calls: calls, maximumPages: maximumPages, now: { [time] in time.withLock { $0 } })
  }

  /// The cache as the pipeline uses it.
  func tiers(_ cache: DiskCache) -> CacheTiers {
    CacheTiers([cache], warn: { [told] text in told.withLock { $0.append(text) } })
  }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// The rights on a file.
func permissions(_ path: String) -> mode_t {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
}
