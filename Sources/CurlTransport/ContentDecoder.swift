import FetchPipeline

/// Unwraps a body that comes compressed (RFC 9110, section 8.4), though nobody asked for that.
///
/// gzip and deflate, also on top of each other. What is in another coding cannot be unwrapped, which is an error as soon as
/// there are bytes of it.
final class ContentDecoder {
  /// The most codings on top of each other.
  static let limit = 5
  /// The codings that libcurl may have decoders for where there is none here.
  static let foreign: Set<String> = ["br", "zstd"]

  /// What undoes the codings, the last one first.
  private var streams: [InflateStream] = []
  private var refusal: PipelineError?

  /// - Parameter codings: in lower case, in the order in which they were applied.
  init(codings: [String]) {
    guard codings.count <= Self.limit else {
      refusal = Self.error("the body is compressed more than \(Self.limit) times over")
      return
    }
    for coding in codings.reversed() {
      let format: InflateStream.Format
      switch coding {
      case "gzip", "x-gzip": format = .gzip
      case "deflate": format = .deflate
      default:
        refusal = Self.error("the body's Content-Encoding is not known here: \(coding.prefix(40))")
        return
      }
      guard let stream = InflateStream(format) else {
        refusal = PipelineError(.transport, .outOfBudget, "there is no memory to unwrap the body")
        return
      }
      streams.append(stream)
    }
  }

  /// Whether the body may end here.
  var isComplete: Bool { streams.allSatisfy(\.isComplete) }

  /// Unwraps some bytes.
  ///
  /// - Parameter sink: takes what they unfold to, in pieces; false where no more is wanted.
  /// - Returns: false where `sink` said so.
  /// - Throws: `content-encoding`, `out-of-budget`.
  func decode(_ chunk: UnsafeRawBufferPointer, into sink: (UnsafeRawBufferPointer) -> Bool) throws -> Bool {
    if let refusal { throw refusal }
    return try decode(chunk, by: streams[...], into: sink)
  }

  private func decode(
    _ chunk: UnsafeRawBufferPointer, by streams: ArraySlice<InflateStream>,
    into sink: (UnsafeRawBufferPointer) -> Bool
  ) throws -> Bool {
    guard let first = streams.first else { return sink(chunk) }
    return try first.inflate(chunk) { try decode($0, by: streams.dropFirst(), into: sink) }
  }

  private static func error(_ message: String) -> PipelineError {
    PipelineError(.transport, .contentEncoding, message)
  }
}
