import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// The transport as a configuration names it.
@Suite(.timeLimit(.minutes(5)))
struct CurlStageTests {
  private func read(_ json: String) throws -> (selection: StageSelection<TransportSlot>?, problems: [String]) {
    var registry = StageRegistry()
    registry.register(CurlStage.self)
    let scope = ConfigurationScope(registry: registry, folder: "", environment: [:]).member("transport")
    let value = try JSONReader.value(of: Array(json.utf8), dialect: .json5)
    let selection = StageSelection<TransportSlot>.read(value, in: scope)
    return (selection, scope.problems.map { "\($0.path): \($0.message)" })
  }

  @Test func optionsAreRead() throws {
    let (selection, problems) = try read(
      """
      {use: "curl", connectTimeout: "250ms", stallTimeout: 3, privateAddresses: "allow", connections: 7,
       allowHosts: ["Intranet.example", "10.0.0.0/8", "::1", "[::1]", "0x7f.1"], ipVersion: 4, netrc: true, cookies: true,
       resolve: "example.org:80:192.0.2.1", proxy: "user:secret@proxy.example:3128", caFile: "/dev/null",
       clientCertificate: {file: "/dev/null", password: "secret"}}
      """)
    #expect(problems == [])
    let stage = try #require(selection?.stage as? CurlStage)
    #expect(stage.connectTimeout == .milliseconds(250))
    #expect(stage.stallTimeout == .seconds(3))
    #expect(stage.privateAddresses == .allow)
    #expect(stage.allowHosts.count == 5)
    #expect(selection?.common.connections == 7)
    #expect(stage.ipVersion == .v4)
    #expect(stage.netrc)
    #expect(stage.cookies)
    #expect(stage.resolve == ["example.org:80:192.0.2.1"])
    #expect(stage.proxy == Proxy("http://user:secret@proxy.example:3128").map(ProxyChoice.proxy))
    #expect(stage.caFile == "/dev/null")
    #expect(stage.clientCertificate == ClientCertificate(file: "/dev/null", password: "secret"))
    let shown = selection?.json.compactText ?? ""
    #expect(shown.contains("http://user:***@proxy.example:3128"))
    #expect(!shown.contains("secret"))
  }

  @Test func defaultsAreThoseOfTheContract() throws {
    let stage = CurlStage()
    #expect(stage.connectTimeout == .seconds(10))
    #expect(stage.stallTimeout == .seconds(10))
    #expect(stage.privateAddresses == .deny)
    #expect(stage.allowHosts == [])
    #expect(stage.resolve == [])
    #expect(stage.proxy == .environment)
    #expect(stage.caFile == nil)
    #expect(stage.clientCertificate == nil)
    #expect(!stage.netrc)
    #expect(!stage.cookies)
    #expect(stage.ipVersion == .any)
  }

  @Test func mistakesAreSaid() throws {
    let (_, problems) = try read(
      """
      {use: "curl", conectTimeout: 1, privateAddresses: "denny", allowHosts: ["10.0.0.0/33", "a b"], stallTimeout: 0}
      """)
    #expect(
      problems == [
        "transport.conectTimeout: unknown option of \"curl\"; did you mean \"connectTimeout\"?",
        "transport.privateAddresses: \"denny\" is not known here; did you mean \"deny\"?",
        "transport.allowHosts: \"10.0.0.0/33\" is not a host name, an address or a block of addresses such as 10.0.0.0/8",
        "transport.stallTimeout: \"0s\" is not between \"1ms\" and \"1h\"",
      ])
  }

  @Test(arguments: [
    ("resolve: 'example.org:192.0.2.1'", "resolve: \"example.org:192.0.2.1\" is not HOST:PORT:ADDRESS[,ADDRESS]"),
    ("ipVersion: 5", "ipVersion: 5 is not \"any\", 4 or 6"),
    ("caFile: '/no/such/file'", "caFile: \"/no/such/file\" cannot be read"),
    ("clientCertificate: '/no/such/file'", "clientCertificate: \"/no/such/file\" cannot be read"),
    (
      "clientCertificate: {key: '/dev/null'}",
      "clientCertificate: \"file\" is missing: the PEM file of the certificate, and of the key if that has none of its own"
    ),
    ("clientCertificate: 1", "clientCertificate: 1 is not a path, or an object of file, key and password"),
    ("cookies: 1", "cookies: 1 is not true or false"),
  ])
  func otherMistakesAreSaid(option: String, expected: String) throws {
    #expect(try read("{use: 'curl', \(option)}").problems == ["transport." + expected])
  }

  @Test(arguments: ["ftp://proxy:21", "http://", "http://proxy:x", "proxy:80/path", "socks4://proxy"])
  func whatIsNoProxyIsSaidSo(text: String) throws {
    let problems = try read("{use: 'curl', proxy: '\(text)'}").problems
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("transport.proxy: this is not a proxy") == true)
  }

  @Test func theStageMakesATransportWithItsOptions() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: pattern(1000)))
    var context = StageContext()
    var stage = CurlStage()
    // Whatever the environment of the tests says.
    stage.proxy = .none
    let guarded = try stage.make(in: context)
    #expect(await failure { try await guarded.get(origin.url("/a")) }?.code == .blockedAddress)

    stage.allowHosts = ["127.0.0.0/8"]
    #expect(try await stage.make(in: context).bytes(of: origin.url("/a")) == pattern(1000))

    context.transport.maxBytes = ByteCount(999)
    let small = try stage.make(in: context)
    #expect(await failure { try await small.bytes(of: origin.url("/a"), upTo: 5000) }?.code == .bodyTooLarge)
  }
}
