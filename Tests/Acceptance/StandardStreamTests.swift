import FetchPipeline
import Foundation
import PipelineTesting
import Testing

/// Standard input and standard output: workers, pipes that close, devices that are full, lists that never end.
struct StandardStreamTests {
  private let folder: WorkingFolder

  init() throws {
    folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("pictures"), "mixed 3")
    try folder.write(#"{input: {path: "urls.txt", schemes: ["path"]}, cache: []}"#, to: "config.json")
    try folder.write(#"{input: "urls.txt", cache: []}"#, to: "plain.json")
  }

  private func start(_ arguments: [String], input: Pipe, output: Pipe) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProgram.path)
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// A line from a pipe; nil where none comes within a minute.
  private func line(from handle: FileHandle) -> JSONObject? {
    var bytes: [UInt8] = []
    while bytes.last != 0x0a {
      var waiting = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 60_000) == 1 else { return nil }
      var byte: UInt8 = 0
      guard read(handle.fileDescriptor, &byte, 1) == 1 else { return nil }
      bytes.append(byte)
    }
    guard case .object(let object)? = try? JSONReader.value(of: bytes.dropLast()) else { return nil }
    return object
  }

  @Test func aWorkerAnswersEachLineBeforeTheNextIsWritten() throws {
    let (input, output) = (Pipe(), Pipe())
    let process = try start(["run", "config.json", "--worker"], input: input, output: output)
    let rows = [("pictures/0000.jpg", "ok"), ("pictures/missing.jpg", "failed"), ("pictures/0001.jpg", "ok")]
    for (row, status) in rows {
      try input.fileHandleForWriting.write(contentsOf: Data("\n\(row)\n".utf8))
      let answer = line(from: output.fileHandleForReading)
      #expect(answer?.text("url") == row)
      #expect(answer?.text("status") == status)
    }
    try input.fileHandleForWriting.close()
    #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func aWorkerTriesAgainWhatItIsSentAgain() throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(503, body: []))
    try folder.write(
      #"{input: "urls.txt", cache: [], transport: {allowHosts: ["127.0.0.1"], retry: {attempts: 1}}}"#, to: "http.json")
    let (input, output) = (Pipe(), Pipe())
    let process = try start(["run", "http.json", "--worker"], input: input, output: output)
    for (turn, status) in ["failed", "failed", "ok", "ok"].enumerated() {
      if turn == 2 {
        origin.on(
          "/a", .response(body: [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("pictures/0000.jpg"))))))
      }
      try input.fileHandleForWriting.write(contentsOf: Data("\(origin.url("/a"))\n".utf8))
      #expect(line(from: output.fileHandleForReading)?.text("status") == status, "turn \(turn)")
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(origin.requests.count == 3)
  }

  @Test(
    arguments: [
      ["run", "plain.json", "--report", "urls.txt"], ["run", "plain.json", "--report", "link.txt"],
      ["run", "plain.json", "--report", "plain.json"], ["run", "plain.json", "--report", "thumbnails/summary.json"],
      ["run", "plain.json", "--report", "thumbnails/.pipeline.sqlite"],
      ["run", "plain.json", "--input", "thumbnails/report.jsonl"],
    ])
  func aReportIsNothingThatTheRunNeeds(arguments: [String]) async throws {
    try folder.write("pictures/0000.jpg\n", to: "urls.txt")
    try FileManager.default.createSymbolicLink(atPath: folder.path("link.txt"), withDestinationPath: "urls.txt")
    #expect(try await BuiltProgram.run(["run", "plain.json"], in: folder).status == 0)
    let names = ["urls.txt", "plain.json", "thumbnails/summary.json", "thumbnails/report.jsonl"]
    let before = try names.map { try Data(contentsOf: URL(fileURLWithPath: folder.path($0))) }
    let outcome = try await BuiltProgram.run(arguments, in: folder)
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("which is emptied first"), "\(outcome.errors)")
    #expect(try names.map { try Data(contentsOf: URL(fileURLWithPath: folder.path($0))) } == before)
    #expect(try await BuiltProgram.run(["run", "plain.json"], in: folder).status == 0)
  }

  @Test func aWorkerReadsNoFilesUnlessItsConfigurationSaysSo() async throws {
    try folder.write("pictures/0000.jpg\n", to: "rows.txt")
    let outcome = try await BuiltProgram.run(
      ["run", "plain.json", "--worker"], in: folder, input: folder.path("rows.txt"))
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(#""code":"unsupported-scheme""#))
  }

  @Test func aWorkerWithoutRowsSaysNothing() async throws {
    let outcome = try await BuiltProgram.run(["run", "config.json", "--worker"], in: folder)
    #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func aReportOnStandardOutputIsAloneThere() async throws {
    try folder.write("pictures/0000.jpg\npictures/0001.jpg\n", to: "urls.txt")
    try folder.write(#"{input: "urls.txt", cache: [], report: {path: "-"}}"#, to: "report.json")
    for arguments in [["run", "plain.json", "--report", "-", "-v"], ["run", "report.json", "--fresh"]] {
      let outcome = try await BuiltProgram.run(arguments, in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 2)
      for line in lines { #expect(throws: Never.self) { try JSONReader.value(of: Array(line.utf8)) } }
      #expect(!folder.exists("thumbnails/report.jsonl"))
      #expect(!folder.exists("-"))
    }
  }

  @Test func aReaderThatIsGoneEndsTheRun() throws {
    try folder.write((0..<200).map { "pictures/0000.jpg?\($0)" }.joined(separator: "\n"), to: "urls.txt")
    let (input, output) = (Pipe(), Pipe())
    try output.fileHandleForReading.close()
    let process = try start(["run", "plain.json", "--report", "-"], input: input, output: output)
    try output.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 74)
  }

  @Test func theFolderOfAReportIsMade() async throws {
    try folder.write("pictures/0000.jpg\n", to: "urls.txt")
    let outcome = try await BuiltProgram.run(["run", "plain.json", "--report", "reports/new/today.jsonl"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Report(folder, "reports/new/today.jsonl").lines.count == 1)
  }

  @Test(
    arguments: [
      ["check", "plain.json"], ["help"], ["help", "run"], ["--version"], ["stages"], ["stages", "resize"], ["schema"],
      ["schema", "--report"], ["completions", "bash"], ["completions", "zsh"], ["man"], ["run", "--help"],
    ])
  func whatCannotBePrintedIsAFailure(arguments: [String]) async throws {
    let outcome = try await BuiltProgram.run(arguments, in: folder, output: "/dev/full")
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("No space left on device"))
  }

  @Test(arguments: [["check", "plain.json"], ["--version"], ["schema"]])
  func whatCannotBePrintedSinceItIsClosedIsAFailure(arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.arguments = ["-c", #"exec "$0" "$@" >&-"#, BuiltProgram.path] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 74)
  }

  @Test(arguments: [["help"], ["schema"], ["man"], ["stages"]])
  func whoReadsOnlyTheBeginningHasSeenEnough(arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    // Nobody reads any more when the program begins to write.
    process.arguments =
      [
        "-c", #"{ sleep 0.2; "$0" "$@" 2>errors.txt; echo $? >status.txt; } | true"#, BuiltProgram.path,
      ] + arguments
    try process.run()
    process.waitUntilExit()
    #expect(try String(contentsOfFile: folder.path("status.txt"), encoding: .utf8) == "0\n")
    #expect(try String(contentsOfFile: folder.path("errors.txt"), encoding: .utf8) == "")
  }

  @Test func theManualPageIsASCII() async throws {
    let outcome = try await BuiltProgram.run(["man"], in: folder)
    #expect(outcome.output.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func whatStandsInTheReportsPlaceIsRefusedBeforeAnythingIsDone() async throws {
    try folder.write("pictures/0000.jpg\n", to: "urls.txt")
    try FileManager.default.createDirectory(
      atPath: folder.path("thumbnails/summary.json"), withIntermediateDirectories: true)
    for arguments in [["run", "plain.json"], ["run", "plain.json", "--report", "pipe"]] {
      let outcome = try await BuiltProgram.run(arguments, in: folder, limit: .seconds(60))
      #expect(outcome.status == 74, "\(outcome.errors)")
      try? FileManager.default.removeItem(atPath: folder.path("thumbnails/summary.json"))
      mkfifo(folder.path("pipe"), 0o600)
    }
    #expect(try folder.pictures(in: "thumbnails").isEmpty)
    let reader = open(folder.path("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let outcome = try await BuiltProgram.run(["run", "plain.json", "--report", "pipe"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    var bytes = [UInt8](repeating: 0, count: 65_536)
    #expect(read(reader, &bytes, bytes.count) > 100)
  }

  @Test func aListThatNeverEndsALineIsNone() async throws {
    let outcome = try await BuiltProgram.run(["run", "plain.json", "--input", "-"], in: folder, input: "/dev/zero")
    #expect(outcome.status == 74)
    #expect(outcome.peakMemory < 300_000_000)
    #expect(outcome.errors.contains("not a list"))
  }

  @Test func aVeryLongLineCostsOnlyItsRow() async throws {
    let bytes = [UInt8](repeating: 0x61, count: 10_000_000)
    try folder.write(Array("pictures/0000.jpg\n".utf8) + bytes + Array("\npictures/0001.jpg\n".utf8), to: "long.txt")
    let outcome = try await BuiltProgram.run(
      ["run", "plain.json", "--input", "-"], in: folder, input: folder.path("long.txt"))
    #expect(outcome.status == 1)
    let report = try Report(folder)
    #expect(report.statuses == ["ok": 2, "failed": 1])
    #expect(report.code("2") == "invalid-input")
  }
}
