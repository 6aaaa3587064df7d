import CImageCodecs
import FetchPipeline

/// Encodes PNG through libpng: 8 bits a sample, grey or RGB, with alpha where the picture has it, and nothing but pixels.
public struct PNGEncoder: ImageEncoder {
  /// How hard zlib tries, 0…9; 0 does not compress.
  public var compression = 6

  /// An encoder with the defaults.
  public init() {}

  /// An encoder that tries so hard.
  public init(compression: Int) {
    self.compression = compression
  }

  /// PNG, always.
  public func format(mayBeTransparent: Bool) -> ImageFormat? { .png }

  /// Upright pixels of 8 bits, grey or RGB, with alpha or without.
  public func acceptedForm(mayBeTransparent: Bool) -> PixelForm {
    PixelForm(
      layouts: [.rgba, .rgb, .grayAlpha, .gray], depths: [.eight], isLiteral: true, alpha: [.opaque, .straight])
  }

  /// Adds all options.
  public func fingerprint(into print: inout Fingerprint) {
    print.add("compression", compression)
  }

  /// An encoder for one thread.
  public func makeSession() -> any ImageEncoderSession { PNGEncoderSession(self) }
}

extension PNGEncoder: Stage {
  /// Where the stage stands.
  public typealias Slot = EncodeSlot
  /// What a configuration calls it.
  public static let name = "png"
  /// What it does.
  public static let summary = "encodes PNG"

  /// The options.
  public static let options: [OptionDeclaration<PNGEncoder>] = [
    .init("compression", \.compression, in: 0...9, "how hard to compress: 0 not at all, 9 most")
  ]

  /// Itself.
  public func make(in context: StageContext) -> any ImageEncoder { self }
}

/// Encodes PNGs on one thread, one after the other.
final class PNGEncoderSession: ImageEncoderSession {
  private let options: PNGEncoder

  init(_ options: PNGEncoder) {
    self.options = options
  }

  func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) throws -> SharedBytes {
    guard image.isLiteral, image.depth == .eight, image.alpha != .premultiplied,
      image.layout != .yCbCr, image.layout != .cmyk
    else {
      throw PipelineError(.encode, .encode, "\(image.layout.rawValue) pixels in this form are not what a PNG holds")
    }
    let writer = try PNGWriter(image, compression: options.compression)
    let plane = image.planes[0]
    let batch = max((1 << 15) / plane.bytesPerRow, 1)
    return try image.withUnsafeBytes(ofPlane: 0) { bytes throws -> SharedBytes in
      guard let base = bytes.baseAddress else { throw PNGWriter.outOfMemory }
      for first in stride(from: 0, to: plane.size.height, by: batch) {
        try checkpoint()
        try writer.writeRows(
          min(batch, plane.size.height - first), from: base + first * plane.bytesPerRow, stride: plane.bytesPerRow)
      }
      return try writer.finish()
    }
  }
}

/// The owner of one write of a PNG file.
private final class PNGWriter {
  private let writer: OpaquePointer

  init(_ image: PixelImage, compression: Int) throws {
    var settings = fp_png_settings(
      width: UInt32(clamping: image.size.width), height: UInt32(clamping: image.size.height),
      channels: UInt32(clamping: image.layout.channels), compression: Int32(clamping: compression))
    guard let writer = fp_png_writer_create(&settings) else { throw Self.outOfMemory }
    self.writer = writer
  }

  deinit {
    fp_png_writer_destroy(writer)
  }

  func writeRows(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws {
    try check(
      fp_png_writer_write_rows(writer, rows.assumingMemoryBound(to: UInt8.self), stride, UInt32(clamping: count)))
  }

  func finish() throws -> SharedBytes {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    try check(fp_png_writer_finish(writer, &bytes, &count))
    guard let bytes else { throw Self.outOfMemory }
    return SharedBytes(adoptingAllocation: bytes, count: count)
  }

  private func check(_ status: fp_png_writer_status) throws {
    switch status {
    case FP_PNG_WRITER_OK: return
    case FP_PNG_WRITER_NO_MEMORY: throw Self.outOfMemory
    default:
      throw PipelineError(
        .encode, .encode, "the PNG cannot be written: \(String(cString: fp_png_writer_message(writer)))")
    }
  }

  static let outOfMemory = PipelineError(.encode, .outOfBudget, "the system has no memory to write a PNG")
}
