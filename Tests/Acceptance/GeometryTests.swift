import FetchPipeline
import Testing

/// The right way up, and the right size, as another decoder sees it.
struct GeometryTests {
  @Test func allOrientationsComeOutUpright() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "corners")
    let nginx = try await NginxOrigin(folder)
    try folder.write((1...8).map { nginx.url("corners-\($0).jpg") }.joined(separator: "\n"), to: "urls.txt")
    try folder.write(Self.configuration, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try Report(folder)
    // 640×400 as displayed, into 256×256.
    let corners: [[Double]] = [[220, 40, 40], [40, 200, 60], [50, 70, 230], [240, 220, 60]]
    for seen in try Python.measure((1...8).map { folder.path("thumbnails/\($0).jpg") }) {
      #expect((seen.width, seen.height) == (256, 160), "\(seen.path)")
      #expect(seen.orientation == 1)
      for (cell, corner) in zip(seen.cells, corners) {
        for channel in 0..<3 { #expect(abs(cell[channel] - corner[channel]) < 6, "\(seen.path) \(cell) \(corner)") }
      }
    }
    for orientation in 1...8 {
      let source = report["\(orientation)"]?.object("source")
      #expect(source?.integer("orientation") == orientation)
      #expect(source?.integer("width") == 640 && source?.integer("height") == 400)
    }
  }

  /// Sizes by the formula of "inside" for 256×256, worked out by hand.
  @Test(arguments: ["jpg", "png", "webp"]) func oddSizes(format: String) async throws {
    let expected = [
      "1x1": (1, 1), "1x5000": (1, 256), "5000x1": (256, 1), "257x255": (256, 254), "256x256": (256, 256),
      "300x100": (256, 85), "2x9000": (1, 256), "640x479": (256, 192),
    ]
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "sizes")
    let nginx = try await NginxOrigin(folder)
    let names = expected.keys.sorted()
    let rows = names.map { #"{"id": "\#($0)", "url": "\#(nginx.url("\($0).\(format)"))"}"# }
    try folder.write(rows.joined(separator: "\n"), to: "rows.jsonl")
    try folder.write(Self.configuration.replacing("urls.txt", with: "rows.jsonl"), to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try Report(folder)
    let seen = try Python.measure(names.map { folder.path("thumbnails/\($0).jpg") })
    for (name, picture) in zip(names, seen) {
      guard let size = expected[name] else { continue }
      #expect((picture.width, picture.height) == size, "\(name)")
      #expect(report.output(name)?.integer("width") == size.0)
      #expect(report.output(name)?.integer("height") == size.1)
    }
    // A gradient from left to right in red, from top to bottom in green: it must not be turned, cut or shifted.
    for (name, picture) in zip(names, seen) where name == "257x255" || name == "640x479" {
      let red = (picture.cells[0][0], picture.cells[1][0])
      let green = (picture.cells[0][1], picture.cells[2][1])
      #expect(abs(red.0 - 63.5) < 3 && abs(red.1 - 191.5) < 3, "\(name) \(picture.cells)")
      #expect(abs(green.0 - 63.5) < 3 && abs(green.1 - 191.5) < 3, "\(name) \(picture.cells)")
    }
  }

  @Test func transparencyStaysAndOpaquePicturesBecomeJPEG() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 6")
    let nginx = try await NginxOrigin(folder)
    try folder.write(
      ["0002.png", "0003.png"].map(nginx.url).joined(separator: "\n"), to: "urls.txt")
    try folder.write(Self.configuration, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try Report(folder)
    #expect(report.output("1")?.text("path") == "1.jpg")
    #expect(report.output("2")?.text("path") == "2.png")
    #expect(try Python.measure([folder.path("thumbnails/2.png")]).first?.format == "PNG")
  }

  private static let configuration = """
    {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]},
     encode: {use: "auto", quality: 92},
     output: {use: "directory", path: "thumbnails", name: "{id}.{ext}"}}
    """
}
