import CZlib
import FetchPipeline

/// The contents of a compressed stream (RFC 1952): one member or several, checked against their checksums.
///
/// What is damaged, cut short or followed by something else is an error `corrupt`, behind all bytes that came before.
struct GzipStream: ByteStream {
  /// What every member starts with.
  static let magic: [UInt8] = [0x1f, 0x8b]

  private var source: any ByteStream
  private let inflater: Inflater
  /// Compressed bytes that have not been used.
  private var input: ArraySlice<UInt8> = []
  private var isBetweenMembers = false
  private var hasEnded = false

  init(_ source: any ByteStream) throws {
    self.source = source
    inflater = try Inflater()
  }

  mutating func next() throws -> [UInt8]? {
    while !hasEnded {
      if input.isEmpty {
        if let more = try source.next() {
          input = more[...]
        } else if isBetweenMembers {
          hasEnded = true
          break
        } else {
          throw Self.damage("it ends early")
        }
      }
      if isBetweenMembers {
        // Padding with zeros is what tapes leave (gzip's own rule).
        input = input.drop { $0 == 0 }
        guard let first = input.first else { continue }
        guard first == Self.magic[0] else { throw Self.damage("something else follows it") }
        try inflater.restart()
        isBetweenMembers = false
      }
      let (output, used, isEnd) = try inflater.inflate(input)
      input = input.dropFirst(used)
      isBetweenMembers = isEnd
      if !output.isEmpty { return output }
    }
    return nil
  }

  static func damage(_ what: String) -> PipelineError {
    PipelineError(.input, .corrupt, "the compressed list is damaged: \(what)")
  }

  /// The owner of zlib's state.
  private final class Inflater {
    private static let chunkSize = 65_536
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws {
      stream = .allocate(capacity: 1)
      stream.initialize(to: z_stream())
      guard czlib_inflate_init_gzip(stream) == Z_OK else {
        throw PipelineError(.input, .outOfBudget, "no memory to decompress the list")
      }
    }

    deinit {
      inflateEnd(stream)
      stream.deallocate()
    }

    func restart() throws {
      guard inflateReset(stream) == Z_OK else { throw GzipStream.damage("it cannot be read on") }
    }

    /// What the bytes unfold to, how many of them were used, and whether the member ends there.
    func inflate(_ input: ArraySlice<UInt8>) throws -> (output: [UInt8], used: Int, isEnd: Bool) {
      var code = Z_OK
      var used = 0
      let output = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, filled in
        input.withUnsafeBufferPointer { source in
          // zlib does not write through it.
          stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
          stream.pointee.avail_in = UInt32(clamping: source.count)
          stream.pointee.next_out = buffer.baseAddress
          stream.pointee.avail_out = UInt32(clamping: buffer.count)
          let given = Int(stream.pointee.avail_in)
          code = CZlib.inflate(stream, Z_NO_FLUSH)
          used = given - Int(stream.pointee.avail_in)
          filled = buffer.count - Int(stream.pointee.avail_out)
          stream.pointee.next_in = nil
          stream.pointee.next_out = nil
        }
      }
      // A damaged block may have given bytes before it was seen to be damaged; they are not trusted.
      guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR && used > 0 else {
        throw GzipStream.damage(stream.pointee.msg.map { String(cString: $0) } ?? "error \(code)")
      }
      return (output, used, code == Z_STREAM_END)
    }
  }
}

/// Bytes that have been read already, and then those of a stream.
struct PrefixedStream: ByteStream {
  private var prefix: [UInt8]?
  private var rest: any ByteStream

  init(_ prefix: [UInt8], _ rest: any ByteStream) {
    self.prefix = prefix.isEmpty ? nil : prefix
    self.rest = rest
  }

  mutating func next() throws -> [UInt8]? { try prefix.take() ?? rest.next() }
}
