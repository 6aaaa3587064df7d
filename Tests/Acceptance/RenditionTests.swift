import FetchPipeline
import Foundation
import Testing

/// Several pictures of one source: one request, one decode, and recipes that do not depend on each other.
@Suite struct RenditionTests {
  @Test func severalPicturesOfOneRequest() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 60")
    let nginx = try await NginxOrigin(folder, locations: "expires 1h;")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).sorted()
    try folder.write(names.map(nginx.url).joined(separator: "\n"), to: "urls.txt")
    try folder.write(Self.configuration(Self.three), to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try nginx.requests().count == names.count)
    let report = try Report(folder, "out/report.jsonl")
    for line in report.lines {
      guard case .array(let outputs)? = line["outputs"], let source = line.object("source") else {
        Issue.record("no outputs")
        continue
      }
      let pictures = outputs.compactMap { if case .object(let output) = $0 { output } else { nil } }
      #expect(pictures.map { $0.text("rendition") } == ["small", "wide", "icon"])
      #expect(pictures.map { $0.text("format") } == ["jpeg", "webp", "png"])
      let (w, h) = (source.integer("width") ?? 0, source.integer("height") ?? 0)
      // cover without enlarging: what is smaller than the target stays so.
      let cover = max(min(1, max(512.0 / Double(w), 512.0 / Double(h))), 0)
      #expect(pictures[1].integer("width") == min(512, max(Int((Double(w) * cover + 0.5).rounded(.down)), 1)))
      #expect(pictures[1].integer("height") == min(512, max(Int((Double(h) * cover + 0.5).rounded(.down)), 1)))
      #expect(pictures[2].integer("width") == 64 && pictures[2].integer("height") == 64)
    }
    let paths = try folder.pictures(in: "out")
    #expect(paths.count == 3 * names.count)

    // Any number of workers makes the same bytes.
    for workers in [1, 2, 4] {
      try folder.write(Self.configuration(Self.three, output: "out-\(workers)", workers: workers), to: "config.json")
      let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try folder.pictures(in: "out-\(workers)") == paths, "\(workers) workers")
    }
    // All but the first run found the bytes in the cache.
    #expect(try nginx.requests().count == names.count)

    // A fourth is made of them too, and nothing else is made.
    let times = try Self.modificationTimes(folder, paths.keys)
    try folder.write(
      Self.configuration(Self.three + #", {name: "tiny", transform: [{use: "resize", width: 32}]}"#), to: "config.json")
    let again = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try nginx.requests().count == names.count)
    let extended = try folder.pictures(in: "out")
    #expect(extended.count == 4 * names.count)
    #expect(extended.filter { paths[$0.key] != nil } == paths)
    #expect(try Self.modificationTimes(folder, paths.keys) == times)
    #expect(try Report(folder, "out/report.jsonl").statuses == ["ok": names.count])
    // Each row's result has all four, the three that stood as well.
    for line in try Report(folder, "out/report.jsonl").lines {
      guard case .array(let outputs)? = line["outputs"] else { continue }
      #expect(outputs.count == 4)
    }
  }

  private static let three = """
    {name: "small", transform: [{use: "resize", width: 256, height: 256}], encode: "jpeg"},
    {name: "wide", transform: [{use: "resize", width: 512, height: 512, fit: "cover"}], encode: "webp"},
    {name: "icon", transform: [{use: "resize", width: 64, height: 64, fit: "contain"}], encode: "png"}
    """

  private static func configuration(_ renditions: String, output: String = "out", workers: Int = 2) -> String {
    """
    {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]}, renditions: [\(renditions)],
     cache: [{use: "disk", path: "cache"}], limits: {workers: \(workers)},
     output: {use: "directory", path: "\(output)", name: "{name}-{hash}{rendition}.{ext}"}}
    """
  }

  private static func modificationTimes(_ folder: WorkingFolder, _ names: some Sequence<String>) throws -> [Date] {
    try names.sorted().map { name in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("out/" + name))
      return attributes[.modificationDate] as? Date ?? .distantPast
    }
  }
}
