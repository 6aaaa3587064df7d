import CImageCodecs
import FetchPipeline

/// The owner of one read of a PNG file, whose bytes outlive it.
final class PNGReader {
  /// What the rows are, after expansion.
  private(set) var rows = fp_png_rows()
  private let reader: OpaquePointer

  private let policy: DamagePolicy
  /// What made the reading stop; the rows from there on are missing.
  private var failure: PipelineError?
  private var rowsRead = 0

  /// Reads the headers of a file of `size`, which has been judged.
  init(_ bytes: UnsafeRawBufferPointer, size: PixelSize, onDamage policy: DamagePolicy) throws {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let reader = fp_png_reader_create(base, bytes.count)
    else { throw Self.outOfMemory }
    self.reader = reader
    self.policy = policy
    let status = fp_png_reader_read_header(
      reader, UInt32(clamping: size.width), UInt32(clamping: size.height), policy == .salvage, &rows)
    guard status == FP_PNG_OK else { throw error(status) }
    guard layout != nil, Int(rows.width) == size.width, Int(rows.height) == size.height else {
      throw PipelineError(.decode, .corrupt, "the PNG's headers contradict each other")
    }
  }

  deinit {
    fp_png_reader_destroy(reader)
  }

  /// The layout of the rows.
  var layout: PixelLayout? {
    switch rows.channels {
    case 1: .gray
    case 2: .grayAlpha
    case 3: .rgb
    case 4: .rgba
    default: nil
    }
  }

  /// The size of a sample.
  var depth: SampleDepth { rows.bytes_per_sample == 2 ? .sixteen : .eight }

  /// The embedded profile, in a copy; nil where there is none, or one that breaks the rules.
  var profile: SharedBytes? {
    var base: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    guard fp_png_reader_profile(reader, &base, &count), let base else { return nil }
    return SharedBytes(UnsafeBufferPointer(start: base, count: Int(count)))
  }

  /// Reads the next `count` rows to `destination`, `stride` bytes apart. Where what is left is to be kept, rows that cannot
  /// be read are transparent, or mid-grey if the picture is opaque; those of an interlaced picture keep what they are.
  func readRows(_ count: Int, to destination: UnsafeMutableRawPointer, stride: Int) throws {
    var read: UInt32 = 0
    defer { rowsRead += Int(read) }
    guard failure == nil else { return fillRows(0..<count, of: destination, stride: stride) }
    let status = fp_png_reader_read_rows(
      reader, destination.assumingMemoryBound(to: UInt8.self), stride, UInt32(clamping: count), &read)
    guard status != FP_PNG_OK else { return }
    try keep(error(status))
    fillRows(Int(read)..<count, of: destination, stride: stride)
  }

  private func fillRows(_ range: Range<Int>, of destination: UnsafeMutableRawPointer, stride: Int) {
    guard rows.passes == 1 else { return }
    let rowBytes = Int(rows.width) * Int(rows.channels) * Int(rows.bytes_per_sample)
    for row in range {
      (destination + row * stride).initializeMemory(as: UInt8.self, repeating: fillByte, count: rowBytes)
    }
  }

  /// The byte that missing pixels are made of.
  var fillByte: UInt8 { rows.channels % 2 == 0 ? 0 : 0x80 }

  /// What is to be known of a picture with missing or broken pixels; nil where there are none.
  ///
  /// - Throws: why no pixel at all could be read.
  func damage() throws -> PipelineError? {
    if let failure, rowsRead == 0 { throw failure }
    if failure == nil, fp_png_reader_has_wrong_checksums(reader) {
      return PipelineError(.decode, .corrupt, "the PNG is damaged: a checksum is wrong")
    }
    return failure
  }

  private func keep(_ error: PipelineError) throws {
    guard policy == .salvage, error.code == .truncated || error.code == .corrupt else { throw error }
    failure = error
  }

  /// Reads what is behind the last row.
  func finish() throws {
    // After an error the library must not be asked for more.
    guard failure == nil else { return }
    let status = fp_png_reader_finish(reader)
    guard status == FP_PNG_OK else { return try keep(error(status)) }
  }

  /// Whether the file has flaws that cost nothing.
  var hasOverlookedFlaws: Bool { fp_png_reader_warnings(reader) > 0 }

  private func error(_ status: fp_png_status) -> PipelineError {
    let message = String(cString: fp_png_reader_message(reader))
    switch status {
    case FP_PNG_NO_MEMORY: return Self.outOfMemory
    case FP_PNG_TRUNCATED: return PipelineError(.decode, .truncated, "the PNG ends before its pixels do")
    default: return PipelineError(.decode, .corrupt, "the PNG is damaged: \(message)")
    }
  }

  private static let outOfMemory = PipelineError(.decode, .outOfBudget, "the system has no memory to read a PNG")
}
