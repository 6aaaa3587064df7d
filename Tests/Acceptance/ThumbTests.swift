import FetchPipeline
import Foundation
import Testing

/// One picture without a list.
struct ThumbTests {
  private let folder: WorkingFolder

  init() throws {
    folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 2")
  }

  private func thumb(_ arguments: String...) async throws -> BuiltProgram.Outcome {
    // A cache of its own, and no configuration.
    try await BuiltProgram.run(
      ["thumb"] + arguments, in: folder, environment: ["XDG_CACHE_HOME": folder.path("cache")])
  }

  @Test func theEndingDecidesTheFormat() async throws {
    for (name, format) in [("a.jpg", "JPEG"), ("b.png", "PNG"), ("c.webp", "WEBP"), ("d.JPEG", "JPEG")] {
      let outcome = try await thumb(
        "origin/0000.jpg", name, "--width", "40", "--height", "30", "--fit", "fill")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let picture = try #require(try Python.measure([folder.path(name)]).first)
      #expect(picture.format == format)
      #expect(picture.width == 40 && picture.height == 30)
    }
    #expect(try await thumb("origin/0000.jpg", "a.gif").status == 2)
  }

  @Test func withoutATargetTheNameIsTheSources() async throws {
    let outcome = try await thumb("origin/0000.jpg")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.exists("0000-thumb.jpg"))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.contains { $0.hasSuffix(".tmp") } && !files.contains("thumbnails"), "\(files)")
  }

  @Test func standardOutputGetsThePictureAlone() async throws {
    let outcome = try await BuiltProgram.run(
      ["thumb", "origin/0000.jpg", "-", "--width", "20"], in: folder, output: folder.path("out.jpg"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Python.measure([folder.path("out.jpg")]).first?.width == 20)
  }

  @Test func failuresHaveTheirCode() async throws {
    let missing = try await thumb("nowhere.jpg")
    #expect(missing.status == 1)
    #expect(missing.errors.hasPrefix("pipeline: not-found: "))
    try folder.write("<html>", to: "page.jpg")
    #expect(try await thumb("page.jpg").errors.hasPrefix("pipeline: not-an-image: an HTML page"))
    #expect(try await thumb("ftp://a/b.jpg").errors.hasPrefix("pipeline: unsupported-scheme: "))
    #expect(!folder.exists("page-thumb.jpg"))
  }

  @Test func privateAddressesAreRefusedUntilAllowed() async throws {
    let nginx = try await NginxOrigin(folder)
    let refused = try await thumb(nginx.url("0000.jpg"))
    #expect(refused.status == 1)
    #expect(refused.errors.contains("blocked-address") && refused.errors.contains("--allow-host"))
    #expect(try nginx.requests().isEmpty)
    let allowed = try await thumb(nginx.url("0000.jpg"), "--allow-host", "127.0.0.1")
    #expect(allowed.status == 0, "\(allowed.errors)")
  }

  @Test func aConfigurationSaysEverythingElse() async throws {
    try folder.write(
      #"{renditions: [{name: "small", transform: {use: "resize", width: 11, height: 11, fit: "fill"}, encode: "png"}, {name: "b"}]}"#,
      to: "config.json")
    let outcome = try await thumb("origin/0000.jpg", "--config", "config.json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let picture = try #require(try Python.measure([folder.path("0000-thumb.png")]).first)
    #expect(picture.width == 11 && picture.format == "PNG")
  }
}
