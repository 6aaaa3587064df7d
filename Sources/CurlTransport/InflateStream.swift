import CZlib
import FetchPipeline

/// Undoes one compression of a body, as its bytes come.
///
/// Not Sendable: it belongs to the thread of its loop.
final class InflateStream {
  /// What the bytes are compressed as.
  enum Format {
    /// Members of RFC 1952, one after the other. What follows the last one and begins like none is passed over, as
    /// `gzip` does it.
    case gzip
    /// What HTTP calls `deflate`: RFC 1950, or, as some send it, RFC 1951 without a wrapping.
    case deflate
  }

  private enum Phase {
    /// The first two bytes of a member are awaited: they tell what it is.
    case beginning
    case inside
    /// What comes now does not matter.
    case over
  }

  private let format: Format
  // At one address for its whole life: zlib checks that.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  private var phase = Phase.beginning
  private var beginning: [UInt8] = []
  private var isUntouched = true
  private var members = 0

  private static let outputSize = 65_536

  /// A stream at its beginning; nil where there is no memory for it.
  init?(_ format: Format) {
    self.format = format
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(byteCount: Self.outputSize, alignment: 64)
    guard czlib_inflate_init_gzip(stream) == Z_OK else {
      // `deinit` runs all the same; ending what has not begun does nothing.
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Whether the body may end here: after a member, or without a single byte.
  var isComplete: Bool {
    switch phase {
    case .beginning: isUntouched || members > 0
    case .inside: false
    case .over: true
    }
  }

  /// Undoes the compression of some bytes.
  ///
  /// - Parameter sink: takes what they unfold to; false where no more is wanted.
  /// - Returns: false where `sink` said so.
  /// - Throws: `content-encoding` where the bytes are damaged.
  func inflate(
    _ chunk: UnsafeRawBufferPointer, into sink: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    var rest = chunk
    while let byte = rest.first {
      isUntouched = false
      switch phase {
      case .over: return true
      case .inside: if try !run(&rest, into: sink) { return false }
      case .beginning:
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        beginning.append(byte)
        guard try begin() else { continue }
        let wantsMore = try beginning.withUnsafeBytes { bytes in
          var bytes = bytes
          return try run(&bytes, into: sink)
        }
        beginning = []
        if !wantsMore { return false }
      }
    }
    return true
  }

  /// Judges the first bytes of a member; true where it begins.
  private func begin() throws -> Bool {
    if format == .gzip, !beginning.elementsEqual([0x1f, 0x8b].prefix(beginning.count)) {
      guard members > 0 else { throw Self.damaged("it does not begin as gzip data does") }
      phase = .over
      return false
    }
    guard beginning.count == 2 else { return false }
    let isWrapped = beginning[0] & 15 == 8 && (Int(beginning[0]) << 8 | Int(beginning[1])) % 31 == 0
    let bits: Int32 = format == .gzip ? 15 + 16 : isWrapped ? 15 : -15
    guard inflateReset2(stream, bits) == Z_OK else { throw Self.damaged("zlib cannot begin") }
    phase = .inside
    return true
  }

  /// Runs zlib over `input` until the member ends or all is used; leaves what is behind the member.
  private func run(
    _ input: inout UnsafeRawBufferPointer, into sink: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    let piece = UnsafeRawBufferPointer(rebasing: input.prefix(Int(Int32.max)))
    // zlib does not write there; its header only does not say so.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(piece.count)
    defer {
      input = UnsafeRawBufferPointer(rebasing: input[(piece.count - Int(stream.pointee.avail_in))...])
      stream.pointee.next_in = nil
      stream.pointee.avail_in = 0
    }
    while true {
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(output.count)
      let code = CZlib.inflate(stream, Z_NO_FLUSH)
      let produced = output.count - Int(stream.pointee.avail_out)
      if produced > 0, try !sink(UnsafeRawBufferPointer(rebasing: output[..<produced])) { return false }
      switch code {
      case Z_STREAM_END:
        members += 1
        phase = format == .gzip ? .beginning : .over
        return true
      case Z_OK, Z_BUF_ERROR:
        if stream.pointee.avail_out > 0 { return true }
      default: throw Self.damaged(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(code)")
      }
    }
  }

  private static func damaged(_ reason: String) -> PipelineError {
    PipelineError(.transport, .contentEncoding, "the compressed body is damaged: \(reason)")
  }
}
