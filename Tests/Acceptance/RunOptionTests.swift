import FetchPipeline
import Foundation
import Testing

/// The options of a run that choose rows, and what is done about what is known.
struct RunOptionTests {
  private let folder: WorkingFolder
  private let nginx: NginxOrigin

  init() async throws {
    folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 6")
    nginx = try await NginxOrigin(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).sorted()
    let urls = names.map(nginx.url) + [nginx.url("gone.jpg"), "http://10.0.0.1/private.jpg"]
    try folder.write(urls.joined(separator: "\n"), to: "urls.txt")
    try folder.write(
      #"{input: "urls.txt", cache: [], transport: {allowHosts: ["127.0.0.1"]}}"#, to: "config.json")
  }

  private func run(_ options: String...) async throws -> BuiltProgram.Outcome {
    try await BuiltProgram.run(["run", "config.json"] + options, in: folder)
  }

  /// Every file of the folder with its time of change, but for what this test writes.
  private func snapshot() throws -> [String: Date] {
    var files: [String: Date] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: folder.path("thumbnails"))
      ?? FileManager.DirectoryEnumerator()
    {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("thumbnails/\(name)"))
      files[name] = attributes[.modificationDate] as? Date
    }
    return files
  }

  @Test func aDryRunSaysWhatWouldBeDoneAndWritesNothing() async throws {
    let first = try await run("--dry-run")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.errors.hasPrefix("8 rows: 8 would be made, 0 skipped\n"), "\(first.errors)")
    #expect(!folder.exists("thumbnails"))
    #expect(try nginx.requests().isEmpty)

    #expect(try await run().status == 1)
    let (files, asked) = (try snapshot(), try nginx.requests().count)
    let second = try await run("--dry-run")
    #expect(
      second.errors.hasPrefix("8 rows: 0 would be made, 6 skipped, 2 are remembered to fail\n"), "\(second.errors)")
    #expect(try snapshot() == files)
    #expect(try nginx.requests().count == asked)

    try folder.write(
      #"{input: "urls.txt", cache: [], transport: {allowHosts: ["127.0.0.1"]}, transform: {use: "resize", width: 9}}"#,
      to: "config.json")
    let third = try await run("--dry-run")
    #expect(third.errors.hasPrefix("8 rows: 2 would be made, 6 remade, 0 skipped\n"), "\(third.errors)")
    #expect(try snapshot() == files)
  }

  @Test func aLimitCountsWhatIsTried() async throws {
    #expect(try await run("--limit", "2").status == 0)
    #expect(try Report(folder).statuses == ["ok": 2])
    #expect(try await run("--limit=3").status == 0)
    #expect(try Report(folder).statuses["ok"] == 3)
    #expect(try nginx.requests().count == 5)
  }

  @Test func aLimitCountsRowsThatRepeatOthersToo() async throws {
    let urls = try String(contentsOfFile: folder.path("urls.txt"), encoding: .utf8).split(separator: "\n")
    try folder.write(urls.flatMap { [$0, $0, $0] }.joined(separator: "\n"), to: "urls.txt")
    #expect(try await run("--limit", "4").status == 0)
    #expect(try Report(folder).statuses.values.reduce(0, +) == 4)
  }

  @Test func failuresAreTriedAgainAsIsAsked() async throws {
    func asked(_ options: String...) async throws -> Int {
      let before = try nginx.requests().count
      _ = try await BuiltProgram.run(["run", "config.json"] + options, in: folder)
      return try nginx.requests().count - before
    }
    #expect(try await asked() == 7)
    #expect(try await asked() == 0)
    #expect(try await asked("--retry-failed", "none") == 0)
    #expect(try await asked("--retry-failed", "all") == 1)
    #expect(try await asked("--fresh") == 6 + 1)
    #expect(try Report(folder).statuses == ["ok": 6, "failed": 2])
  }

  @Test func sharesTakeEachRowOnceAndKeepHostsTogether() async throws {
    let hosts = (0..<30).map { "host\($0).invalid" }
    let urls = hosts.flatMap { host in (0..<4).map { "http://\(host)/\($0).jpg" } }
    try folder.write(urls.joined(separator: "\n"), to: "urls.txt")
    for grouping in ["host", "item"] {
      var seen: [String: Int] = [:]
      var shares: [String: Set<Int>] = [:]
      for share in 0..<3 {
        let outcome = try await run("--shard", "\(share)/3", "--shard-by", grouping, "--output", grouping, "-q")
        #expect(outcome.status == 1, "\(outcome.errors)")
        for line in try Report(folder, "\(grouping)/report-\(share)-of-3.jsonl").lines {
          let url = try #require(line.text("url"))
          seen[url, default: 0] += 1
          shares[try #require(URL(string: url)?.host), default: []].insert(share)
        }
      }
      #expect(seen.count == urls.count)
      #expect(seen.values.allSatisfy { $0 == 1 })
      #expect(shares.values.allSatisfy { $0.count == 1 } == (grouping == "host"))
      #expect(!folder.exists("\(grouping)/report.jsonl"))
      for name in (0..<3).flatMap({ [".pipeline-\($0)-of-3.sqlite", ".pipeline-\($0)-of-3.lock"] }) {
        #expect(folder.exists("\(grouping)/\(name)"))
      }
    }
  }

  @Test func progressForProgramsIsOneObjectALineAndTheLastIsFinal() async throws {
    let outcome = try await run("--progress", "json")
    let lines = outcome.errors.split(separator: "\n")
    let objects = try lines.map { try JSONReader.value(of: Array($0.utf8)) }
    guard case .object(let last)? = objects.last else {
      Issue.record("no object: \(outcome.errors)")
      return
    }
    #expect(last["final"] == true)
    #expect(last["done"] == 8)
    #expect(last["total"] == 8)
    #expect(last["failed"] == 2)
    #expect(last["inFlight"] == 0)
  }
}
