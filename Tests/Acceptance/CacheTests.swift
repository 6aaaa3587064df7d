import FetchPipeline
import Foundation
import PipelineTesting
import Testing

/// What is asked of an origin when answers are kept, and what a cache on disk survives. Each run has an output of its
/// own, so that no ledger answers for it.
@Suite(.serialized) struct CacheTests {
  @Test func freshAnswersAreNotAskedForAndStaleOnesOnce() async throws {
    let lab = try await Lab(pictures: 12)
    for (kind, cache, status) in [("fresh", "hit", 0), ("stale", "revalidated", 304)] {
      try lab.list(kind)
      #expect(try await lab.run(output: "\(kind)-1").status == 0)
      #expect(try lab.cacheUses(output: "\(kind)-1") == ["miss": 12])
      let asked = try lab.nginx.requests().count
      let second = try await lab.run(output: "\(kind)-2")
      #expect(second.status == 0, "\(second.errors)")
      #expect(try lab.cacheUses(output: "\(kind)-2") == [cache: 12])
      let requests = try lab.nginx.requests().dropFirst(asked)
      #expect(requests.count == (status == 0 ? 0 : 12))
      #expect(requests.allSatisfy { $0.status == status })
      #expect(try lab.folder.pictures(in: "\(kind)-1") == lab.folder.pictures(in: "\(kind)-2"))
    }
  }

  /// In one folder, where the ledger would answer: `--fresh` sets it aside and not the cache, `--revalidate` asks.
  @Test func optionsThatSetTheLedgerAsideAskNoMoreThanTheCacheMust() async throws {
    let lab = try await Lab(pictures: 12)
    for (kind, option, statuses, requests) in [
      ("fresh", "--fresh", ["ok": 12], [Int]()), ("stale", "--fresh", ["ok": 12], Array(repeating: 304, count: 12)),
      ("stale", "--revalidate", ["skipped": 12], Array(repeating: 304, count: 12)),
    ] {
      try lab.list(kind)
      let output = "\(kind)\(option)"
      #expect(try await lab.run(output: output).status == 0)
      let first = try lab.folder.pictures(in: output)
      let asked = try lab.nginx.requests().count
      let second = try await BuiltProgram.run(["run", "\(output).json", option], in: lab.folder)
      #expect(second.status == 0, "\(second.errors)")
      #expect(try lab.nginx.requests().dropFirst(asked).map(\.status) == requests, "\(output)")
      #expect(try Report(lab.folder, "\(output)/report.jsonl").statuses == statuses, "\(output)")
      #expect(try lab.folder.pictures(in: output) == first)
    }
  }

  @Test func aTierInMemoryServesTheSame() async throws {
    let lab = try await Lab(pictures: 6)
    try lab.list("fresh")
    #expect(try await lab.run(output: "first", cache: "['memory', 'disk']").status == 0)
    #expect(try await lab.run(output: "second", cache: "['memory', 'disk']").status == 0)
    #expect(try lab.cacheUses(output: "second") == ["hit": 6])
    #expect(try await lab.run(output: "third", cache: "[]").status == 0)
    #expect(try lab.nginx.requests().count == 12)
    #expect(try lab.folder.pictures(in: "first") == lab.folder.pictures(in: "third"))
  }

  /// Public reports: an original on disk was downloaded again for a second size.
  @Test func aChangedRecipeIsMadeFromStoredBytesHoweverOld() async throws {
    let lab = try await Lab(pictures: 8)
    try lab.list("stale")
    #expect(try await lab.run(output: "out").status == 0)
    let asked = try lab.nginx.requests().count
    let remake = try await lab.run(output: "out", more: "transform: {use: 'resize', width: 32, height: 32}")
    #expect(remake.status == 0, "\(remake.errors)")
    #expect(try lab.nginx.requests().count == asked)
    #expect(try lab.cacheUses(output: "out") == ["stale": 8])
    for line in try Report(lab.folder, "out/report.jsonl").lines {
      guard case .array(let outputs)? = line["outputs"], case .object(let output)? = outputs.first else {
        Issue.record("no output")
        continue
      }
      #expect(max(output.integer("width") ?? 0, output.integer("height") ?? 0) == 32)
    }
  }

  @Test func whatMustNotBeStoredIsNot() async throws {
    let lab = try await Lab(pictures: 4)
    try lab.list("nostore")
    #expect(try await lab.run(output: "first").status == 0)
    #expect(try await lab.run(output: "second").status == 0)
    #expect(try lab.cacheUses(output: "second") == ["miss": 4])
    #expect(try lab.nginx.requests().map(\.status) == Array(repeating: 200, count: 8))
    #expect(try await lab.cacheCommand("stats").output.contains("answers   0,"))
  }

