import FetchPipeline
import Foundation
import Testing

/// One list in every form in which lists come: the rows are the same, and so is what becomes of them.
@Suite struct ListFormTests {
  private static let count = 5000

  /// What a list of any form has to say of a row.
  private struct Row: Equatable {
    let url: String
    let status: String
    let code: String?
    let path: String?
  }

  @Test func theSameRowsInEveryForm() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "tiny 100", "odd")
    let nginx = try await NginxOrigin(folder)
    let urls = (0..<Self.count).map { row -> String in
      switch row % 50 {
      case 7: nginx.url("missing.jpg?row=\(row)&a=b,c;d")
      case 13: nginx.url("page.jpg?row=\(row)")
      case 21: "http://exa mple/\(row)"
      case 34: "gopher://a.example/\(row)"
      default: nginx.url("tiny-0000\(row % 10)\(row / 10 % 10).jpg?row=\(row)")
      }
    }
    try folder.write(urls.joined(separator: "\n"), to: "list.txt")
    let quoted = urls.map { "\"\($0)\"" }
    try folder.write(
      "id,url\r\n" + quoted.enumerated().map { "\($0 + 1),\($1)" }.joined(separator: "\r\n"), to: "list.csv")
    try folder.write("url\tid\n" + urls.enumerated().map { "\($1)\t\($0 + 1)" }.joined(separator: "\n"), to: "list.tsv")
    let objects = quoted.map { #"{"url": \#($0)}"# }
    try folder.write("[\n" + objects.joined(separator: ",\n") + "\n]", to: "list.json")
    try folder.write(objects.joined(separator: "\n") + "\n", to: "list.jsonl")
    for name in ["list.txt", "list.csv", "list.tsv", "list.json", "list.jsonl"] {
      try Self.compress(folder.path(name))
    }
    var first: [String: Row]?
    var files: [String: [UInt8]]?
    for name in ["txt", "csv", "tsv", "json", "jsonl", "txt.gz", "csv.gz", "tsv.gz", "json.gz", "jsonl.gz"] {
      try folder.write(Self.configuration(list: "list.\(name)", output: "out"), to: "config.json")
      let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
      #expect(outcome.status == 1, "\(name): \(outcome.errors)")
      let (rows, pictures) = (try Self.rows(folder), try folder.pictures(in: "out"))
      #expect(rows.count == Self.count)
      if let first, let files {
        #expect(rows == first, "\(name)")
        #expect(pictures == files, "\(name)")
      } else {
        (first, files) = (rows, pictures)
        #expect(rows["8"]?.code == "http-status" && rows["14"]?.code == "not-an-image")
        #expect(rows["22"]?.code == "invalid-input" && rows["35"]?.code == "unsupported-scheme")
        #expect(rows.values.filter { $0.status == "ok" }.count == Self.count * 46 / 50)
      }
      try FileManager.default.removeItem(atPath: folder.path("out"))
    }
    // On standard input, of which no name says the form.
    for name in ["list.txt", "list.jsonl.gz"] {
      try folder.write(Self.configuration(list: "-", output: "out"), to: "config.json")
      let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder, input: folder.path(name))
      #expect(outcome.status == 1, "\(name): \(outcome.errors)")
      #expect(try Self.rows(folder) == first, "standard input, \(name)")
      try FileManager.default.removeItem(atPath: folder.path("out"))
    }
  }

  private static func configuration(list: String, output: String) -> String {
    """
    {input: {use: "list", path: "\(list)"}, cache: [], transform: [{use: "resize", width: 16}],
     transport: {use: "curl", allowHosts: ["127.0.0.1"], connectionsPerHost: 16},
     output: {use: "directory", path: "\(output)", name: "{id}-{hash}.{ext}", durability: "none"}}
    """
  }

  private static func rows(_ folder: WorkingFolder) throws -> [String: Row] {
    let report = try Report(folder, "out/report.jsonl")
    var rows: [String: Row] = [:]
    for line in report.lines {
      guard let id = line.text("id"), let url = line.text("url"), let status = line.text("status") else { continue }
      var path: String?
      if case .array(let outputs)? = line["outputs"], case .object(let output)? = outputs.first {
        path = output.text("path")
      }
      rows[id] = Row(url: url, status: status, code: line.object("error")?.text("code"), path: path)
    }
    return rows
  }

  private static func compress(_ path: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/gzip")
    process.arguments = ["-kf", path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
