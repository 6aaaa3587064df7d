import PipelineTesting
import Testing

@testable import FetchPipeline

/// What is asked of an origin, and what is not, when answers are kept.
struct CachedFetchTests {
  @Test func aFreshAnswerIsNotAskedForAgain() async throws {
    let lab = Lab { request, _ in .stub(200, to: request, headers: ["Cache-Control": "max-age=60"], body: "one") }
    #expect(try await lab.fetch().exchange?.cache == .miss)
    let second = try await lab.fetch()
    #expect(second.exchange?.cache == .hit)
    #expect(second.exchange?.attempts == 0)
    #expect(second.body.bytes == SharedBytes(utf8: "one"))
    #expect(lab.transport.requests.count == 1)
  }

  @Test func aStaleAnswerIsAskedAboutOnce() async throws {
    let lab = Lab { request, count in
      if count == 0 {
        return .stub(200, to: request, headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""], body: "one")
      }
      return .stub(304, to: request, headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""])
    }
    _ = try await lab.fetch()
    lab.clock.advance(by: .seconds(61))
    let second = try await lab.fetch()
    #expect(second.exchange?.cache == .revalidated)
    #expect(second.body.bytes == SharedBytes(utf8: "one"))
    #expect(lab.transport.requests.last?.headers["If-None-Match"] == "\"a\"")
    // The 304 has made it fresh again.
    #expect(try await lab.fetch().exchange?.cache == .hit)
    #expect(lab.transport.requests.count == 2)
  }

  @Test func aChangedAnswerTakesThePlaceOfTheStoredOne() async throws {
    let lab = Lab { request, count in
      .stub(200, to: request, headers: ["Cache-Control": "max-age=60", "ETag": "\"\(count)\""], body: "\(count)")
    }
    _ = try await lab.fetch()
    lab.clock.advance(by: .seconds(61))
    #expect(try await lab.fetch().body.bytes == SharedBytes(utf8: "1"))
    #expect(try await lab.fetch().exchange?.cache == .hit)
    #expect(try await lab.fetch().body.bytes == SharedBytes(utf8: "1"))
  }

  @Test func aRemakeTakesAnythingHoweverOld() async throws {
    let lab = Lab { request, _ in .stub(200, to: request, headers: ["Cache-Control": "max-age=1"], body: "old") }
    _ = try await lab.fetch()
    lab.clock.advance(by: .seconds(1_000_000))
    let remake = try await lab.fetch(remaking: true)
    #expect(remake.exchange?.cache == .stale)
    #expect(lab.transport.requests.count == 1)
  }

  @Test(arguments: [
    (CacheMode.default, 1), (.noStore, 2), (.reload, 2), (.noCache, 2), (.forceCache, 1), (.onlyIfCached, 1),
  ]) func modes(mode: CacheMode, requests: Int) async throws {
    let lab = Lab { request, _ in .stub(200, to: request, headers: ["Cache-Control": "max-age=60"], body: "one") }
    _ = try await lab.fetch()
    _ = try await lab.fetch(mode: mode)
    #expect(lab.transport.requests.count == requests)
  }

  @Test func onlyStoredAnswersMeansOnlyStoredAnswers() async throws {
    let lab = Lab { request, _ in .stub(200, to: request, body: "one") }
    let error = await #expect(throws: PipelineError.self) { try await lab.fetch(mode: .onlyIfCached) }
    #expect(error?.code == .notCached)
    #expect(lab.transport.requests.isEmpty)
  }

  /// Public report: a 404 is remembered after the picture has appeared.
  @Test func aNotFoundWithoutALifetimeIsNotKept() async throws {
    let lab = Lab { request, count in
      count == 0 ? .stub(404, to: request) : .stub(200, to: request, body: "there")
    }
    await #expect(throws: PipelineError.self) { try await lab.fetch() }
    #expect(try await lab.fetch().body.bytes == SharedBytes(utf8: "there"))
  }

  /// Public report: an early close is taken for a whole file.
  @Test func whatEndsWithItsConnectionIsNotKept() async throws {
    let lab = Lab { request, _ in
      HTTPResponse(
        status: 200, headers: ["Cache-Control": "max-age=3600"], url: request.url,
        body: HTTPBody(SharedBytes(utf8: "half")), isCloseDelimited: true)
    }
    _ = try await lab.fetch()
    _ = try await lab.fetch()
    #expect(lab.transport.requests.count == 2)
  }

  @Test func redirectsAreRememberedWithTheirEnd() async throws {
    let lab = Lab { request, _ in
      request.url.path == "/"
        ? .stub(301, to: request, headers: ["Location": "/end", "Cache-Control": "max-age=60"])
        : .stub(200, to: request, headers: ["Cache-Control": "max-age=60"], body: "end")
    }
    #expect(try await lab.fetch().isRedirected)
    let second = try await lab.fetch()
    #expect(second.isRedirected)
    #expect(second.exchange?.url.path == "/end")
    #expect(lab.transport.requests.count == 2)
  }

  /// An origin, a store and a clock.
  private struct Lab {
    let transport: StubTransport
    let clock = FakeClock()
    private let fetcher: Fetcher

    init(_ answer: @escaping @Sendable (HTTPRequest, Int) async throws -> HTTPResponse) {
      transport = StubTransport(answer)
      let options = TransportOptions()
      fetcher = Fetcher(
        transport: transport, middleware: [], hosts: Hosts(options, clock: clock),
        budget: MemoryBudget(total: 100_000_000, readAhead: 10_000_000, longestBody: 10_000_000),
        cache: CacheTiers([DictionaryCache()]), options: options, clock: clock, observer: SilentObserver(),
        accepts: { _ in true })
    }

    func fetch(mode: CacheMode = .default, remaking: Bool = false) async throws -> Fetcher.Fetched {
      let request = HTTPRequest(.get, try ResourceURL("http://a.example/"), cache: mode)
      return try await fetcher.fetch(request, remaking: remaking, trace: FetchTrace { _ in })
    }
  }
}

/// The simplest store there is.
private final class DictionaryCache: ResponseCache {
  private let entries = Lock<[ResourceKey: (head: StoredResponseHead, body: SharedBytes)]>([:])

  func snapshot(for key: ResourceKey) async throws -> (any CacheSnapshot)? {
    entries.withLock { $0[key] }.map { Snapshot(cache: self, key: key, head: $0.head, bytes: $0.body) }
  }

  func edit(_ key: ResourceKey) async throws -> (any CacheEditor)? { Editor(cache: self, key: key) }

  func remove(_ key: ResourceKey) async throws { entries.withLock { $0[key] = nil } }

  func shutdown() async {}

  private struct Snapshot: CacheSnapshot {
    let cache: DictionaryCache
    let key: ResourceKey
    let head: StoredResponseHead
    let bytes: SharedBytes
    var byteCount: Int { bytes.count }
    func body(chargedTo memory: (any BodyMemory)?) async throws -> SharedBytes { bytes }
    func update(_ head: StoredResponseHead) async throws { cache.entries.withLock { $0[key]?.head = head } }
  }

  private final class Editor: CacheEditor {
    private let cache: DictionaryCache
    private let key: ResourceKey
    private let body = Lock<[UInt8]>([])

    init(cache: DictionaryCache, key: ResourceKey) {
      self.cache = cache
      self.key = key
    }

    func append(_ bytes: SharedBytes) async throws { body.withLock { $0 += bytes.array() } }
    func commit(_ head: StoredResponseHead) async throws {
      let bytes = SharedBytes(body.withLock { $0 })
      cache.entries.withLock { $0[key] = (head, bytes) }
    }
    func discard() async {}
  }
}
