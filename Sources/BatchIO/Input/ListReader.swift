import FetchPipeline

/// Reads a list on a thread that may wait: bytes to records to rows.
struct ListReader {
  private let options: ListInputStage
  private let path: String
  private let progress: ListProgress
  private var bytes: any ByteStream
  private var rows: RowAssembly
  private var format = ListFormat.auto
  private var splitter: (any RecordSplitter)?
  private var isOver = false
  /// What ends the reading, behind the last rows.
  private var failure: (any Error)?

  /// - Parameter wake: ends a wait for bytes when it becomes readable; nil where none can be long.
  init(_ options: ListInputStage, path: String, wake: FileDescriptor? = nil, progress: ListProgress) throws {
    self.options = options
    self.path = path
    self.progress = progress
    bytes = try FileStream(path: path, wake: wake, progress: progress)
    rows = RowAssembly(
      urlField: options.urlField, idField: options.idField, hasHeader: options.header, schemes: Set(options.schemes),
      folder: Self.folder(of: path))
  }

  /// The folder that relative paths in a list start from: its own, or for standard input the working folder.
  private static func folder(of path: String) -> String {
    guard path != "-", let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
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
      var items: [SourceItem] = []
      do {
        for record in records { if let item = try item(record) { items.append(item) } }
      } catch {
        isOver = true
        failure = failure ?? error
      }
      progress.found(rows: items.count, isLast: isOver && failure == nil)
      if !items.isEmpty { return items }
    }
    if let error = failure.take() { throw error }
    return nil
  }

  private mutating func item(_ record: ListRecord) throws -> SourceItem? {
    switch record {
    case .text(let line) where format == .txt: rows.item(line: line)
    case .text(let text): rows.item(json: text)
    case .cells(let cells): try rows.item(cells: cells)
    case .unreadable(_, let reason) where (format == .csv || format == .tsv) && rows.awaitsHeader:
      // Without it no value of the rows below has a name.
      throw PipelineError(.input, .invalidInput, "the first line, which names the columns: \(reason)")
    case .unreadable(let start, let reason): rows.item(unreadable: start, reason)
    }
  }

  /// Reads as much as is needed to know how the list is written, and returns that without its byte order mark.
  private mutating func start() throws -> [UInt8]? {
    let named = ListFormat.named(path)
    try unwrap(isRequired: options.format == .auto ? named.isGzip : options.format != options.format.uncompressed)
    let known = options.format == .auto ? named.format : options.format.uncompressed
    let probe = FormatProbe(format: known, urlField: options.urlField)
    var head: [UInt8] = []
    while true {
      let chunk = try bytes.next()
      head += chunk ?? []
      if let found = probe.format(of: head, isAll: chunk == nil) {
        format = found.format
        splitter = format.splitter
        head.removeFirst(found.markLength)
        return head.isEmpty && chunk == nil ? nil : head
      }
    }
  }

  /// Puts decompression in between where the bytes are compressed, whatever the list is called: no text starts so.
  private mutating func unwrap(isRequired: Bool) throws {
    var head: [UInt8] = []
    while head.count < 2, head.isEmpty || head[0] == GzipStream.magic[0], let chunk = try bytes.next() { head += chunk }
    bytes = PrefixedStream(head, bytes)
    if head.starts(with: GzipStream.magic) {
      bytes = try GzipStream(bytes)
    } else if isRequired {
      throw GzipStream.damage(head.isEmpty ? "it is empty" : "it does not start as one")
    }
  }
}
