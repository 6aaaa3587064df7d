import FetchPipeline
import Testing

/// Colours by profiles, against the program of Little CMS itself.
struct ProfileTests {
  /// Flat patches of four wide or odd gamuts, of grey and of inks; in PNG, JPEG and WebP, with alpha and in 16 bits.
  @Test func flatPatchesAreWhatTransiccSays() async throws {
    let folder = try WorkingFolder()
    _ = try await Python.runLong("profile_patches.py", ["make", folder.path("files")])
    let files = try folder.lines("files/patches.jsonl").map { line -> String in
      guard case .object(let object) = try JSONReader.value(of: Array(line.utf8)) else { return "" }
      return object.text("file") ?? ""
    }
    #expect(files.count >= 28)
    try folder.write(
      files.map { #"{"id": "\#($0)", "url": "files/\#($0)"}"# }.joined(separator: "\n"), to: "rows.jsonl")
    try folder.write(Self.configuration, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let compared = try await Python.runLong(
      "profile_patches.py", ["compare", folder.path("files"), folder.path("out")]
    )
    .split(separator: "\n").compactMap { line -> JSONObject? in
      if case .object(let object) = try JSONReader.value(of: Array(line.utf8)) { object } else { nil }
    }
    #expect(compared.count == files.count)
    for line in compared {
      let file = line.text("file") ?? ""
      // A JPEG has lost something before it comes here, which a wide gamut magnifies.
      let tolerance = file.hasSuffix(".jpg") ? 5.0 : 2.0
      for (rendition, limit) in [("png", tolerance), ("jpeg", tolerance + 3), ("webp", tolerance + 3)] {
        guard case .number(let number)? = line[rendition] else { continue }
        #expect(Double(number.text) ?? 255 <= limit, "\(file) as \(rendition)")
      }
    }
    let report = try Report(folder, "out/report.jsonl")
    for line in report.lines { #expect(line.texts("flags").contains("icc-converted"), "\(line.text("id") ?? "")") }
  }

  private static let configuration = """
    {input: {use: "list", path: "rows.jsonl", schemes: ["path"]}, cache: [],
     renditions: [
       {name: "png", transform: [{use: "resize", width: 500, height: 500}], encode: "png"},
       {name: "jpeg", transform: [{use: "resize", width: 500, height: 500}],
        encode: {use: "jpeg", quality: 100, subsampling: "4:4:4"}},
       {name: "webp", transform: [{use: "resize", width: 500, height: 500}], encode: {use: "webp", quality: 100}}],
     output: {use: "directory", path: "out", name: "{id}{rendition}.{ext}"}}
    """
}
