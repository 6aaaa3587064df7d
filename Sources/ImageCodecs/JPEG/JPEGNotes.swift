import CImageCodecs
import FetchPipeline

/// What libjpeg said of a picture's data, and what that means for the picture.
struct JPEGNotes {
  private let notes: fp_jpeg_notes
  private let hasAllScans: Bool

  init(_ notes: fp_jpeg_notes, hasAllScans: Bool) {
    self.notes = notes
    self.hasAllScans = hasAllScans
  }

  /// Why the library gave up; nil where it did not.
  var error: PipelineError? {
    switch notes.error {
    case FP_JPEG_ERROR_NONE: nil
    case FP_JPEG_ERROR_UNSUPPORTED: PipelineError(.decode, .unsupportedFeature, message)
    case FP_JPEG_ERROR_TOO_BIG: PipelineError(.decode, .tooManyPixels, message)
    default:
      PipelineError(.decode, notes.ended_early ? .truncated : .corrupt, message)
    }
  }

  /// What cost pixels; nil where nothing did.
  var damage: PipelineError? {
    if notes.ended_early, notes.missing_data > 0 || !hasAllScans {
      return PipelineError(.decode, .truncated, "the JPEG ends before its picture does: \(message)")
    }
    if notes.missing_data > 0 || notes.corrupt_data > 0 {
      return PipelineError(.decode, .corrupt, "the JPEG's data is damaged: \(message)")
    }
    return nil
  }

  /// Whether there are flaws that cost no pixel.
  var hasHarmlessFlaws: Bool { damage == nil && (notes.harmless > 0 || notes.ended_early) }

  private var message: String {
    withUnsafeBytes(of: notes.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
