import FetchPipeline
import Foundation
import Testing

/// A thousand pictures of all kinds over a real server.
@Suite(.serialized) struct BatchTests {
  @Test func everyRowIsReportedAndEveryURLAskedForOnce() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 250", "odd")
    let nginx = try await NginxOrigin(folder)
    // 750 URLs, a third of them twice: some right behind the first, some far apart.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).filter { $0.hasPrefix("0") }
    let urls = names.sorted().flatMap { name in (0..<3).map { nginx.url("\(name)?copy=\($0)") } }
    #expect(urls.count == 750)
    var rows: [String] = []
    for (index, url) in urls.enumerated() {
      rows.append(url)
      if index % 6 == 0 { rows.append(url) }
    }
    rows += urls.indices.filter { $0 % 6 == 3 }.map { urls[$0] }
    rows = Array(rows.prefix(994))
    rows += ["missing.jpg", "page.jpg", "empty.jpg", "truncated.jpg", "huge-header.jpg", "good.jpg"].map(nginx.url)
    try folder.write(rows.joined(separator: "\n"), to: "urls.txt")
    try folder.write(
      """
      {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"], connectionsPerHost: 5},
       output: {use: "directory", path: "thumbnails", name: "{name}-{hash}.{ext}"}}
      """, to: "config.json")

    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 1, "\(outcome.errors)")
    let report = try Report(folder)
    #expect(report.lines.count == rows.count)
    #expect(rows.count == 1000)
    #expect(report.statuses == ["ok": 995, "failed": 5])
    #expect(Set(report.lines.compactMap { $0.text("id") }) == Set((1...1000).map(String.init)))
    #expect(report.code("995") == "http-status")
    #expect(report.code("996") == "not-an-image")
    #expect(report.code("997") == "not-an-image")
    #expect(report.code("998") == "truncated")
    #expect(report.code("999") == "too-many-pixels")

    let requests = try nginx.requests()
    let counts = Dictionary(requests.map { ($0.target, 1) }, uniquingKeysWith: +)
    #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts.filter { $0.value > 1 })")
    #expect(counts.count == Set(rows).count)
    // Never more connections than allowed, and so none opened anew: every exchange here is read to its end.
    #expect(Set(requests.map(\.connection)).count <= 5)

    // Each file is whole and of the size that the contract's formula gives.
    for line in report.lines where line.text("status") == "ok" {
      guard let source = line.object("source"), case .array(let outputs)? = line["outputs"],
        case .object(let output)? = outputs.first, let path = output.text("path"),
        let w = source.integer("width"), let h = source.integer("height")
      else {
        Issue.record("no source or output: \(JSONValue.object(line).compactText)")
        continue
      }
      let scale = min(256.0 / Double(max(w, h)), 1)
      #expect(output.integer("width") == max(Int((Double(w) * scale).rounded()), 1))
      #expect(output.integer("height") == max(Int((Double(h) * scale).rounded()), 1))
      #expect(try folder.read("thumbnails/" + path).count == output.integer("bytes"))
    }

    // What several rows share is counted once.
    let sizes = report.lines.map { ($0.text("url") ?? "", $0.object("source")?.integer("bytes") ?? 0) }
    guard case .object(let summary) = try JSONReader.value(of: folder.read("thumbnails/summary.json")) else {
      Issue.record("the summary is no object")
      return
    }
    #expect(
      summary.object("bytes")?.integer("in")
        == Dictionary(sizes, uniquingKeysWith: { first, _ in first }).values.reduce(0, +))

    // What another program says of the report.
    let schema = try await BuiltProgram.run(["schema", "--report"], in: folder)
    try folder.write(schema.output, to: "schema.json")
    let validated = try Python.run(
      "validate_report.py", [folder.path("schema.json"), folder.path("thumbnails/report.jsonl")])
    #expect(validated == "1000\n")

    // Again: nothing is asked for, failures are remembered.
    let again = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(again.status == 1)
    #expect(try nginx.requests().count == requests.count)
    #expect(try Report(folder).statuses == ["skipped": 995, "failed": 5])
    #expect(try Report(folder).code("998") == "truncated")
  }

  @Test func rowsOfOneURLHaveFilesOfTheirOwnWhereTheNameSaysSo() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "odd")
    let nginx = try await NginxOrigin(folder)
    try folder.write(Array(repeating: nginx.url("good.jpg"), count: 5).joined(separator: "\n"), to: "urls.txt")
    try folder.write(
      """
      {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]},
       output: {use: "directory", path: "thumbnails", name: "{id}.{ext}"}}
      """, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try nginx.requests().count == 1)
    let pictures = try folder.pictures(in: "thumbnails")
    #expect(pictures.keys.sorted() == ["1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg"])
    #expect(Set(pictures.values).count == 1)
    #expect(try Report(folder).statuses == ["ok": 5])
  }
}
