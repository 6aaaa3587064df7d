import FetchPipeline
import Testing

@testable import CurlTransport

/// Which names are looked up, when, and for whom.
struct NameCacheTests {
  private let address = IPAddress.v4(0xc000_0201)

  private func at(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

  @Test func aNameIsLookedUpOnceForAllWhoWait() {
    var cache = NameCache<Int>(limit: 4)
    #expect(cache.ask("a", for: 1, at: at(0)) == .wait(isRunning: false))
    #expect(cache.ask("a", for: 2, at: at(0)) == .wait(isRunning: false))
    let lookup = cache.nextLookup()
    #expect(lookup?.name == "a")
    #expect(lookup?.waiters == [1, 2])
    #expect(cache.ask("a", for: 3, at: at(0)) == .wait(isRunning: true))
    #expect(cache.nextLookup() == nil)
    #expect(cache.finished("a", .addresses([address]), at: at(1)) == [1, 2, 3])
    #expect(cache.ask("a", for: 4, at: at(2)) == .addresses([address]))
  }

  @Test func onlySoManyRunAtATime() {
    var cache = NameCache<Int>(limit: 2)
    for (index, name) in ["a", "b", "c", "d"].enumerated() { _ = cache.ask(name, for: index, at: at(0)) }
    #expect(cache.nextLookup()?.name == "a")
    #expect(cache.nextLookup()?.name == "b")
    #expect(cache.nextLookup() == nil)
    #expect(cache.finished("b", .noSuchName, at: at(0)) == [1])
    #expect(cache.nextLookup()?.name == "c")
    #expect(cache.nextLookup() == nil)
  }

  @Test func whatIsKnownHoldsForAMinute() {
    var cache = NameCache<Int>(limit: 2)
    for name in ["a", "b"] {
      _ = cache.ask(name, for: 0, at: at(0))
      _ = cache.nextLookup()
    }
    _ = cache.finished("a", .addresses([address]), at: at(10))
    _ = cache.finished("b", .noSuchName, at: at(10))
    #expect(cache.ask("a", for: 0, at: at(69)) == .addresses([address]))
    #expect(cache.ask("b", for: 0, at: at(69)) == .noSuchName)
    #expect(cache.ask("a", for: 0, at: at(70)) == .wait(isRunning: false))
    #expect(cache.ask("b", for: 0, at: at(70)) == .wait(isRunning: false))
  }

  @Test func aFailureIsNotRemembered() {
    var cache = NameCache<Int>(limit: 2)
    _ = cache.ask("a", for: 1, at: at(0))
    _ = cache.nextLookup()
    #expect(cache.finished("a", .failure("no answer"), at: at(0)) == [1])
    #expect(cache.ask("a", for: 2, at: at(0)) == .wait(isRunning: false))
    #expect(cache.nextLookup()?.waiters == [2])
  }

  @Test func aResultThatNobodyAskedForIsDropped() {
    var cache = NameCache<Int>(limit: 1)
    #expect(cache.finished("a", .addresses([address]), at: at(0)) == [])
    #expect(cache.ask("a", for: 1, at: at(0)) == .wait(isRunning: false))
  }

  @Test func memoryDoesNotGrowWithTheNumberOfNames() {
    var cache = NameCache<Int>(limit: 1)
    for index in 0..<20_000 {
      _ = cache.ask("n\(index)", for: 0, at: at(0))
      _ = cache.nextLookup()
      _ = cache.finished("n\(index)", .addresses([address]), at: at(0))
    }
    #expect(cache.count <= 4096)
  }
}

/// What the system's resolver says, in the words of the contract.
struct NameResolverTests {
  /// Without a network every name is said not to exist.
  @Test func noSuchNameIsBelievedOnlyWhereNamesAreFoundAtAll() {
    var cache = NameCache<Int>(limit: 1)
    if case .failure = cache.judged(.noSuchName) {} else { Issue.record("believed without a network") }
    let address = LookupResult.addresses([.v4(0x0808_0808)])
    #expect(cache.judged(address) == address)
    #expect(cache.judged(.noSuchName) == .noSuchName)
  }

  @Test func noSuchNameIsToldFromNoAnswer() {
    // EAI_NONAME, EAI_NODATA, EAI_ADDRFAMILY of the C library; then EAI_AGAIN, EAI_FAIL, EAI_SYSTEM.
    for code: Int32 in [-2, -5, -9] {
      #expect(NameResolver.failure(code) == .noSuchName, "\(code)")
    }
    for code: Int32 in [-3, -4, -11] {
      #expect(NameResolver.failure(code) != .noSuchName, "\(code)")
    }
  }

  @Test func numbersAreAddressesWithoutALookup() {
    #expect(NameResolver.lookUp("192.0.2.7", version: .any) == .addresses([.v4(0xc000_0207)]))
  }

  @Test(arguments: ["localhost", "a.localhost", "localhost."])
  func namesUnderLocalhostAreLoopback(name: String) {
    #expect(NameResolver.wellKnown(name) == .addresses([.v4(0x7f00_0001), .v6(0, 1)]))
  }

  @Test(arguments: ["example.org", "notlocalhost", "localhost.example", "invalid.example"])
  func otherNamesAreLookedUp(name: String) {
    #expect(NameResolver.wellKnown(name) == nil)
  }
}
