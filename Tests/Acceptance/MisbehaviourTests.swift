import FetchPipeline
import PipelineTesting
import Testing

/// Servers, files and disks that do what they should not: each costs its own row, with its own code.
struct MisbehaviourTests {
  @Test func eachMisbehaviourCostsItsRow() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("pictures"), "odd")
    let good = try folder.read("pictures/good.jpg")
    let origin = try ScriptedOrigin()
    origin.on("/good", .response(body: good))
    origin.on("/hang", ScriptedReply([.hang]))
    origin.on(
      "/hang-in-body",
      ScriptedReply([
        .send(ScriptedReply.head(200, [("Content-Length", "\(good.count)")]) + good.prefix(1000)), .hang,
      ]))
    origin.on("/cut", .cut(good, after: good.count * 2 / 3))
    origin.on("/cut-chunks", .chunked([Array(good.prefix(5000))], isComplete: false))
    origin.on("/cut-close", .closeDelimited(Array(good.prefix(good.count * 2 / 3))))
    origin.on("/reset", ScriptedReply([.send(ScriptedReply.head(200, [("Content-Length", "100000")])), .reset]))
    origin.on("/garbage", .raw("this is not HTTP\r\n\r\n"))
    origin.on("/endless", .endless())
    origin.on("/endless-chunks", .endless(inChunks: true))
    origin.on("/html", .response(headers: [("Content-Type", "text/html")], body: Array("<html>no</html>".utf8)))
    origin.on("/lying", .response(headers: [("Content-Type", "image/jpeg")], body: Array("<html>no</html>".utf8)))
    origin.on("/truncated", .response(body: try folder.read("pictures/truncated.jpg")))
    origin.on("/huge", .response(body: try folder.read("pictures/huge-header.jpg")))
    origin.on("/404", .response(404, body: Array("gone fishing".utf8)))
    origin.on("/503", .response(503))
    origin.on("/loop", .redirect(to: "/loop"))
    origin.on("/hop1", .redirect(to: "/hop2", status: 301))
    origin.on("/hop2", .redirect(to: "http://127.0.0.1:\(origin.port)/hop3", status: 307))
    origin.on("/hop3", .redirect(to: "//127.0.0.1:\(origin.port)/good", status: 308))
    let expected: [(row: String, code: String?)] = [
      ("/good", nil), ("/hang", "stalled"), ("/hang-in-body", "stalled"), ("/cut", "body-truncated"),
      ("/cut-chunks", "body-truncated"), ("/cut-close", "body-truncated"), ("/reset", "connection-lost"),
      ("/garbage", "protocol"), ("/endless", "body-too-large"), ("/endless-chunks", "body-too-large"),
      ("/html", "not-an-image"), ("/lying", "not-an-image"), ("/truncated", "truncated"), ("/huge", "too-many-pixels"),
      ("/404", "http-status"), ("/503", "http-status"), ("/loop", "redirect-limit"), ("/hop1", nil),
    ]
    let others: [(row: String, code: String)] = [
      ("http://name.invalid/a.jpg", "dns"), ("http://127.0.0.1:1/a.jpg", "connect"),
      ("ftp://a.example/b", "unsupported-scheme"),
      ("http://exa mple/", "invalid-input"), ("http://a.example:99999/", "invalid-input"),
    ]
    let rows = expected.map { origin.url($0.row) } + others.map(\.row)
    try folder.write(rows.joined(separator: "\n"), to: "urls.txt")
    try folder.write(
      """
      {input: "urls.txt", output: {use: "directory", path: "thumbnails", name: "{id}.{ext}"},
       transport: {use: "curl", allowHosts: ["127.0.0.1"], stallTimeout: "1s", maxBytes: "4MB", connectionsPerHost: 20}}
      """, to: "config.json")
    let start = ContinuousClock.now
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(ContinuousClock.now - start < .seconds(90))
    #expect(outcome.status == 1, "\(outcome.errors)")
    let report = try Report(folder)
    #expect(report.lines.count == rows.count)
    for (index, row) in expected.enumerated() { #expect(report.code("\(index + 1)") == row.code, "\(row.row)") }
    for (index, row) in others.enumerated() {
      #expect(report.code("\(expected.count + index + 1)") == row.code, "\(row.row)")
    }
    // Nothing of what failed is visible.
    #expect(try folder.pictures(in: "thumbnails").keys.sorted() == ["1.jpg", "18.jpg"])
    let followed = report["18"]
    #expect(followed?.texts("flags") == ["redirected"])
    #expect(followed?.object("http")?.text("url") == origin.url("/good"))
    // The errors say what there was instead.
    let page = report["12"]?.object("error")?.text("message") ?? ""
    #expect(page.contains("HTML") && page.contains("image/jpeg") && page.contains("15 bytes"), "\(page)")
    #expect(report["15"]?.object("error")?.text("message")?.contains("gone fishing") == true)
    #expect(report["15"]?.object("http")?.integer("status") == 404)
  }

  /// Public report: two hundred good URLs, and three that hang before their headers; the run stalls near its end.
  @Test func aFewHangingServersDoNotHoldUpTheOthers() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("pictures"), "odd")
    let good = try folder.read("pictures/good.jpg")
    let origin = try ScriptedOrigin()
    let targets = (0..<200).map { "/good-\($0)" } + (0..<3).map { "/hang-\($0)" }
    for target in targets {
      origin.on(target, target.hasPrefix("/hang") ? ScriptedReply([.hang]) : .response(body: good))
    }
    try folder.write(targets.shuffled().map { origin.url($0) }.joined(separator: "\n"), to: "urls.txt")
    try folder.write(
      #"{input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"], stallTimeout: "2s"}}"#,
      to: "config.json")
    let start = ContinuousClock.now
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(ContinuousClock.now - start < .seconds(90))
    #expect(outcome.status == 1)
    let report = try Report(folder)
    #expect(report.statuses == ["ok": 200, "failed": 3])
    #expect(report.lines.filter { $0.object("error")?.text("code") == "stalled" }.count == 3)
  }

  /// A server that always sends a little is never silent: the time for an item ends it.
  @Test func aDrippingServerIsEndedByTheItemsTime() async throws {
    let folder = try WorkingFolder()
    let origin = try ScriptedOrigin()
    let head = ScriptedReply.head(200, [("Content-Length", "1000000"), ("Content-Type", "image/jpeg")])
    origin.on(
      "/drip",
      ScriptedReply([
        .send(head), .drip([UInt8](repeating: 0x20, count: 1000), count: 1, every: .milliseconds(50)), .hang,
      ]))
    try folder.write(origin.url("/drip"), to: "urls.txt")
    try folder.write(
      """
      {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]}, limits: {itemTime: "1s"}}
      """, to: "config.json")
    let start = ContinuousClock.now
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(ContinuousClock.now - start < .seconds(90))
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(try Report(folder).code("1") == "timeout")
    #expect(await origin.waitForNoConnections())
  }

  /// A report that cannot be written ends the run, which can be taken up again.
  @Test func aFullDiskUnderTheReportEndsTheRun() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "odd")
    let nginx = try await NginxOrigin(folder)
    try folder.write((0..<50).map { nginx.url("good.jpg?\($0)") }.joined(separator: "\n"), to: "urls.txt")
    let configuration = #"{input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]}, REPORT}"#
    try folder.write(configuration.replacing("REPORT", with: #"report: {path: "/dev/full"}"#), to: "full.json")
    try folder.write(configuration.replacing("REPORT", with: ""), to: "config.json")
    let full = try await BuiltProgram.run(["run", "full.json"], in: folder)
    #expect(full.status == 74, "\(full.errors)")
    let asked = try nginx.requests().count
    let rest = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(rest.status == 0, "\(rest.errors)")
    let statuses = try Report(folder).statuses
    #expect((statuses["ok"] ?? 0) + (statuses["skipped"] ?? 0) == 50)
    #expect(try nginx.requests().count - asked == statuses["ok"] ?? 0)
  }

  @Test func onlyWhatFailedIsTriedAgain() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("pictures"), "odd")
    let good = try folder.read("pictures/good.jpg")
    let origin = try ScriptedOrigin()
    origin.on("/stands", .response(body: good))
    origin.on("/comes-back", .response(503), .response(body: good))
    origin.on("/stays-away", .response(404))
    try folder.write(
      ["/stands", "/comes-back", "/stays-away"].map { origin.url($0) }.joined(separator: "\n"), to: "urls.txt")
    let configuration = """
      {input: "urls.txt", output: {use: "directory", path: "thumbnails", name: "{id}.{ext}"},
       transport: {use: "curl", allowHosts: ["127.0.0.1"], retry: {attempts: 1}}}
      """
    try folder.write(configuration, to: "config.json")
    _ = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(try Report(folder).statuses == ["ok": 1, "failed": 2])
    let second = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(second.status == 1)
    let report = try Report(folder)
    #expect(report["1"]?.text("status") == "skipped")
    #expect(report["2"]?.text("status") == "ok")
    #expect(report["3"]?.text("status") == "failed")
    #expect(origin.requests(for: "/stands").count == 1)
    #expect(origin.requests(for: "/comes-back").count == 2)
    #expect(origin.requests(for: "/stays-away").count == 1)
    // A 404 is believed for a while only.
    try folder.write(
      configuration.replacing("use: \"curl\"", with: "use: \"curl\", negativeLifetime: 0"), to: "config.json")
    _ = try await BuiltProgram.run(["run", "config.json"], in: folder)
    _ = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(origin.requests(for: "/stays-away").count >= 2)
  }

  @Test func URLsAreAskedForAsTheyAreWritten() async throws {
    let folder = try WorkingFolder()
    let origin = try ScriptedOrigin()
    let written = [
      "/%E5%9B%BE.jpg": "/%E5%9B%BE.jpg", "/图.jpg": "/%E5%9B%BE.jpg", "/a b.jpg": "/a%20b.jpg",
      "/100%25.jpg": "/100%25.jpg",
      "/a%20b.jpg?x=1,2&y=%2F#part": "/a%20b.jpg?x=1,2&y=%2F",
    ]
    try folder.write(written.keys.sorted().map { origin.url("") + $0 }.joined(separator: "\n"), to: "urls.txt")
    try folder.write(
      #"{input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]}}"#, to: "config.json")
    _ = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(Set(origin.requests.map(\.target)) == Set(written.values))
    #expect(try Report(folder).lines.count == written.count)
  }
}
