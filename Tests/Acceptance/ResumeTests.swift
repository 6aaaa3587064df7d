import FetchPipeline
import Foundation
import Testing

/// A run that is killed at any moment goes on where it was.
@Suite(.serialized) struct ResumeTests {
  @Test func tenKillsAndALastRunMakeWhatAnUndisturbedRunMakes() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 60")
    let nginx = try await NginxOrigin(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).sorted()
    let urls = (0..<50).flatMap { copy in names.map { nginx.url("\($0)?copy=\(copy)") } }
    try folder.write(urls.joined(separator: "\n"), to: "urls.txt")
    for output in ["killed", "undisturbed"] {
      try folder.write(
        """
        {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]},
         output: {use: "directory", path: "\(output)", name: "{name}-{hash}.{ext}"}}
        """, to: "\(output).json")
    }

    var random = SystemRandomNumberGenerator()
    var reported: Set<String> = []
    var asked = 0
    var kills = 0
    while kills < 10 {
      let program = try BuiltProgram.start(["run", "killed.json"], in: folder)
      try await Task.sleep(for: .milliseconds(Int.random(in: 20...250, using: &random)))
      program.send(SIGKILL)
      let outcome = try await program.wait(limit: .seconds(10))
      kills += 1
      // What was reported before is not asked for again.
      let requests = try nginx.requests()
      let again = requests.dropFirst(asked).map(\.target).filter(reported.contains)
      #expect(again.isEmpty, "asked for again after kill \(kills): \(again.prefix(3))")
      asked = requests.count
      if folder.exists("killed/report.jsonl") {
        // The last line may be cut by the kill.
        for line in try folder.lines("killed/report.jsonl") {
          guard case .object(let object)? = try? JSONReader.value(of: Array(line.utf8)), let url = object.text("url"),
            let target = URL(string: url)
          else { continue }
          reported.insert(target.path + "?" + (target.query ?? ""))
        }
      }
      #expect(outcome.status < 0, "it was done before it could be killed: the list is too short")
    }

    let last = try await BuiltProgram.run(["run", "killed.json"], in: folder)
    #expect(last.status == 0, "\(last.errors)")
    let again = try nginx.requests().dropFirst(asked).map(\.target).filter(reported.contains)
    #expect(again.isEmpty)
    let undisturbed = try await BuiltProgram.run(["run", "undisturbed.json"], in: folder)
    #expect(undisturbed.status == 0, "\(undisturbed.errors)")

    let first = try folder.pictures(in: "killed")
    let second = try folder.pictures(in: "undisturbed")
    #expect(second.count == urls.count)
    #expect(first.keys.sorted() == second.keys.sorted())
    #expect(first == second)
    let leftovers = FileManager.default.enumerator(atPath: folder.path("killed/.pipeline.tmp"))?.allObjects ?? []
    #expect(leftovers.isEmpty)
    let report = try Report(folder, "killed/report.jsonl")
    #expect(report.lines.count == urls.count)
  }

  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func anInterruptedRunEndsInOrder(signal: Int32, status: Int32) async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 30")
    let nginx = try await NginxOrigin(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).sorted()
    let urls = (0..<100).flatMap { copy in names.map { nginx.url("\($0)?copy=\(copy)") } }
    try folder.write(urls.joined(separator: "\n"), to: "urls.txt")
    try folder.write(
      """
      {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]},
       output: {use: "directory", path: "thumbnails", name: "{name}-{hash}.{ext}"}}
      """, to: "config.json")
    let program = try BuiltProgram.start(["run", "config.json"], in: folder)
    while !folder.exists("thumbnails/report.jsonl") { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(100))
    let start = ContinuousClock.now
    program.send(signal)
    let outcome = try await program.wait(limit: .seconds(30))
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(ContinuousClock.now - start < .seconds(10))
    // Everything that was reported is there, and the next run takes up the rest.
    let report = try Report(folder)
    #expect(report.lines.count < urls.count)
    for line in report.lines {
      guard case .array(let outputs)? = line["outputs"], case .object(let output)? = outputs.first,
        let path = output.text("path")
      else {
        Issue.record("a line without output")
        continue
      }
      #expect(folder.exists("thumbnails/" + path))
    }
    let asked = try nginx.requests().count
    let rest = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(rest.status == 0, "\(rest.errors)")
    let statuses = try Report(folder).statuses
    #expect((statuses["skipped"] ?? 0) >= report.lines.count)
    #expect(try nginx.requests().count - asked == statuses["ok"])
  }

  @Test func aSecondRunInOneFolderIsRefused() async throws {
    let folder = try WorkingFolder()
    let origin = try await NginxOrigin(
      folder, locations: "location /slow { limit_rate 1; root \(folder.path("origin")); }")
    try folder.write([UInt8](repeating: 0, count: 100_000), to: "origin/slow/a.jpg")
    try folder.write(origin.url("slow/a.jpg"), to: "urls.txt")
    try folder.write(
      #"{input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]}}"#, to: "config.json")
    let first = try BuiltProgram.start(["run", "config.json"], in: folder)
    while !folder.exists("thumbnails/report.jsonl") { try await Task.sleep(for: .milliseconds(5)) }
    let second = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(second.status == 2)
    #expect(second.errors.contains("\(first.pid)"), "\(second.errors)")
    first.send(SIGKILL)
    _ = try await first.wait(limit: .seconds(10))
  }
}
