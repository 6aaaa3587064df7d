import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Private addresses are not connected to, however a URL writes them.
@Suite(.timeLimit(.minutes(5)))
struct AddressGuardTests {
  @Test(arguments: [
    "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0x7f000001", "017700000001", "127.0.0.1.", "0", "0.0.0.0",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "localhost", "LOCALHOST.", "a.localhost", "１２７.0.0.1",
  ])
  func loopbackIsBlocked(host: String) async throws {
    let listener = try SilentListener()
    let transport = try CurlTransport()
    let error = await failure { try await transport.get("http://\(host):\(listener.port)/") }
    #expect(error?.code == .blockedAddress)
    #expect(error?.isTransient == false)
    #expect(error?.message.contains("transport.allowHosts") == true)
    #expect(listener.connectionCount == 0)
  }

  @Test(.enabled(if: hasIPv6Loopback))
  func loopbackOfVersion6IsBlocked() async throws {
    let listener = try SilentListener(isIPv6: true)
    let transport = try CurlTransport()
    let error = await failure { try await transport.get("http://[::1]:\(listener.port)/") }
    #expect(error?.code == .blockedAddress)
    #expect(error?.message.hasPrefix("[::1] is at ::1, which is not a public address") == true)
    #expect(listener.connectionCount == 0)
  }

  @Test(arguments: [
    "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[fe80::1]", "[fd00::1]",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255",
  ])
  func otherSpecialAddressesAreBlocked(host: String) async throws {
    let transport = try CurlTransport()
    let error = await failure { try await transport.get("http://\(host)/", timeout: .seconds(5)) }
    #expect(error?.code == .blockedAddress)
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "127.0.0.0/8"), ("127.0.0.1", "0x7f.1"), ("localhost", "localhost"),
    ("localhost", "LocalHost"), ("127.1", "127.0.0.1"), ("[::ffff:127.0.0.1]", "127.0.0.1"),
    ("[::ffff:127.0.0.1]", "::ffff:0:0/96"), ("2130706433", "127.0.0.1/32"),
  ])
  func exemptHostsAreReached(host: String, entry: String) async throws {
    let origin = try ScriptedOrigin()
    origin.on("/", .response(body: [1]))
    var configuration = CurlConfiguration()
    configuration.policy = AddressPolicy(allowedHosts: [entry])
    let transport = try CurlTransport(configuration)
    #expect(try await transport.bytes(of: origin.url("/", host: host)) == [1])
  }

  @Test(arguments: [("127.0.0.1", "localhost"), ("localhost", "example.org"), ("127.0.0.1", "127.0.0.2/31")])
  func othersStayBlocked(host: String, entry: String) async throws {
    let listener = try SilentListener()
    var configuration = CurlConfiguration()
    configuration.policy = AddressPolicy(allowedHosts: [entry])
    let transport = try CurlTransport(configuration)
    let error = await failure { try await transport.get("http://\(host):\(listener.port)/") }
    #expect(error?.code == .blockedAddress)
    #expect(listener.connectionCount == 0)
  }

  private static let hasIPv6Loopback = (try? SilentListener(isIPv6: true)) != nil
}