  /// Public reports: a partial body was cached as complete.
  @Test func aBodyThatWasCutIsNotStored() async throws {
    let lab = try await Lab(pictures: 1)
    let picture = try lab.folder.read("origin/" + lab.names[0])
    let headers = [("Cache-Control", "max-age=3600")]
    let origin = try ScriptedOrigin()
    origin.on("/cut", .cut(picture, after: picture.count / 2, headers: headers))
    origin.on("/chunks", .chunked([Array(picture.prefix(3000))], headers: headers, isComplete: false))
    origin.on("/close", .closeDelimited(Array(picture.prefix(picture.count / 2)), headers: headers))
    let urls = ["/cut", "/chunks", "/close"].map { origin.url($0) }
    try lab.folder.write(urls.joined(separator: "\n"), to: "urls.txt")
    #expect(try await lab.run(output: "first", retry: false).status == 1)
    #expect(try await lab.cacheCommand("stats").output.contains("answers   0,"))
    for path in ["/cut", "/chunks", "/close"] { origin.on(path, .response(headers: headers, body: picture)) }
    let second = try await lab.run(output: "second", retry: false)
    #expect(second.status == 0, "\(second.errors)")
    #expect(try lab.cacheUses(output: "second") == ["miss": 3])
  }

  @Test func signedURLsShareAnAnswer() async throws {
    let lab = try await Lab(pictures: 1)
    for (run, cache) in [("one", "miss"), ("two", "hit")] {
      try lab.folder.write(lab.nginx.url("fresh/\(lab.names[0])?w=1&sig=\(run)"), to: "urls.txt")
      #expect(try await lab.run(output: run, cache: "{use: 'disk', key: {dropQuery: ['sig']}}").status == 0)
      #expect(try lab.cacheUses(output: run) == [cache: 1])
    }
    #expect(try lab.nginx.requests().count == 1)
  }

  @Test func twoRunsShareAFolderAtTheSameTime() async throws {
    let lab = try await Lab(pictures: 60)
    try lab.list("fresh", copies: 4)
    try lab.configure(output: "one")
    try lab.configure(output: "two")
    let first = try BuiltProgram.start(["run", "one.json"], in: lab.folder)
    let second = try BuiltProgram.start(["run", "two.json"], in: lab.folder)
    for program in [first, second] {
      let outcome = try await program.wait(limit: .seconds(90))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(!outcome.errors.contains("note:"), "\(outcome.errors)")
    }
    #expect(try lab.folder.pictures(in: "one") == lab.folder.pictures(in: "two"))
    let asked = try lab.nginx.requests().count
    #expect(try await lab.run(output: "three").status == 0)
    #expect(try lab.nginx.requests().count == asked)
    #expect(try lab.cacheUses(output: "three") == ["hit": 240])
    let prune = try await lab.cacheCommand("prune")
    #expect(prune.output.contains("removed 0 answers (0 bytes) and 0 stray files"), "\(prune.output)")
  }

