import FetchPipeline
import Foundation
import Testing

/// Signals to a run that waits for rows which do not come.
@Suite(.serialized) struct InterruptionTests {
  private let folder: WorkingFolder

  init() throws {
    folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("pictures"), "mixed 1")
    try folder.write(#"{input: {path: "-", schemes: ["path"]}, cache: []}"#, to: "stdin.json")
    try folder.write(#"{input: {path: "list.txt", schemes: ["path"]}, cache: []}"#, to: "pipe.json")
    guard mkfifo(folder.path("list.txt"), 0o600) == 0, mkfifo(folder.path("input"), 0o600) == 0 else {
      throw POSIXError(.EIO)
    }
  }

  /// Starts the program on a standard input that stays open.
  private func start(_ arguments: [String]) throws -> (RunningProgram, FileHandle) {
    // Open for both, so that it waits for nobody.
    let writer = FileHandle(fileDescriptor: open(folder.path("input"), O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    return (try BuiltProgram.start(arguments, in: folder, input: folder.path("input")), writer)
  }

  private func wait(until condition: () -> Bool) async throws {
    for _ in 0..<6_000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    #expect(condition())
  }

  private static let signals: [(Int32, Int32)] = {
    // Tests may run under nohup, and what they start with them.
    let isIgnored = signal(SIGHUP, SIG_DFL).map { unsafeBitCast($0, to: Int.self) == 1 } ?? false
    if isIgnored { signal(SIGHUP, SIG_IGN) }
    let hangUp: [(Int32, Int32)] = isIgnored ? [] : [(SIGHUP, Int32(129))]
    return [(SIGINT, Int32(130)), (SIGTERM, Int32(143))] + hangUp
  }()

  @Test(arguments: signals, [["run", "stdin.json"], ["run", "stdin.json", "--worker"], ["run", "pipe.json"]])
  func aRunThatWaitsForRowsEndsAtOnce(signal: (number: Int32, status: Int32), arguments: [String]) async throws {
    for text in ["", "pictures/0000.jpg\npictures/00"] where text.isEmpty || arguments[1] == "stdin.json" {
      let (program, writer) = try start(arguments)
      try writer.write(contentsOf: Data(text.utf8))
      try await wait { folder.exists("thumbnails/.pipeline.tmp") }
      if !text.isEmpty { try await wait { !((try? folder.pictures(in: "thumbnails")) ?? [:]).isEmpty } }
      program.send(signal.number)
      let outcome = try await program.wait(limit: .seconds(60))
      #expect(outcome.status == signal.status, "\(outcome.errors)")
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("thumbnails"))
      #expect(left.filter { $0.contains("tmp") } == [])
      #expect(try folder.lines("thumbnails/summary.json").contains { $0.contains(#""ending": "interrupted""#) })
      try FileManager.default.removeItem(atPath: folder.path("thumbnails"))
    }
  }

  @Test func aRunThatHasTriedItsLimitDoesNotWaitForMoreRows() async throws {
    let (program, writer) = try start(["run", "stdin.json", "--limit", "1"])
    try writer.write(contentsOf: Data("pictures/0000.jpg\n".utf8))
    let outcome = try await program.wait(limit: .seconds(60))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Report(folder).lines.count == 1)
  }

  @Test func sigquitEndsTheProgramAsItDoesOthers() async throws {
    let (program, writer) = try start(["run", "stdin.json"])
    try await wait { folder.exists("thumbnails/.pipeline.tmp") }
    program.send(SIGQUIT)
    let outcome = try await program.wait(limit: .seconds(60))
    #expect(outcome.status == -SIGQUIT, "\(outcome)")
    #expect(!outcome.errors.contains("crash"))
    withExtendedLifetime(writer) {}
  }

  @Test func aPersonIsToldThatRowsAreWaitedFor() async throws {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(terminal) }
    var (lock, number) = (Int32(0), UInt32(0))
    // TIOCSPTLCK and TIOCGPTN of Linux (ioctl_tty(2)), which have no names in Swift.
    guard ioctl(terminal, 0x4004_5431, &lock) == 0, ioctl(terminal, 0x8004_5430, &number) == 0 else {
      throw POSIXError(.EIO)
    }
    let program = try BuiltProgram.start(["run", "stdin.json"], in: folder, input: "/dev/pts/\(number)")
    let line = Array("pictures/0000.jpg\n\u{4}".utf8)
    #expect(write(terminal, line, line.count) == line.count)
    let outcome = try await program.wait(limit: .seconds(60))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("reading rows from standard input; end with Ctrl-D"))
  }
}
