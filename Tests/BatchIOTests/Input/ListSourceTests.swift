import FetchPipeline
import PipelineTesting
import Testing

@testable import BatchIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct ListSourceTests {
  @Test(arguments: [
    ("x.txt", "{\"url\":\"http://a/1\"}", "a path"), ("x.jsonl", "{\"url\":\"http://a/1\"}", "http://a/1"),
    ("X.NDJSON", "{\"url\":\"http://a/1\"}", "http://a/1"), ("x", "\n {\"url\":\"http://a/1\"}", "http://a/1"),
    ("x.list", "http://a/1", "http://a/1"), ("x.jsonl", "http://a/1", "invalid-input"),
    ("x", "\u{feff}{\"url\":\"http://a/1\"}", "http://a/1"),
  ])
  func theNameAndThenTheFirstBytesSayHowItIsWritten(name: String, text: String, expected: String) async throws {
    #expect(try await rows(text, name: name).map(\.outcome) == [expected])
  }

  @Test func aFormatThatIsNamedIsTaken() async throws {
    let list = try await rows("{\"url\":\"http://a/1\"}", name: "x.txt") { $0.format = .jsonl }
    #expect(list.map(\.outcome) == ["http://a/1"])
  }

  @Test func aMissingListIsToldFromOneThatCannotBeRead() async throws {
    let folder = try TemporaryFolder()
    for path in [folder("none"), folder("none/below")] {
      let error = try await rowsAndError(path: path).error
      #expect(error?.stage == .input)
      #expect(error?.code == .notFound)
      #expect(error?.message == "reading \(path): No such file or directory")
      let check = #expect(throws: PipelineError.self) {
        try ListSource(ListInputStage(), path: path).check()
      }
      #expect(check?.code == .notFound)
    }
    let error = try await rowsAndError(path: folder.path).error
    #expect(error?.code == .notFound)
    #expect(error?.message == "\(folder.path) is a folder, not a list")
  }

  @Test func whatComesFromAPipeIsHandedOnAtOnce() async throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let source = ListSource(ListInputStage(), path: folder("pipe"))
    var iterator = source.makeAsyncIterator()
    // Read and write, so that neither opening waits for the other.
    let writer = FileDescriptor(owning: open(folder("pipe"), O_RDWR | O_CLOEXEC))
    func send(_ text: String) {
      #expect(Array(text.utf8).withUnsafeBytes { write(writer.number, $0.baseAddress, $0.count) } == text.utf8.count)
    }
    send("http://a/1\nhttp://a/")
    #expect(try await iterator.next(isolation: #isolation)?.text == "http://a/1")
    send("2\n")
    #expect(try await iterator.next(isolation: #isolation)?.text == "http://a/2")
    send("http://a/3\nhttp://a/4\n")
    #expect(try await iterator.next(isolation: #isolation)?.text == "http://a/3")
    #expect(try await iterator.next(isolation: #isolation)?.text == "http://a/4")
  }

  @Test func aCancelledReaderDoesNotWaitForASilentPipe() async throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let writer = FileDescriptor(owning: open(folder("pipe"), O_RDWR | O_CLOEXEC))
    let task = Task {
      for try await _ in ListSource(ListInputStage(), path: folder("pipe")) {}
    }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    withExtendedLifetime(writer) {}
  }

  @Test func aCancelledReaderDoesNotWaitForWhoWritesToAPipe() async throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let task = Task {
      for try await _ in ListSource(ListInputStage(), path: folder("pipe")) {}
    }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func aPipeIsReadFromItsFirstWriterToItsLast() async throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let task = Task {
      var texts: [String] = []
      for try await row in ListSource(ListInputStage(), path: folder("pipe")) { texts.append(row.text) }
      return texts
    }
    try await Task.sleep(for: .milliseconds(50))
    try writeFile(folder("pipe"), "http://a/1\nhttp://a/2\n")
    #expect(try await task.value == ["http://a/1", "http://a/2"])
  }

  @Test func nothingIsReadFarAhead() async throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let reader = FileDescriptor(owning: open(folder("pipe"), O_RDWR | O_CLOEXEC))
    let written = Lock(0)
    let line = Array("http://example.org/\(String(repeating: "x", count: 80))\n".utf8)
    let path = folder("pipe")
    try BackgroundThread.start {
      let writer = FileDescriptor(owning: open(path, O_WRONLY | O_CLOEXEC))
      for _ in 0..<30_000 {
        guard line.withUnsafeBytes({ write(writer.number, $0.baseAddress, $0.count) }) == line.count else { return }
        written.withLock { $0 += line.count }
      }
    }
    var iterator = ListSource(ListInputStage(), path: path).makeAsyncIterator()
    #expect(try await iterator.next(isolation: #isolation) != nil)
    try await Task.sleep(for: .milliseconds(100))
    // The pipe's 64 KiB, the batch that is being taken, the next one, and one that waits: of 3 MB in all.
    let ahead = written.withLock { $0 }
    #expect(ahead < 400_000, "\(ahead) bytes")
    var count = 1
    while count < 30_000, try await iterator.next(isolation: #isolation) != nil { count += 1 }
    #expect(count == 30_000)
    withExtendedLifetime(reader) {}
  }

  @Test func aHundredThousandRowsAreAllThereInOrder() async throws {
    let folder = try TemporaryFolder()
    try writeFile(folder("list.txt"), (1...100_000).map { "http://example.org/\($0).jpg\n" }.joined())
    var expected = 0
    for try await row in ListSource(ListInputStage(), path: folder("list.txt")) {
      expected += 1
      if row.row != expected || row.outcome != "http://example.org/\(expected).jpg" {
        Issue.record("row \(row.row): \(row.outcome)")
        return
      }
    }
    #expect(expected == 100_000)
  }

  @Test func itIsReadAgainFromTheStart() async throws {
    let folder = try TemporaryFolder()
    try writeFile(folder("list.txt"), "http://a/1\nhttp://a/2\n")
    let source = ListSource(ListInputStage(), path: folder("list.txt"))
    for _ in 0..<2 {
      var texts: [String] = []
      for try await row in source { texts.append(row.text) }
      #expect(texts == ["http://a/1", "http://a/2"])
    }
  }
}
