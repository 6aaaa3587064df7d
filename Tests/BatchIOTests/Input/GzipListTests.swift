import BatchIO
import CZlib
import FetchPipeline
import PipelineTesting
import Testing

@Suite struct GzipListTests {
  /// A member as zlib's own file functions write it.
  static func gzip(_ text: String) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let file = try #require(gzopen(folder("x"), "wb9"))
    var bytes = Array(text.utf8)
    let count = UInt32(bytes.count)
    #expect(gzwrite(file, &bytes, count) == Int32(count))
    #expect(gzclose(file) == Z_OK)
    return try #require(fileBytes(folder("x")))
  }

  static let text = (1...20_000).map { "http://example.org/\($0).jpg\n" }.joined()

  @Test(arguments: ["list.txt.gz", "list.gz", "list.txt", "list", "LIST.TXT.GZ"])
  func aCompressedListIsReadWhateverItIsCalled(name: String) async throws {
    let list = try await rows(try Self.gzip(Self.text), name: name)
    #expect(list.count == 20_000)
    #expect(list.last?.outcome == "http://example.org/20000.jpg")
  }

  @Test(arguments: [
    ("list.csv.gz", "id,url\nx,http://a/1\n"), ("list.tsv.gz", "id\turl\nx\thttp://a/1\n"),
    ("list.json.gz", "[{\"id\":\"x\",\"url\":\"http://a/1\"}]"),
    ("list.jsonl.gz", "{\"id\":\"x\",\"url\":\"http://a/1\"}"),
    ("list.gz", "{\"id\":\"x\",\"url\":\"http://a/1\"}"), ("list.gz", "[{\"id\":\"x\",\"url\":\"http://a/1\"}]"),
    ("list.gz", "\u{feff}id,url\nx,http://a/1\n"),
  ])
  func eachFormatMayBeCompressed(name: String, text: String) async throws {
    let list = try await rows(try Self.gzip(text), name: name)
    #expect(list.map(\.outcome) == ["http://a/1"])
    #expect(list.map(\.id) == ["x"])
  }

  @Test func aFormatMayNameItsCompression() async throws {
    let list = try await rows(try Self.gzip("id,url\nx,http://a/1\n"), name: "list") { $0.format = .csvGzip }
    #expect(list.map(\.outcome) == ["http://a/1"])
    let (_, error) = try await rowsAndError("id,url\nx,http://a/1\n".utf8, name: "list") { $0.format = .csvGzip }
    #expect(error?.code == .corrupt)
  }

  @Test func severalMembersAreOneList() async throws {
    let parts = try Self.gzip("http://a/1\nhttp://a/") + Self.gzip("") + Self.gzip("2\n")
    #expect(try await rows(parts, name: "x.txt.gz").map(\.outcome) == ["http://a/1", "http://a/2"])
    #expect(try await rows(parts + [UInt8](repeating: 0, count: 1_000), name: "x.txt.gz").count == 2)
  }

  @Test func aListThatIsCutShortEndsTheRunAfterItsRows() async throws {
    let whole = try Self.gzip(Self.text)
    for length in [whole.count - 1, whole.count - 8, whole.count / 2, 11, 3, 2] {
      let (list, error) = try await rowsAndError(whole.prefix(length), name: "x.txt.gz")
      #expect(error?.stage == .input)
      #expect(error?.code == .corrupt, "\(length)")
      for (index, row) in list.enumerated() where row.row != index + 1 { Issue.record("\(row.row)") }
      if length >= whole.count / 2 { #expect(list.count > 1_000) }
    }
  }

  @Test func damageEndsTheRun() async throws {
    let whole = try Self.gzip(Self.text)
    var checksum = whole
    checksum[whole.count - 6] ^= 1
    var block = whole
    for index in (whole.count / 2)..<(whole.count / 2 + 20) { block[index] = 0xff }
    for (bytes, expected) in [
      (checksum, "the compressed list is damaged: "), (block, "the compressed list is damaged: "),
      (whole + Array("trailing".utf8), "the compressed list is damaged: something else follows it"),
      (Array("http://a/1\n".utf8), "the compressed list is damaged: it does not start as one"),
      ([], "the compressed list is damaged: it is empty"),
    ] {
      let (_, error) = try await rowsAndError(bytes, name: "x.txt.gz")
      #expect(error?.code == .corrupt)
      #expect(error?.message.hasPrefix(expected) == true, "\(error?.message ?? "")")
    }
  }
}
