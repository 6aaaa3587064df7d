import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct StateFolderTests {
  let folder: TemporaryFolder
  var path: String { folder("out/state") }

  init() throws { folder = try TemporaryFolder() }

  func members(_ path: String) throws -> JSONObject {
    let text = try #require(fileText(path))
    guard case .object(let object) = try JSONReader.value(of: text.utf8) else {
      throw SystemFailure(call: path, number: 0)
    }
    return object
  }

  @Test func aRunLeavesReportSummaryFailedRowsAndLedger() async throws {
    let state = try StateFolder.open(path: path)
    #expect(state.notes == [])
    #expect(state.ledger.run == 1)
    try await state.report.write(try documentedResult())
    var failed = result("http://u:secret@b/", id: "7", status: .failed, error: PipelineError(.transport, .dns, "x"))
    failed.original = ["url": "http://u:secret@b/", "id": "7", "label": "cat"]
    try await state.report.write(failed)
    let summary = try await state.close(.complete, versions: [("program", "9.9")], configuration: "hash")
    #expect(summary.items == 2)
    #expect(
      folder.contents() == [
        "out/", "out/state/", "out/state/.pipeline.lock", "out/state/.pipeline.sqlite", "out/state/failed.jsonl",
        "out/state/report.jsonl", "out/state/summary.json",
      ])
    #expect(fileText(path + "/failed.jsonl") == #"{"url":"http://u:secret@b/","id":"7","label":"cat"}"# + "\n")
    #expect(fileText(path + "/report.jsonl")?.split(separator: "\n").count == 2)
    let json = try members(path + "/summary.json")
    #expect(json["run"] == 1)
    #expect(json["ending"] == "complete")
    #expect(json["versions"] == ["program": "9.9"])
    #expect(json["configuration"] == "hash")

    // The next run begins anew, and its failed rows take the place of the old ones at its end.
    let next = try StateFolder.open(path: path)
    #expect(next.ledger.run == 2)
    #expect(fileText(path + "/report.jsonl") == "")
    #expect(fileText(path + "/failed.jsonl")?.isEmpty == false)
    try await next.close(.interrupted)
    #expect(fileText(path + "/failed.jsonl") == "")
    #expect(try members(path + "/summary.json")["ending"] == "interrupted")
  }

  @Test func failedRowsCanBeTheNextInput() async throws {
    let list = "# list\nhttp://a/1\nhttp://bad host/\nftp://a/3\nhttp://a/4\n"
    let state = try StateFolder.open(path: path)
    for row in try await rows(list, name: "list.txt") {
      if case .failure(let error) = row.request {
        try await state.report.write(ImageResult(of: row, status: .failed, error: error))
      } else {
        try await state.report.write(ImageResult(of: row, status: .ok))
      }
    }
    try await state.close(.complete)
    let again = try await rowsAndError(path: path + "/failed.jsonl").rows
    #expect(again.map(\.text) == ["http://bad host/", "ftp://a/3"])
    #expect(again.map(\.id) == ["2", "3"])
    #expect(again.map(\.outcome) == ["invalid-input", "unsupported-scheme"])
  }

  /// What could not be understood fails again, and does not become a path.
  @Test func aRowThatIsNoRowStaysOne() async throws {
    let state = try StateFolder.open(path: path)
    let row = try #require(try await rows("photo.jpg\n", name: "list.jsonl").first)
    try await state.report.write(ImageResult(of: row, status: .failed, error: row.failure))
    try await state.close(.complete)
    let again = try await rowsAndError(path: path + "/failed.jsonl").rows
    #expect(again.map(\.outcome) == ["invalid-input"])
    #expect(again.map(\.id) == ["1"])
    #expect(again.first?.fields["unreadable"] == "photo.jpg")
  }

  @Test func onlyOneRunAtATimeButOneOfEachShard() async throws {
    let whole = try StateFolder.open(path: path)
    let error = #expect(throws: RunLock.HeldError.self) { try StateFolder.open(path: path) }
    #expect(error?.processID == Int(getpid()))
    let shards = try (0..<2).map { try StateFolder.open(path: path, shard: ($0, 2)) }
    #expect(throws: RunLock.HeldError.self) { try StateFolder.open(path: path, shard: (1, 2)) }
    for shard in shards { try await shard.close(.complete) }
    try await whole.close(.complete)
    let names = folder.contents { !$0.hasPrefix("out/state/") || $0.hasSuffix("/") }.map {
      $0.dropFirst("out/state/".count)
    }
    #expect(
      names == [
        ".pipeline-0-of-2.lock", ".pipeline-0-of-2.sqlite", ".pipeline-1-of-2.lock", ".pipeline-1-of-2.sqlite",
        ".pipeline.lock", ".pipeline.sqlite", "failed-0-of-2.jsonl", "failed-1-of-2.jsonl", "failed.jsonl",
        "report-0-of-2.jsonl", "report-1-of-2.jsonl", "report.jsonl", "summary-0-of-2.json", "summary-1-of-2.json",
        "summary.json",
      ])
    try await StateFolder.open(path: path).close(.complete)
  }

  @Test func theReportMayGoElsewhere() async throws {
    let state = try StateFolder.open(path: path, report: .file(folder("elsewhere.jsonl")))
    try await state.report.write(try documentedResult())
    try await state.close(.complete)
    #expect(fileText(folder("elsewhere.jsonl"))?.isEmpty == false)
    #expect(fileText(path + "/report.jsonl") == nil)

    let descriptor = open(folder("descriptor.jsonl"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    let next = try StateFolder.open(path: path, report: .descriptor(descriptor))
    try await next.report.write(try documentedResult())
    try await next.close(.complete)
    #expect(fileText(folder("descriptor.jsonl"))?.isEmpty == false)
    // Not ours to close.
    #expect(close(descriptor) == 0)
  }

  @Test func aDamagedLedgerIsANote() async throws {
    try await StateFolder.open(path: path).close(.complete)
    try writeFile(path + "/.pipeline.sqlite", [UInt8](repeating: 7, count: 9_999))
    let state = try StateFolder.open(path: path)
    #expect(state.notes.count == 1)
    #expect(state.notes.first?.contains("\(path)/.pipeline.sqlite.damaged-1") == true)
    try await state.close(.complete)
  }

  @Test func whatCannotBeWrittenAtTheEndIsSaidAndTheFolderIsFreeAgain() async throws {
    for name in ["failed.jsonl", "summary.json"] {
      let calls = ScriptedFileCalls()
      let state = try StateFolder.open(path: path, calls: calls)
      try await state.report.write(
        result("http://a/", status: .failed, error: PipelineError(.transport, .dns, "x")))
      calls.fail { operation, path, _ in operation == .write && path.hasSuffix(name) ? ENOSPC : nil }
      let error = await #expect(throws: PipelineError.self) { try await state.close(.complete) }
      #expect(error?.code == .diskFull)
      #expect(folder.contents { !$0.contains(".tmp") } == [])
      if name == "failed.jsonl" { #expect(try members(path + "/summary.json")["ending"] == "error") }
    }
    try await StateFolder.open(path: path).close(.complete)
  }

  @Test func manyFailedRowsAreAllKept() async throws {
    let state = try StateFolder.open(path: path)
    for number in 0..<5_000 {
      try await state.report.write(
        result("http://a/\(number)", id: "\(number)", status: .failed, error: PipelineError(.transport, .dns, "x")))
    }
    try await state.close(.complete)
    let again = try await rowsAndError(path: path + "/failed.jsonl").rows
    #expect(again.map(\.id) == (0..<5_000).map { String($0) })
  }

  @Test(arguments: ["summary.json", "failed.jsonl", "report.jsonl", ".pipeline.summary.json.tmp"])
  func whatIsNoFileInAFilesPlaceIsAnErrorAtTheStart(name: String) async throws {
    try makeFolders(path)
    for makesPipe in [false, true] {
      if makesPipe { #expect(mkfifo("\(path)/\(name)", 0o600) == 0) } else { try makeFolders("\(path)/\(name)") }
      let error = #expect(throws: PipelineError.self) { try StateFolder.open(path: path) }
      #expect(error?.code == .write)
      #expect(error?.message.contains("\(path)/\(name)") == true, "\(error?.message ?? "")")
      if makesPipe { unlink("\(path)/\(name)") } else { rmdir("\(path)/\(name)") }
    }
    try await StateFolder.open(path: path).close(.complete)
  }

  @Test(arguments: ["summary.json", "failed.jsonl", "report.jsonl"], [true, false])
  func aLinkInAFilesPlaceIsReplacedAndNotFollowed(name: String, isHard: Bool) async throws {
    try makeFolders(path)
    try writeFile(folder("victim"), "precious")
    let victim = folder("victim")
    #expect((isHard ? link(victim, "\(path)/\(name)") : symlink(victim, "\(path)/\(name)")) == 0)
    let state = try StateFolder.open(path: path)
    try await state.report.write(
      result("http://a/", status: .failed, error: PipelineError(.transport, .dns, "x")))
    try await state.close(.complete)
    #expect(fileText(victim) == "precious")
    var status = stat()
    #expect(lstat("\(path)/\(name)", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFREG)
    #expect(status.st_size > 20)
  }

  @Test func aFolderThatCannotBeMadeIsAnErrorOfStageOutput() throws {
    try writeFile(folder("out"), "a file")
    let error = #expect(throws: PipelineError.self) { try StateFolder.open(path: path) }
    #expect(error?.stage == .output)
    #expect(error?.code == .write)
  }
}
