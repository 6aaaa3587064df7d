import FetchPipeline
import PipelineTesting
import Testing

/// A list of URLs must not lead into the network that the program runs in.
struct GuardTests {
  @Test func privateAddressesAreNeverConnectedTo() async throws {
    let listener = try SilentListener()
    let folder = try WorkingFolder()
    let port = listener.port
    let hosts = ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "0x7f.1", "0", "localhost", "127.1"]
    try folder.write(hosts.map { "http://\($0):\(port)/picture.jpg" }.joined(separator: "\n"), to: "urls.txt")
    try folder.write(#"{input: "urls.txt"}"#, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 1, "\(outcome.errors)")
    let report = try Report(folder)
    for row in 1...hosts.count { #expect(report.code("\(row)") == "blocked-address", "\(hosts[row - 1])") }
    #expect(listener.connectionCount == 0)
  }

  @Test func aRedirectIsJudgedLikeAnyOtherURL() async throws {
    let listener = try SilentListener()
    let origin = try ScriptedOrigin()
    origin.on("/away", .redirect(to: "http://127.0.0.1:\(listener.port)/inside"))
    origin.on("/file", .redirect(to: "file:///etc/passwd"))
    let folder = try WorkingFolder()
    let targets = ["/away", "/file"].map { origin.url($0, host: "localhost") }
    try folder.write(targets.joined(separator: "\n"), to: "urls.txt")
    try folder.write(#"{input: "urls.txt", transport: {use: "curl", allowHosts: ["localhost"]}}"#, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 1, "\(outcome.errors)")
    let report = try Report(folder)
    #expect(report.code("1") == "blocked-address")
    #expect(report.code("2") == "redirect-blocked")
    #expect(listener.connectionCount == 0)
  }
}
