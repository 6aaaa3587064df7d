import FetchPipeline
import Foundation
import Testing

/// Memory that depends on neither the size of a picture nor the length of a list.
@Suite(.serialized) struct MemoryTests {
  @Test func aLargeJPEGIsNeverHeldInFull() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "large")
    let nginx = try await NginxOrigin(folder)
    let bytes = try folder.read("origin/large.jpg").count
    try folder.write("", to: "none.txt")
    try folder.write(nginx.url("large.jpg"), to: "one.txt")
    for list in ["none", "one"] {
      try folder.write(
        #"{input: "\#(list).txt", output: "\#(list)", transport: {use: "curl", allowHosts: ["127.0.0.1"]}}"#,
        to: "\(list).json")
    }
    func peak(_ output: String) throws -> Int {
      let text = String(decoding: try folder.read("\(output)/summary.json"), as: UTF8.self)
      guard case .object(let summary) = try JSONReader.value(of: Array(text.utf8)) else { return 0 }
      return summary.integer("peakMemory") ?? 0
    }
    let idle = try await BuiltProgram.run(["run", "none.json"], in: folder)
    #expect(idle.status == 0, "\(idle.errors)")
    let one = try await BuiltProgram.run(["run", "one.json"], in: folder)
    #expect(one.status == 0, "\(one.errors)")
    #expect(try Report(folder, "one/report.jsonl").lines.first?.object("source")?.integer("width") == 4000)
    let (idlePeak, onePeak) = (try peak("none"), try peak("one"))
    // What the summary says is what the system says, but for what writing the summary took.
    #expect(idlePeak > 5_000_000 && onePeak + 2_000_000 >= one.peakMemory, "\(onePeak) \(one.peakMemory)")
    #expect(onePeak <= idlePeak + bytes + 8_000_000, "\(onePeak) \(idlePeak) \(bytes)")
  }

  /// The rows of the longer list; the shorter one has 10,000, after which every buffer has its size. `make verify` takes the
  /// full 100,000.
  private static let rows = Int(ProcessInfo.processInfo.environment["PIPELINE_TEST_ROWS"] ?? "") ?? 30_000

  @Test func memoryDoesNotDependOnTheLengthOfTheList() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "tiny 500")
    let nginx = try await NginxOrigin(folder)
    var peaks: [Int] = []
    for count in [10_000, Self.rows] {
      let rows = (0..<count).map { row in
        let digits = String(row % 500)
        return nginx.url("tiny-\(String(repeating: "0", count: 6 - digits.count))\(digits).jpg?row=\(row)")
      }
      try folder.write(rows.joined(separator: "\n"), to: "urls.txt")
      try folder.write(
        #"{input: "urls.txt", output: "out-\#(count)", transport: {use: "curl", allowHosts: ["127.0.0.1"]}}"#,
        to: "config.json")
      let outcome = try await BuiltProgram.run(
        ["run", "config.json", "--progress", "none"], in: folder, limit: .seconds(1200))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try folder.lines("out-\(count)/report.jsonl").count == count)
      peaks.append(outcome.peakMemory)
    }
    #expect(peaks[1] < 120_000_000)
    #expect(Double(peaks[1]) < Double(peaks[0]) * 1.2, "\(peaks)")
  }

  /// Public report: memory grows with each picture, as buffers of the C library are lost.
  @Test(arguments: ["jpg", "png", "webp"]) func memoryDoesNotDependOnTheNumberOfPictures(format: String) async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "megapixel")
    let nginx = try await NginxOrigin(folder)
    var (peaks, growth) = ([Int](), 0.0)
    for count in [200, 2000] {
      let rows = (0..<count).map { nginx.url("megapixel.\(format)?row=\($0)") }
      try folder.write(rows.joined(separator: "\n"), to: "urls.txt")
      try folder.write(
        """
        {input: "urls.txt", output: "out-\(count)", cache: [], transport: {use: "curl", allowHosts: ["127.0.0.1"]}}
        """, to: "config.json")
      let program = try BuiltProgram.start(["run", "config.json", "--progress", "none"], in: folder)
      let samples = Task { await Self.residentMemory(of: program) }
      let outcome = try await program.wait(limit: .seconds(600))
      samples.cancel()
      #expect(outcome.status == 0, "\(outcome.errors)")
      peaks.append(outcome.peakMemory)
      growth = Self.growth(of: await samples.value)
    }
    // A thousand pictures lie between the two quarters.
    #expect(growth < 8_000_000, "\(format): \(growth)")
    // How many bodies meet at a run's peak is a matter of luck; a PNG's has 2.4 MB.
    if format != "png" { #expect(peaks[1] - peaks[0] < 20_000_000, "\(format): \(peaks)") }
  }

  /// What a program has resident, in bytes, every 20 ms until the task is cancelled.
  private static func residentMemory(of program: RunningProgram) async -> [Double] {
    var samples: [Double] = []
    while !Task.isCancelled {
      let pages = (try? String(contentsOfFile: "/proc/\(program.pid)/statm", encoding: .utf8))?.split(separator: " ")
      if let pages, pages.count > 1, let resident = Double(pages[1]), resident > 0 {
        samples.append(resident * Double(sysconf(Int32(_SC_PAGESIZE))))
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return samples
  }

  /// By how much the mean of the last quarter is above that of the second.
  private static func growth(of samples: [Double]) -> Double {
    let quarter = samples.count / 4
    guard quarter > 0 else { return 0 }
    func mean(_ part: ArraySlice<Double>) -> Double { part.reduce(0, +) / Double(part.count) }
    return mean(samples.suffix(quarter)) - mean(samples[quarter..<(quarter * 2)])
  }
}
