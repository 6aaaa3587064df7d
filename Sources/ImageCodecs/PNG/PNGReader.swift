import CImageCodecs
import FetchPipeline

/// The owner of a libpng reader, for one picture.
final class PNGReader {
  private let reader: OpaquePointer

  init() throws {
    guard let reader = fp_png_reader_create() else {
      throw PipelineError(.decode, .outOfBudget, "the system has no memory for a PNG decoder")
    }
    self.reader = reader
  }

  deinit {
    fp_png_reader_destroy(reader)
  }

  /// Reads up to the rows. `bytes` must stay valid as long as the reader is used.
  func open(_ bytes: UnsafeRawBufferPointer) throws -> fp_png_header {
    var header = fp_png_header()
    guard let base = bytes.baseAddress else { throw PipelineError(.decode, .truncated, "the PNG has no bytes") }
    try check(fp_png_reader_open(reader, base.assumingMemoryBound(to: UInt8.self), bytes.count, &header))
    return header
  }

  /// Reads the next `count` rows of a pass.
  func readRows(into rows: UnsafeMutableRawPointer, bytesPerRow: Int, count: Int) throws {
    try check(
      fp_png_reader_read_rows(reader, rows.assumingMemoryBound(to: UInt8.self), bytesPerRow, Int32(count)))
  }

  /// Reads what stands behind the rows; whether it is as it should be.
  func finish() -> Bool { fp_png_reader_finish(reader) == FP_PNG_OK && fp_png_reader_warnings(reader) == 0 }

  /// The embedded profile, where there is one that can be read.
  var profile: ColorProfile? {
    var count = 0
    guard let base = fp_png_reader_profile(reader, &count), count > 0 else { return nil }
    return .icc(SharedBytes(UnsafeRawBufferPointer(start: base, count: count)))
  }

  private func check(_ status: fp_png_status) throws {
    switch status {
    case FP_PNG_OK: return
    case FP_PNG_NO_MEMORY: throw PipelineError(.decode, .outOfBudget, "the system has no memory for this PNG")
    case FP_PNG_ENDED_EARLY: throw PipelineError(.decode, .truncated, "the PNG ends before its picture does")
    default:
      throw PipelineError(.decode, .corrupt, "the PNG is damaged: \(String(cString: fp_png_reader_message(reader)))")
    }
  }
}
