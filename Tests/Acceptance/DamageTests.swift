import FetchPipeline
import PipelineTesting
import Testing

/// What becomes of damaged pictures by the option `onDamage`, and of files that are not what they are called.
struct DamageTests {
  @Test func salvageKeepsWhatIsLeftAndSaysSo() async throws {
    let fixtures = [
      "jpeg-truncated.jpg", "jpeg-corrupt.jpg", "png-truncated.png", "png-wrong-crc.png", "webp-truncated.webp",
    ]
    let folder = try WorkingFolder()
    _ = try await Python.runLong("make_fixtures.py", [folder.path("files")])
    try folder.write(fixtures.map { "files/\($0)" }.joined(separator: "\n"), to: "list.txt")
    for (policy, fails) in [("reject", true), ("salvage", false)] {
      try folder.write(Self.configuration(policy), to: "config.json")
      let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
      #expect(outcome.status == (fails ? 1 : 0), "\(outcome.errors)")
      let report = try Report(folder)
      #expect(report.lines.count == fixtures.count)
      for line in report.lines {
        #expect(line.text("status") == (fails ? "failed" : "ok"), "\(line.text("url") ?? "")")
        if !fails { #expect(line.texts("flags") == ["damaged"]) }
      }
    }
    // Of the scene the upper left corner is red; below, where nothing came, all is grey.
    let seen = try Python.measure([folder.path("thumbnails/1.png"), folder.path("thumbnails/3.png")])
    for picture in seen {
      #expect(picture.cells[0][0] > picture.cells[0][2] + 30)
    }
    // A changed policy makes nothing else of what it does not concern, and makes the rest anew.
    try folder.write(Self.configuration("reject"), to: "config.json")
    let again = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(again.status == 1)
  }

  @Test func whatTheConnectionLostIsNotSalvaged() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("pictures"), "odd")
    let good = try folder.read("pictures/good.jpg")
    let origin = try ScriptedOrigin()
    origin.on("/cut-close.jpg", .closeDelimited(Array(good.prefix(good.count * 2 / 3))))
    origin.on("/cut.jpg", .response(body: Array(good.prefix(good.count * 2 / 3))))
    try folder.write(["/cut-close.jpg", "/cut.jpg"].map { origin.url($0) }.joined(separator: "\n"), to: "list.txt")
    try folder.write(
      Self.configuration("salvage", transport: #"{use: "curl", allowHosts: ["127.0.0.1"], retry: {attempts: 1}}"#),
      to: "config.json")
    _ = try await BuiltProgram.run(["run", "config.json"], in: folder)
    let report = try Report(folder)
    #expect(report.code("1") == "body-truncated")
    #expect(report["2"]?.texts("flags") == ["damaged"])
  }

  @Test func falseTypesAndNamesAreNoticed() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("pictures"), "odd")
    let good = try folder.read("pictures/good.jpg")
    let origin = try ScriptedOrigin()
    let rows: [(path: String, type: String?, lies: Bool)] = [
      ("/a.jpg", "image/jpeg", false), ("/b.jpg", nil, false), ("/c", "application/octet-stream", false),
      ("/d.jpg", "image/png", true), ("/e", "text/html", true), ("/f.png", "image/jpeg", true),
      ("/g.php?x=y.png", "image/jpg", false),
    ]
    for row in rows {
      let path = row.path.prefix { $0 != "?" }
      origin.on(
        String(row.path.contains("?") ? row.path[...] : path),
        .response(headers: row.type.map { [("Content-Type", $0)] } ?? [], body: good))
    }
    try folder.write(rows.map { origin.url($0.path) }.joined(separator: "\n"), to: "list.txt")
    try folder.write(
      Self.configuration("reject", transport: #"{use: "curl", allowHosts: ["127.0.0.1"]}"#), to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    let report = try Report(folder)
    for (index, row) in rows.enumerated() {
      let line = report["\(index + 1)"]
      #expect(line?.text("status") == "ok", "\(row) \(outcome.errors)")
      #expect(line?.texts("flags") == (row.lies ? ["mime-mismatch"] : []), "\(row)")
    }
  }

  private static func configuration(_ policy: String, transport: String = #"{use: "curl"}"#) -> String {
    """
    {input: {use: "list", path: "list.txt"}, cache: [], transport: \(transport),
     decode: [{use: "jpeg", onDamage: "\(policy)"}, {use: "png", onDamage: "\(policy)"},
              {use: "webp", onDamage: "\(policy)"}],
     encode: "png", output: {use: "directory", path: "thumbnails", name: "{id}.{ext}"}}
    """
  }
}