  @Test func aKillLeavesACacheThatWorks() async throws {
    let lab = try await Lab(pictures: 60)
    try lab.list("fresh", copies: 5)
    for kill in 0..<6 {
      try lab.configure(output: "killed-\(kill)")
      let program = try BuiltProgram.start(["run", "killed-\(kill).json"], in: lab.folder)
      // Not before it has stored something, however slow the machine is.
      let report = "killed-\(kill)/report.jsonl"
      for _ in 0..<6000 {
        if lab.folder.exists(report), try !lab.folder.read(report).isEmpty { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
      program.send(SIGKILL)
      _ = try await program.wait(limit: .seconds(10))
    }
    let last = try await lab.run(output: "last")
    #expect(last.status == 0, "\(last.errors)")
    #expect(!last.errors.contains("note:"), "\(last.errors)")
    // What the dead had stored is used, whole, and what they had not finished is gone.
    #expect((try lab.cacheUses(output: "last")["hit"] ?? 0) > 0)
    let undisturbed = try await lab.run(output: "undisturbed", cache: "[]")
    #expect(undisturbed.status == 0)
    #expect(try lab.folder.pictures(in: "last") == lab.folder.pictures(in: "undisturbed"))
    let prune = try await lab.cacheCommand("prune")
    #expect(prune.output.contains("removed 0 answers (0 bytes) and 0 stray files"), "\(prune.output)")
  }

  @Test func aDamagedIndexIsSetAside() async throws {
    let lab = try await Lab(pictures: 5)
    try lab.list("fresh")
    #expect(try await lab.run(output: "first").status == 0)
    try lab.folder.write([UInt8](repeating: 0x5a, count: 50_000), to: "caches/pipeline/index.sqlite")
    let second = try await lab.run(output: "second")
    #expect(second.status == 0)
    #expect(second.errors.components(separatedBy: "started anew").count == 2, "\(second.errors)")
    #expect(try lab.cacheUses(output: "second") == ["miss": 5])
    #expect(try await lab.run(output: "third").status == 0)
    #expect(try lab.cacheUses(output: "third") == ["hit": 5])
    #expect(lab.folder.exists("caches/pipeline/index.sqlite.damaged-1"))
    #expect(try await lab.cacheCommand("prune").output.contains("1 stray file"))
    #expect(!lab.folder.exists("caches/pipeline/index.sqlite.damaged-1"))
  }

  @Test func aCacheThatCannotBeWrittenCostsAWarning() async throws {
    let lab = try await Lab(pictures: 20)
    try lab.list("fresh")
    try lab.folder.write("a file", to: "in-the-way")
    let outcome = try await lab.run(output: "out", cache: "{use: 'disk', path: 'in-the-way/cache'}")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.components(separatedBy: "the cache does not work").count == 2, "\(outcome.errors)")
    #expect(try Report(lab.folder, "out/report.jsonl").statuses == ["ok": 20])
  }

  @Test func theCommandShowsTidiesAndEmpties() async throws {
    let lab = try await Lab(pictures: 10)
    try lab.list("fresh")
    let before = try await lab.cacheCommand("stats")
    #expect(before.status == 0, "\(before.errors)")
    #expect(before.output.contains("answers   0, 0 of them fresh"))
    // Looking makes nothing.
    #expect(!lab.folder.exists("caches"))
    #expect(try await lab.run(output: "out").status == 0)
    let stats = try await lab.cacheCommand("stats")
    #expect(stats.output.contains(lab.folder.path("caches/pipeline")))
    #expect(stats.output.contains("answers   10, 10 of them fresh"), "\(stats.output)")
    #expect(stats.output.contains("of 1 GB"), "\(stats.output)")
    #expect(stats.output.contains("last use  from 20"), "\(stats.output)")
    let clear = try await lab.cacheCommand("clear")
    #expect(clear.status == 0)
    #expect(clear.output.contains("removed 10 answers"), "\(clear.output)")
    #expect(try await lab.cacheCommand("stats").output.contains("answers   0,"))
    let mistake = try await lab.cacheCommand("stat")
    #expect(mistake.status == 2)
    #expect(mistake.errors.contains("did you mean \"stats\"?"), "\(mistake.errors)")
  }

  /// Pictures behind a server that says in several ways how long they are fresh.
  private struct Lab {
    let folder: WorkingFolder
    let nginx: NginxOrigin
    let names: [String]

    init(pictures: Int) async throws {
      folder = try WorkingFolder()
      try Python.makePictures(in: folder.path("origin"), "mixed \(pictures)")
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).sorted()
      let root = folder.path("origin")
      nginx = try await NginxOrigin(
        folder,
        locations: """
          location /fresh/ { alias \(root)/; add_header Cache-Control "max-age=3600"; }
          location /stale/ { alias \(root)/; add_header Cache-Control "max-age=0"; }
          location /nostore/ { alias \(root)/; add_header Cache-Control "no-store"; }
          """)
    }

    /// Writes the list of all pictures.
    func list(_ kind: String, copies: Int = 1) throws {
      let urls = (0..<copies).flatMap { copy in names.map { nginx.url("\(kind)/\($0)?copy=\(copy)") } }
      try folder.write(urls.joined(separator: "\n"), to: "urls.txt")
    }

    func configure(output: String, cache: String? = nil, more: String? = nil, retry: Bool = true) throws {
      try folder.write(
        """
        {input: "urls.txt", transport: {use: "curl", allowHosts: ["127.0.0.1"]\(retry ? "" : ", retry: {attempts: 1}")},
         \(cache.map { "cache: \($0), " } ?? "")\(more.map { "\($0), " } ?? "")output: "\(output)"}
        """, to: "\(output).json")
    }

    /// Runs with an output of that name; the configuration has it too.
    func run(
      output: String, cache: String? = nil, more: String? = nil, retry: Bool = true
    ) async throws -> BuiltProgram.Outcome {
      try configure(output: output, cache: cache, more: more, retry: retry)
      return try await BuiltProgram.run(["run", "\(output).json"], in: folder)
    }

    /// `pipeline cache`, for the cache that is used by default.
    func cacheCommand(_ action: String) async throws -> BuiltProgram.Outcome {
      try configure(output: "none")
      return try await BuiltProgram.run(["cache", action, "none.json"], in: folder)
    }

    /// How often each `http.cache` is in a report.
    func cacheUses(output: String) throws -> [String: Int] {
      let uses = try Report(folder, "\(output)/report.jsonl").lines.compactMap { $0.object("http")?.text("cache") }
      return Dictionary(uses.map { ($0, 1) }, uniquingKeysWith: +)
    }
  }
}
