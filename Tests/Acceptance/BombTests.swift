import FetchPipeline
import Testing

/// Small files that claim, or unpack to, something huge: each costs next to nothing.
struct BombTests {
  @Test func bombsCostNextToNothing() async throws {
    let folder = try WorkingFolder()
    _ = try await Python.runLong("make_bombs.py", [folder.path("files")])
    let idle = try await cost(of: "tiny.png", in: folder)
    #expect(idle.code == nil && idle.flags == [])
    let expected: [(file: String, code: String?, flags: [String])] = [
      ("claims.jpg", "too-many-pixels", []), ("claims.png", "too-many-pixels", []), ("scans.jpg", "too-many-scans", []),
      ("text.png", nil, []), ("late-text.png", nil, []), ("profile.png", nil, ["icc-invalid", "tolerated"]),
    ]
    for bomb in expected {
      let seen = try await cost(of: bomb.file, in: folder)
      #expect(seen.code == bomb.code, "\(bomb.file)")
      #expect(seen.flags.sorted() == bomb.flags, "\(bomb.file)")
      #expect(seen.memory < idle.memory + 32 << 20, "\(bomb.file): \(seen.memory), idle \(idle.memory)")
      #expect(seen.seconds < idle.seconds + 0.05, "\(bomb.file): \(seen.seconds), idle \(idle.seconds)")
    }
  }

  /// The least of three runs: another program's work makes one slower.
  private func cost(
    of file: String, in folder: WorkingFolder
  ) async throws -> (code: String?, flags: [String], memory: Int, seconds: Double) {
    try folder.write("files/\(file)", to: "list.txt")
    var (memory, seconds) = (Int.max, Double.infinity)
    for run in 0..<3 {
      try folder.write(
        """
        {input: {use: "list", path: "list.txt"}, cache: [],
         output: {use: "directory", path: "\(file)-\(run)", name: "{id}.{ext}"}}
        """, to: "config.json")
      let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
      memory = min(memory, outcome.peakMemory)
      seconds = min(seconds, outcome.cpuTime)
    }
    let report = try Report(folder, "\(file)-0/report.jsonl")
    return (report.code("1"), report["1"]?.texts("flags") ?? [], memory, seconds)
  }
}
