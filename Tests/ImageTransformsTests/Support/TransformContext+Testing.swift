import FetchPipeline
import ImageTransforms

extension TransformContext {
  /// A context whose encoder takes a form; by default any.
  static func testing(
    wanted: PixelForm = PixelForm(ranges: [.full, .limited]), background: Color = .white
  ) -> TransformContext {
    TransformContext(
      wanted: wanted, background: background, converter: StandardPixelConverter(),
      checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)))
  }
}

extension PixelForm {
  /// What a JPEG encoder takes.
  static let jpeg = PixelForm(
    layouts: [.yCbCr, .gray], depths: [.eight], chroma: .half, isLiteral: true, alpha: [.opaque])
  /// What a PNG encoder takes.
  static let png = PixelForm(
    layouts: [.rgb, .gray, .rgba, .grayAlpha], isLiteral: true, alpha: [.opaque, .straight])
}
