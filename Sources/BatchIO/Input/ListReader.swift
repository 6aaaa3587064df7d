import FetchPipeline

/// Reads a list on a thread that may wait: bytes to records to rows.
struct ListReader {
  private let options: ListInputStage
  private var bytes: any ByteStream
  private var rows: RowAssembly
  private var splitter: (any RecordSplitter)?
  private var format: ListFormat
  private var isOver = false
  /// What ends the reading, behind the last rows.
  private var failure: (any Error)?

  init(_ options: ListInputStage, path: String, wake: FileDescriptor) throws {
    self.options = options
    bytes = try FileStream(path: path, wake: wake)
    rows = RowAssembly(urlField: options.urlField, idField: options.idField, schemes: Set(options.schemes))
    format = options.format == .auto ? ListFormat(nameOf: path) : options.format
  }

  /// The next rows, as soon as there are some; nil at the end.
  mutating func next() throws -> [SourceItem]? {
    while !isOver {
      var records: [ListRecord] = []
      do {
        if let chunk = try splitter == nil ? start() : bytes.next() {
          try splitter?.feed(chunk, into: &records)
        } else {
          isOver = true
          try splitter?.finish(into: &records)
        }
      } catch {
        // What came before the damage is handed over first.
        isOver = true
        failure = error
      }
      let items = records.compactMap { item($0) }
      if !items.isEmpty { return items }
    }
    if let error = failure.take() { throw error }
    return nil
  }

  private mutating func item(_ record: ListRecord) -> SourceItem? {
    switch (record, format) {
    case (.tooLong(let start), _): rows.item(tooLong: start)
    case (.text(let line), .txt): rows.item(line: line)
    case (.text(let line), _): rows.item(jsonLine: line)
    }
  }

  /// Reads as much as is needed to know how the list is written, and returns that without its byte order mark.
  private mutating func start() throws -> [UInt8]? {
    var head: [UInt8] = []
    var sniffer = FormatProbe(format: format.uncompressed, urlField: options.urlField)
    while true {
      let chunk = try bytes.next()
      head += chunk ?? []
      if let found = sniffer.format(of: head, isAll: chunk == nil) {
        format = found.format
        splitter = LineSplitter()
        head.removeFirst(found.markLength)
        return head.isEmpty && chunk == nil ? nil : head
      }
    }
  }
}
