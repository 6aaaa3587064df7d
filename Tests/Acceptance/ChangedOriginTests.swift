import FetchPipeline
import Foundation
import Testing

/// What becomes of pictures when the bytes at their origin change, in runs that follow each other.
@Suite(.serialized) struct ChangedOriginTests {
  private let folder: WorkingFolder
  private let nginx: NginxOrigin

  init() async throws {
    folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("versions"), "mixed 4")
    nginx = try await NginxOrigin(
      folder,
      locations: "location /stale/ { alias \(folder.path("origin"))/; add_header Cache-Control max-age=0; }")
    try serve(version: 0)
  }

  /// Puts one of four pictures, all of other sizes, in the place of the last one.
  private func serve(version: Int) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("versions")).sorted()
    try folder.write(try folder.read("versions/\(names[version])"), to: "origin/a.jpg")
  }

  private var url: String { nginx.url("stale/a.jpg") }

  private func configure(_ name: String, rows: Int = 1, _ options: String) throws {
    try folder.write(String(repeating: url + "\n", count: rows), to: "\(name).txt")
    try folder.write(
      "{input: \"\(name).txt\", transport: {allowHosts: [\"127.0.0.1\"]}, \(options)}", to: "\(name).json")
  }

  /// Runs, and says which codes or statuses the rows have, in the order of the list.
  private func run(_ name: String, _ options: String...) async throws -> [String] {
    let outcome = try await BuiltProgram.run(["run", "\(name).json", "--progress", "none"] + options, in: folder)
    #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
    let report = try Report(folder, "\(name)/report.jsonl")
    return report.lines.sorted { ($0.text("id") ?? "") < ($1.text("id") ?? "") }.map {
      $0.object("error")?.text("code") ?? $0.text("status") ?? ""
    }
  }

  /// What a run makes that knows nothing of earlier ones.
  private func expected(rows: Int = 1, _ options: String) async throws -> [String: [UInt8]] {
    try? FileManager.default.removeItem(atPath: folder.path("reference"))
    try configure("reference", rows: rows, options.replacingOccurrences(of: "OUT", with: "reference") + ", cache: []")
    _ = try await run("reference")
    return try folder.pictures(in: "reference")
  }

  private static let plain = #"encode: "png", output: {path: "OUT", name: "{row}{rendition}.{ext}"}"#
  private static let two = #"""
    renditions: [{name: "s", transform: {use: "resize", width: 40}, encode: "png"}, {name: "b", transform: {use: "resize", width: 90}, encode: "png"}],
    output: {path: "OUT", name: "{row}{rendition}.{ext}"}
    """#
  private static let one = #"""
    renditions: [{name: "s", transform: {use: "resize", width: 40}, encode: "png"}],
    output: {path: "OUT", name: "{row}{rendition}.{ext}"}
    """#

  private func options(_ text: String) -> String { text.replacingOccurrences(of: "OUT", with: "out") }

  /// That the kept answer is current says nothing of pictures that were made of an earlier one.
  @Test func whatAnotherRunHasFetchedMeanwhileConfirmsNothing() async throws {
    try configure("out", options(Self.plain))
    #expect(try await run("out") == ["ok"])
    try serve(version: 1)
    let thumb = try await BuiltProgram.run(["thumb", url, "x.png", "--allow-host", "127.0.0.1"], in: folder)
    #expect(thumb.status == 0, "\(thumb.errors)")
    #expect(try await run("out", "--revalidate") == ["ok"])
    #expect(try nginx.requests().map(\.status) == [200, 200, 304])
    #expect(try await folder.pictures(in: "out") == expected(Self.plain))
    #expect(try await run("out", "--revalidate") == ["skipped"])
  }

  @Test func aFailureBetweenIsNoReasonToKeepWhatIsOld() async throws {
    try configure("out", options(Self.plain))
    #expect(try await run("out") == ["ok"])
    try serve(version: 1)
    try configure("out", options(Self.plain) + ", limits: {pixels: 10}")
    #expect(try await run("out", "--revalidate") == ["too-many-pixels"])
    try configure("out", options(Self.plain))
    #expect(try await run("out", "--revalidate") == ["ok"])
    #expect(try await folder.pictures(in: "out") == expected(Self.plain))
  }

  @Test(arguments: ["--fresh", "--revalidate"]) func allRowsOfASourceFollowIt(option: String) async throws {
    try configure("out", rows: 3, options(Self.plain))
    #expect(try await run("out") == ["ok", "ok", "ok"])
    try serve(version: 1)
    #expect(try await run("out", option) == ["ok", "ok", "ok"])
    #expect(try await folder.pictures(in: "out") == expected(rows: 3, Self.plain))
    // Once more, with nothing new: one question for all of them.
    let asked = try nginx.requests().count
    #expect(try await run("out", "--revalidate") == ["skipped", "skipped", "skipped"])
    #expect(try nginx.requests().dropFirst(asked).map(\.status) == [304])
    #expect(
      try Report(folder, "out/report.jsonl").lines.allSatisfy { $0.object("http")?.text("cache") == "revalidated" })
  }

  @Test func renditionsOfTwoVersionsNeverStandSideBySide() async throws {
    try configure("out", options(Self.two))
    #expect(try await run("out") == ["ok"])
    // One of them goes on without the other, which comes back.
    try configure("out", options(Self.one))
    try serve(version: 1)
    #expect(try await run("out", "--revalidate") == ["ok"])
    try configure("out", options(Self.two))
    let asked = try nginx.requests().count
    #expect(try await run("out") == ["ok"])
    #expect(try nginx.requests().count == asked)
    // The first was made of a decode for itself alone.
    #expect(try await folder.pictures(in: "out")["1-s.png"] == expected(Self.one)["1-s.png"])
    #expect(try await folder.pictures(in: "out")["1-b.png"] == expected(Self.two)["1-b.png"])
    // One is lost, and with it the kept answer.
    try FileManager.default.removeItem(atPath: folder.path("out/1-b.png"))
    try FileManager.default.removeItem(atPath: folder.path("caches"))
    try serve(version: 2)
    #expect(try await run("out") == ["ok"])
    #expect(try await folder.pictures(in: "out") == expected(Self.two))
    #expect(try await run("out") == ["skipped"])
  }

  @Test func aNameThatComesBackIsNotTheOldPicture() async throws {
    let named = #"encode: "png", output: {path: "OUT", name: "{id}.{ext}"}"#
    func configure(id: String) throws {
      try folder.write(
        "{input: {path: \"out.jsonl\"}, transport: {allowHosts: [\"127.0.0.1\"]}, \(options(named))}", to: "out.json")
      try folder.write(#"{"url": "\#(url)", "id": "\#(id)"}"#, to: "out.jsonl")
    }
    try configure(id: "x")
    #expect(try await run("out") == ["ok"])
    try serve(version: 1)
    try configure(id: "y")
    #expect(try await run("out", "--revalidate") == ["ok"])
    try configure(id: "x")
    #expect(try await run("out") == ["skipped"])
    let pictures = try folder.pictures(in: "out")
    #expect(pictures.count == 2 && pictures["x.png"] == pictures["y.png"])
  }

  /// That a name was taken is said of the row that wanted it, not of its source.
  @Test func renamedIsARowsOwn() async throws {
    try folder.write(
      #"""
      {input: {path: "out.jsonl"}, transport: {allowHosts: ["127.0.0.1"]}, encode: "png",
       output: {path: "out", name: "{id}.{ext}"}}
      """#, to: "out.json")
    let other = #"{"url": "\#(url)?other", "id": "x"}"#
    try folder.write(other, to: "out.jsonl")
    #expect(try await run("out") == ["ok"])
    try folder.write(
      "\(other)\n" + #"{"url": "\#(url)", "id": "x"}"# + "\n" + #"{"url": "\#(url)", "id": "y"}"#, to: "out.jsonl")
    for _ in 0..<2 {
      _ = try await run("out")
      for line in try Report(folder, "out/report.jsonl").lines {
        let path = line.objects("outputs").first?.text("path")
        let isOwn = path == "\(line.text("id") ?? "").png"
        #expect(line.texts("flags").contains("renamed") == !isOwn, "\(path ?? "")")
      }
    }
    #expect(try folder.pictures(in: "out").count == 3)
  }

  @Test func aDryRunSeesWhatIsMissing() async throws {
    try configure("out", options(Self.plain))
    #expect(try await run("out") == ["ok"])
    try FileManager.default.removeItem(atPath: folder.path("out/1.png"))
    let dry = try await BuiltProgram.run(["run", "out.json", "--dry-run"], in: folder)
    #expect(dry.errors.hasPrefix("1 row: 0 would be made, 1 remade, 0 skipped\n"), "\(dry.errors)")
  }

  @Test func twoRenditionsOfOneRecipeAreTwoPictures() async throws {
    let same = #"""
      renditions: [{name: "s", transform: {use: "resize", width: 40}, encode: "png"}, {name: "t", transform: {use: "resize", width: 40}, encode: "png"}],
      output: {path: "out", name: "{row}{rendition}.{ext}"}
      """#
    try configure("out", same)
    for status in ["ok", "skipped"] {
      #expect(try await run("out") == [status])
      let paths = try Report(folder, "out/report.jsonl").lines[0].objects("outputs").map { $0.text("path") }
      #expect(paths == ["1-s.png", "1-t.png"])
    }
  }

  /// What was not stored says nothing of the origin, which another mode asks.
  @Test func anotherCacheModeIsAnotherQuestion() async throws {
    try configure("out", options(Self.plain) + #", request: {cache: "only-if-cached"}"#)
    #expect(try await run("out") == ["not-cached"])
    try configure("out", options(Self.plain))
    #expect(try await run("out") == ["ok"])
    try folder.write(
      """
      {input: "mixed.jsonl", transport: {allowHosts: ["127.0.0.1"]}, output: "mixed"}
      """, to: "mixed.json")
    let other = nginx.url("stale/a.jpg?2")
    try folder.write(
      #"{"url": "\#(other)", "cache": "only-if-cached"}\#n{"url": "\#(other)"}"#, to: "mixed.jsonl")
    #expect(try await run("mixed").last == "ok")
  }

  /// What the configuration says of its own list is not said of the rows that failed.
  @Test func rowsThatFailedAreAnInputWhateverTheirListWas() async throws {
    try folder.write("sku\t\(nginx.url("none.jpg"))\n", to: "list.tsv")
    try folder.write(
      #"""
      {input: {path: "list.tsv", format: "tsv", header: false, urlField: 2, idField: 1},
       transport: {allowHosts: ["127.0.0.1"]}, output: "out"}
      """#, to: "out.json")
    #expect(try await run("out") == ["http-status"])
    let failed = try folder.read("out/failed.jsonl")
    #expect(try await run("out", "--input", "out/failed.jsonl", "--retry-failed", "all") == ["http-status"])
    #expect(try Report(folder, "out/report.jsonl").lines.map { $0.text("id") } == ["sku"])
    #expect(try folder.read("out/failed.jsonl") == failed)
  }
}
