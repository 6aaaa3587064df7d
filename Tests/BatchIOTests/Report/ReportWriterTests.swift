import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct ReportWriterTests {
  let folder: TemporaryFolder
  var path: String { folder("report.jsonl") }

  init() throws {
    folder = try TemporaryFolder()
    // As the program does: a reader that has gone is an error, not the end.
    signal(SIGPIPE, SIG_IGN)
  }

  static func line(_ id: String) -> String { ReportLine.json(of: result("http://a/", id: id)).compactText + "\n" }

  /// Looks until the file is as expected, for at most ten seconds.
  func waitForFile(_ expected: String) async throws -> Bool {
    for _ in 0..<1_000 {
      if fileText(path) == expected { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test func aLineIsThereSoonWithoutAnotherOne() async throws {
    let writer = try ReportWriter(path: path)
    try await writer.write(result("http://a/", id: "1"))
    #expect(try await waitForFile(Self.line("1")))
    try await writer.write(result("http://a/", id: "2"))
    #expect(try await waitForFile(Self.line("1") + Self.line("2")))
    try await writer.finish()
  }

  @Test func eachRunReplacesTheFile() async throws {
    try writeFile(path, String(repeating: "an old line\n", count: 1_000))
    let writer = try ReportWriter(path: path)
    #expect(fileText(path) == "")
    try await writer.write(result("http://a/", id: "1"))
    try await writer.finish()
    #expect(fileText(path) == Self.line("1"))
  }

  @Test func aNamedPipeIsWrittenToWhereSomebodyReads() async throws {
    #expect(mkfifo(path, 0o600) == 0)
    let error = #expect(throws: PipelineError.self) { try ReportWriter(path: path) }
    #expect(error?.code == .write)
    #expect(error?.message.contains("nobody reads") == true, "\(error?.message ?? "")")
    let reader = FileDescriptor(owning: open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    let writer = try ReportWriter(path: path)
    try await writer.write(result("http://a/", id: "1"))
    try await writer.finish()
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(reader.number, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == Self.line("1"))
  }

  @Test func aLinkThatIsNamedIsFollowed() async throws {
    try writeFile(folder("real.jsonl"), "old")
    #expect(symlink("real.jsonl", path) == 0)
    let writer = try ReportWriter(path: path)
    try await writer.write(result("http://a/", id: "1"))
    try await writer.finish()
    #expect(fileText(folder("real.jsonl")) == Self.line("1"))
  }

  @Test func manyLinesAreWholeAndInOrderOfTheirTasks() async throws {
    let writer = try ReportWriter(path: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<1_000 { try await writer.write(result("http://a/", id: "\(task)/\(number)")) }
        }
      }
      try await group.waitForAll()
    }
    try await writer.finish()
    var next = [Int](repeating: 0, count: 8)
    for line in try #require(fileText(path)).split(separator: "\n") {
      guard case .object(let object) = try JSONReader.value(of: line.utf8), case .string(let id)? = object["id"] else {
        Issue.record("\(line)")
        return
      }
      let parts = id.split(separator: "/").compactMap { Int($0) }
      #expect(next[parts[0]] == parts[1])
      next[parts[0]] += 1
    }
    #expect(next == [Int](repeating: 1_000, count: 8))
  }

  @Test(arguments: [(ENOSPC, PipelineError.Code.diskFull), (EDQUOT, .diskFull), (EIO, .write)])
  func aLineThatCannotBeWrittenEndsTheRun(number: Int32, code: PipelineError.Code) async throws {
    let calls = ScriptedFileCalls { operation, _, _ in operation == .write ? number : nil }
    let writer = try ReportWriter(path: path, calls: calls)
    let error = await #expect(throws: PipelineError.self) {
      for _ in 0..<1_000 {
        try await writer.write(result("http://a/"))
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    #expect(error?.stage == .output)
    #expect(error?.code == code)
    #expect(error?.message.contains(path) == true)
    let last = await #expect(throws: PipelineError.self) { try await writer.finish() }
    #expect(last?.code == code)
  }

  @Test func aReaderThatHasGoneIsAnError() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let writer = try ReportWriter(descriptor: ends[1])
    close(ends[0])
    try await writer.write(result("http://a/"))
    let error = await #expect(throws: PipelineError.self) { try await writer.finish() }
    #expect(error?.code == .write)
    #expect(error?.message == "writing the report: Broken pipe")
    close(ends[1])
  }

  @Test func aReaderThatIsSlowHoldsTheRunBackAndLosesNothing() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let writer = try ReportWriter(descriptor: ends[1])
    let text = "http://a/" + String(repeating: "x", count: 10_000)
    let written = Lock(0)
    let task = Task {
      for _ in 0..<400 {
        try await writer.write(result(text))
        written.withLock { $0 += 1 }
      }
      try await writer.finish()
    }
    try await Task.sleep(for: .milliseconds(100))
    // The pipe's 64 KiB, what the thread holds, and 1 MiB that waits: of 4 MB.
    #expect(written.withLock { $0 } < 300)
    let expected = ReportLine.json(of: result(text)).compactText.utf8.count + 1
    var count = 0
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while count < 400 * expected {
      let got = read(ends[0], &chunk, chunk.count)
      guard got > 0 else { break }
      count += got
    }
    #expect(count == 400 * expected)
    try await task.value
    close(ends[0])
    close(ends[1])
  }

  @Test func aFolderThatIsMissingIsMade() async throws {
    let writer = try ReportWriter(path: folder("new/folder/report.jsonl"))
    try await writer.finish()
    #expect(access(folder("new/folder/report.jsonl"), F_OK) == 0)
  }

  @Test func aFileThatCannotBeMadeIsAnError() throws {
    _ = try ReportWriter(path: folder("file"))
    let error = #expect(throws: PipelineError.self) { try ReportWriter(path: folder("file/report.jsonl")) }
    #expect(error?.stage == .output)
    #expect(error?.code == .write)
  }

  @Test func nothingIsTakenAfterTheEnd() async throws {
    let writer = try ReportWriter(path: path)
    try await writer.finish()
    try await writer.finish()
    await #expect(throws: PipelineError.self) { try await writer.write(result("http://a/")) }
    #expect(fileText(path) == "")
  }
}
