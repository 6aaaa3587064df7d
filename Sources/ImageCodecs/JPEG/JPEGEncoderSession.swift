import CImageCodecs
import FetchPipeline

/// Encodes JPEGs on one thread, one after the other.
final class JPEGEncoderSession: ImageEncoderSession {
  private let options: JPEGEncoder
  private var compressor: JPEGCompressor?

  init(_ options: JPEGEncoder) {
    self.options = options
  }

  /// Throws `encode` where the picture is not in the accepted form, or larger than libjpeg allows.
  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes {
    let size = image.size
    guard size.width <= Self.longestSide, size.height <= Self.longestSide else {
      throw PipelineError(.encode, .encode, "\(size) is larger than a JPEG can be")
    }
    guard isAccepted(image) else {
      throw PipelineError(.encode, .encode, "the picture is not in a form that can be encoded as JPEG")
    }
    let factors = options.subsampling.factors
    let settings = fp_jpeg_options(
      width: Int32(clamping: size.width), height: Int32(clamping: size.height),
      quality: Int32(clamping: options.quality),
      is_progressive: options.isProgressive, components: image.layout == .gray ? 1 : 3,
      horizontal: Int32(clamping: factors.horizontal), vertical: Int32(clamping: factors.vertical))
    return try opened().compress(image, settings, checkpoint: checkpoint)
  }

  /// The library's limit (JPEG_MAX_DIMENSION).
  private static let longestSide = 65_500

  private func isAccepted(_ image: PixelImage) -> Bool {
    let form = options.acceptedForm(mayBeTransparent: false)
    guard form.layouts.contains(image.layout), form.depths.contains(image.depth), image.isLiteral else { return false }
    guard image.layout == .yCbCr else { return true }
    let chroma = options.subsampling.factors.planeSize(for: image.size)
    // Beside an odd number of columns the picture ends in the middle of the last chroma sample, and its window with it.
    return image.range == .full && image.planes.dropFirst().allSatisfy { $0.size == chroma }
  }

  private func opened() throws -> JPEGCompressor {
    if let compressor { return compressor }
    let made = try JPEGCompressor()
    compressor = made
    return made
  }
}
