import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// The transport as a configuration names it.
@Suite(.timeLimit(.minutes(1)))
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
       allowHosts: ["Intranet.example", "10.0.0.0/8", "::1", "[::1]", "0x7f.1"]}
      """)
    #expect(problems == [])
    let stage = try #require(selection?.stage as? CurlStage)
    #expect(stage.connectTimeout == .milliseconds(250))
    #expect(stage.stallTimeout == .seconds(3))
    #expect(stage.privateAddresses == .allow)
    #expect(stage.allowHosts.count == 5)
    #expect(selection?.common.connections == 7)
  }

  @Test func defaultsAreThoseOfTheContract() throws {
    let stage = CurlStage()
    #expect(stage.connectTimeout == .seconds(10))
    #expect(stage.stallTimeout == .seconds(10))
    #expect(stage.privateAddresses == .deny)
    #expect(stage.allowHosts == [])
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

  @Test func theStageMakesATransportWithItsOptions() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: pattern(1000)))
    var context = StageContext()
    let guarded = try CurlStage().make(in: context)
    #expect(await failure { try await guarded.get(origin.url("/a")) }?.code == .blockedAddress)

    var stage = CurlStage()
    stage.allowHosts = ["127.0.0.0/8"]
    #expect(try await stage.make(in: context).bytes(of: origin.url("/a")) == pattern(1000))

    context.transport.maxBytes = ByteCount(999)
    let small = try stage.make(in: context)
    #expect(await failure { try await small.bytes(of: origin.url("/a"), upTo: 5000) }?.code == .bodyTooLarge)
  }
}
