import FetchPipeline
import Foundation
import Testing

/// Every kind of file that is decoded, or refused, against other people's decoders.
struct FormatTests {
  private static let page = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/formats.md")

  /// Sizes, channel means and block means of each fixture are what Pillow and libvips see; what is refused has its code; and
  /// the page of formats says so. (`make docs` writes it anew.)
  @Test func everyKindIsWhatOtherDecodersSee() async throws {
    let fixtures = try await PictureFixtures()
    #expect(fixtures.outcome.status == 1, "\(fixtures.outcome.errors)")
    #expect(fixtures.report.lines.count == fixtures.all.count)
    var rows: [String] = []
    for fixture in fixtures.all {
      let line = try #require(fixtures.result(of: fixture), "\(fixture.file)")
      let code = line.object("error")?.text("code")
      #expect(code == fixture.code, "\(fixture.file)")
      // Some of the pictures are JPEGs, which have no transparency.
      let flags = line.texts("flags").filter { $0 != "alpha-flattened" }.sorted()
      let result = code.map { "`\($0)`" } ?? (["decoded"] + flags.map { "`\($0)`" }).joined(separator: ", ")
      rows.append(
        "| \(fixture.kind) | `\(fixture.file)` | \(result) | \(Self.oracle(of: fixture)) |")
    }

    let compared = try await Python.runLong(
      "compare_pictures.py", [fixtures.folder.path("files"), fixtures.folder.path("out")]
    ).split(separator: "\n")
    for text in compared {
      guard case .object(let seen) = try JSONReader.value(of: Array(text.utf8)) else { continue }
      #expect(seen.texts("problems") == [], "\(seen.text("file") ?? "")")
    }
    #expect(compared.count == fixtures.all.count { !$0.oracles.isEmpty })
    #expect(fixtures.all.count { $0.oracles.count == 2 } >= 150)
    try Self.check(rows)
  }

  private static func oracle(of fixture: PictureFixtures.Fixture) -> String {
    let names = ["pillow": "Pillow", "vips": "libvips"]
    let oracles = fixture.oracles.compactMap { names[$0] }.joined(separator: ", ")
    return [oracles, fixture.reason ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// The table of the page is made of these rows.
  private static func check(_ rows: [String]) throws {
    let text = try String(contentsOf: page, encoding: .utf8)
    let begin = try #require(text.range(of: "<!-- formats:begin -->\n"))
    let end = try #require(text.range(of: "<!-- formats:end -->"))
    let table = (["| kind | fixture | result | compared with |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    let expected = text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: table + "\n")
    if ProcessInfo.processInfo.environment["PIPELINE_UPDATE_DOCS"] != nil {
      try expected.write(to: page, atomically: true, encoding: .utf8)
    } else {
      #expect(text == expected, "docs/formats.md is not what the program does: run `make docs`")
    }
  }
}
