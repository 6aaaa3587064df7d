import CImageCodecs
import FetchPipeline

/// The owner of one read of a PNG file, whose bytes outlive it.
final class PNGReader {
  /// What the rows are, after expansion.
  private(set) var rows = fp_png_rows()
  private let reader: OpaquePointer

  /// Reads the headers of a file of `size`, which has been judged.
  init(_ bytes: UnsafeRawBufferPointer, size: PixelSize) throws {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let reader = fp_png_reader_create(base, bytes.count)
    else { throw Self.outOfMemory }
    self.reader = reader
    let status = fp_png_reader_read_header(
      reader, UInt32(clamping: size.width), UInt32(clamping: size.height), &rows)
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

  /// Reads the next `count` rows to `destination`, `stride` bytes apart.
  func readRows(_ count: Int, to destination: UnsafeMutableRawPointer, stride: Int) throws {
    var read: UInt32 = 0
    let status = fp_png_reader_read_rows(
      reader, destination.assumingMemoryBound(to: UInt8.self), stride, UInt32(clamping: count), &read)
    guard status == FP_PNG_OK else { throw error(status) }
  }

  /// Reads what is behind the last row.
  func finish() throws {
    let status = fp_png_reader_finish(reader)
    guard status == FP_PNG_OK else { throw error(status) }
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
