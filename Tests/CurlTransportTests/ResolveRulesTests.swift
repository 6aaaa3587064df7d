import FetchPipeline
import PipelineTesting
import Testing

@testable import CurlTransport

/// Addresses that are given for hosts.
@Suite(.timeLimit(.minutes(5)))
struct ResolveRulesTests {
  @Test func theAddressGivenIsConnectedTo() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: [1]))
    let rule = "photos.example:\(origin.port):127.0.0.1"
    let transport = try loopbackTransport { _ = $0.resolve.add(rule) }
    #expect(try await transport.bytes(of: "http://photos.example:\(origin.port)/a") == [1])
    #expect(origin.requests[0].header("Host") == "photos.example:\(origin.port)")
  }

  @Test func theGuardJudgesWhatIsGiven() async throws {
    let listener = try SilentListener()
    var configuration = CurlConfiguration()
    #expect(configuration.resolve.add("photos.example:\(listener.port):127.0.0.1") == true)
    let transport = try CurlTransport(configuration)
    let error = await failure { try await transport.get("http://photos.example:\(listener.port)/") }
    #expect(error?.code == .blockedAddress)
    #expect(listener.connectionCount == 0)
  }

  @Test func theSecondAddressIsTriedWhenTheFirstRefuses() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: [1]))
    // Nothing listens on 127.0.0.2.
    let rule = "*:\(origin.port):127.0.0.2,127.0.0.1"
    let transport = try loopbackTransport { _ = $0.resolve.add(rule) }
    #expect(try await transport.bytes(of: "http://photos.example:\(origin.port)/a") == [1])
  }

  @Test func theSecondAddressServesWhereTheFirstIsBlocked() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: [1]))
    var configuration = CurlConfiguration()
    configuration.policy = AddressPolicy(allowedHosts: ["127.0.0.1"])
    #expect(configuration.resolve.add("photos.example:\(origin.port):127.0.0.2,127.0.0.1") == true)
    let transport = try CurlTransport(configuration)
    #expect(try await transport.bytes(of: "http://photos.example:\(origin.port)/a") == [1])
  }

  @Test func addressesOfTheOtherVersionAreLeftOut() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: [1]))
    let rule = "photos.example:\(origin.port):[2001:db8::1],127.0.0.1"
    let four = try loopbackTransport {
      _ = $0.resolve.add(rule)
      $0.ipVersion = .v4
    }
    #expect(try await four.bytes(of: "http://photos.example:\(origin.port)/a") == [1])
    let six = try loopbackTransport {
      _ = $0.resolve.add("photos.example:\(origin.port):127.0.0.1")
      $0.ipVersion = .v6
    }
    #expect(await failure { try await six.get("http://photos.example:\(origin.port)/a") }?.code == .dns)
  }

  @Test func rulesAreReadAsCurlWritesThem() {
    var rules = ResolveRules()
    for rule in [
      "a.example:80:192.0.2.1", "+B.example:443:192.0.2.2,[2001:db8::1]", "*:8080:192.0.2.3",
      "bücher.example:1:2001:db8::2",
      "[::1]:80:192.0.2.4", "a.example:81:192.0.2.5", "a.example:81:192.0.2.6",
    ] {
      #expect(rules.add(rule) == true, "\(rule)")
    }
    #expect(rules.addresses(of: "a.example", port: 80) == [.v4(0xc000_0201)])
    #expect(rules.addresses(of: "b.example", port: 443) == [.v4(0xc000_0202), .v6(0x2001_0db8_0000_0000, 1)])
    #expect(rules.addresses(of: "any.example", port: 8080) == [.v4(0xc000_0203)])
    #expect(rules.addresses(of: "xn--bcher-kva.example", port: 1) == [.v6(0x2001_0db8_0000_0000, 2)])
    #expect(rules.addresses(of: "[::1]", port: 80) == [.v4(0xc000_0204)])
    #expect(rules.addresses(of: "a.example", port: 81) == [.v4(0xc000_0206)])
    #expect(rules.addresses(of: "a.example", port: 82) == nil)
  }

  @Test(arguments: [
    "", "a", "a:80", "a:80:", "a:x:1.2.3.4", "a:0:1.2.3.4", "a:65536:1.2.3.4", "a:80:b", "a:80:1.2.3.4,", ":80:1.2.3.4",
    "a b:80:1.2.3.4", "[::1]80:1.2.3.4", "-a:80", "a:+80:1.2.3.4",
  ])
  func whatIsNoRuleIsRefused(rule: String) {
    var rules = ResolveRules()
    #expect(rules.add(rule) == false)
    #expect(rules.isEmpty)
  }
}
