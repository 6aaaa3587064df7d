import FetchPipeline
import PipelineTesting
import Testing

@testable import CurlTransport

/// Requests through a proxy.
@Suite(.timeLimit(.minutes(5)))
struct ProxyTests {
  private func transport(through origin: ScriptedOrigin, user: String = "") throws -> CurlTransport {
    var configuration = CurlConfiguration()
    let proxy = try #require(Proxy("\(user)127.0.0.1:\(origin.port)"))
    configuration.proxies = ProxyRules(http: proxy, https: proxy, exemptions: "direct.invalid")
    return try CurlTransport(configuration)
  }

  @Test func theProxyIsAskedForTheWholeURL() async throws {
    let proxy = try ScriptedOrigin()
    proxy.on("http://example.invalid/a?b", .response(body: [1, 2]))
    let transport = try transport(through: proxy, user: "us%65r:s%3Acret@")
    // The name is the proxy's to resolve, and the proxy's own address is exempt from the guard.
    #expect(try await transport.bytes(of: "http://example.invalid/a?b") == [1, 2])
    let request = try #require(proxy.requests.first)
    #expect(request.header("Host") == "example.invalid")
    // base64 of user:s:cret
    #expect(request.header("Proxy-Authorization") == "Basic dXNlcjpzOmNyZXQ=")
  }

  @Test func httpsAsksForATunnel() async throws {
    let proxy = try ScriptedOrigin()
    proxy.on("example.invalid:443", .response(403))
    let transport = try transport(through: proxy)
    let error = await failure { try await transport.get("https://example.invalid/") }
    #expect(error?.code == .connect)
    #expect(proxy.requests.map(\.method) == ["CONNECT"])
  }

  @Test(arguments: [
    "http://127.0.0.1/", "http://10.0.0.1/", "http://[::1]/", "http://2130706433/", "http://localhost/",
  ])
  func privateAddressesStayBlocked(url: String) async throws {
    let proxy = try ScriptedOrigin()
    let transport = try transport(through: proxy)
    #expect(await failure { try await transport.get(url) }?.code == .blockedAddress)
    #expect(proxy.requests.isEmpty)
  }

  @Test func exemptHostsAreAskedDirectly() async throws {
    let proxy = try ScriptedOrigin()
    let transport = try transport(through: proxy)
    #expect(await failure { try await transport.get("http://direct.invalid/") }?.code == .dns)
    #expect(proxy.requests.isEmpty)
  }

  @Test func oneConnectionToAProxyServesAllHosts() async throws {
    let proxy = try ScriptedOrigin()
    let transport = try transport(through: proxy)
    for host in ["a", "b", "c"] {
      proxy.on("http://\(host).invalid/", .response(body: [1]))
      #expect(try await transport.bytes(of: "http://\(host).invalid/") == [1])
    }
    #expect(proxy.connectionsAccepted == 1)
  }

  @Test(arguments: [
    ("proxy", "http://proxy:1080"), ("proxy:80", "http://proxy:80"), ("http://proxy:443", "http://proxy:443"),
    ("https://proxy", "https://proxy:443"), ("https://proxy:80/", "https://proxy:80"),
    ("SOCKS5://u:p@[::1]:1", "socks5h://[::1]:1"), ("socks4a://proxy", "socks4a://proxy:1080"),
  ])
  func addressesOfProxies(text: String, expected: String) {
    #expect(Proxy(text)?.address == expected)
  }

  @Test func theEnvironmentIsReadAsOthersReadIt() throws {
    let rules = ProxyRules(environment: [
      "http_proxy": "http://one:1", "HTTP_PROXY": "http://two:2", "HTTPS_PROXY": "three:3", "all_proxy": "four:4",
      "NO_PROXY": "a.example, .b.example 10.0.0.0/8,[::1]",
    ])
    func port(_ url: String) throws -> Int? { rules.proxy(for: try ResourceURL(url))?.port }
    #expect(try port("http://h/") == 1)
    #expect(try port("https://h/") == 3)
    #expect(try port("http://a.example/") == nil)
    #expect(try port("http://x.a.example/") == nil)
    #expect(try port("http://a.example./") == nil)
    #expect(try port("http://xa.example/") == 1)
    #expect(try port("http://b.example/") == nil)
    #expect(try port("http://10.1.2.3/") == nil)
    #expect(try port("http://11.1.2.3/") == 1)
    #expect(try port("http://[::1]/") == nil)
    #expect(ProxyRules(environment: ["HTTP_PROXY": "two:2"]) == .none)
    #expect(ProxyRules(environment: ["http_proxy": ""]) == .none)
    #expect(ProxyRules(environment: ["ALL_PROXY": "four:4"]).https?.port == 4)
    let none = ProxyRules(environment: ["http_proxy": "one:1", "no_proxy": "*"])
    #expect(none.proxy(for: try ResourceURL("http://h/")) == nil)
  }
}
