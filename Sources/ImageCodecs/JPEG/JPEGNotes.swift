import CImageCodecs
import FetchPipeline

/// What libjpeg said of a picture's data, and what that means for the picture.
struct JPEGNotes {
  private let notes: fp_jpeg_notes

  init(_ notes: fp_jpeg_notes) {
    self.notes = notes
  }

  /// Why the library gave up.
  var error: PipelineError {
    switch notes.error {
    case FP_JPEG_ERROR_UNSUPPORTED: PipelineError(.decode, .unsupportedFeature, "the JPEG is not supported: \(message)")
    case FP_JPEG_ERROR_TOO_BIG: PipelineError(.decode, .tooManyPixels, message)
    default:
      notes.ended_early
        ? PipelineError(.decode, .truncated, "the JPEG ends before its picture does: \(message)")
        : PipelineError(.decode, .corrupt, "the JPEG is damaged: \(message)")
    }
  }

  /// What cost pixels; nil where nothing did.
  var damage: PipelineError? {
    let isMissingData = notes.missing_data > 0 || notes.missing_components > 0
    // A picture that was made without its last scans is coarse, but whole.
    if notes.ended_early, isMissingData || notes.lacks_precision {
      return PipelineError(.decode, .truncated, "the JPEG ends before its picture does: \(message)")
    }
    if isMissingData || notes.corrupt_data > 0 {
      let reason = notes.missing_components > 0 ? "a component has no scan" : message
      return PipelineError(.decode, .corrupt, "the JPEG is damaged: \(reason)")
    }
    return nil
  }

  /// Whether the library had nothing to say.
  var isClean: Bool { damage == nil && notes.error == FP_JPEG_ERROR_NONE && !hasHarmlessFlaws }

  /// Whether there are flaws that cost no pixel.
  var hasHarmlessFlaws: Bool { damage == nil && (notes.harmless > 0 || notes.ended_early) }

  private var message: String {
    withUnsafeBytes(of: notes.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
