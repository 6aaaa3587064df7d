internal import CFetchPipelinePlugin

/// A table of a plugin in C.
// Sendable: the header says that its functions may be called from several threads, and that it stays as it is.
struct CTable<Table>: @unchecked Sendable {
  let table: Table
}

/// Calls of functions that return an `fp_status` and may say why they fail.
enum CPluginCall {
  /// Calls `body` with a buffer for a message; throws what its status means at `stage`.
  static func check(
    _ name: String, at stage: PipelineError.Stage, _ body: (UnsafeMutablePointer<CChar>, Int) throws -> Int32
  ) throws {
    let size = 512
    try withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      buffer.initialize(repeating: 0)
      guard let message = buffer.baseAddress else { return }
      let status = try body(message, size)
      if Int(status) == FP_OK { return }
      let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw error(status, stage: stage, name: name, message: text)
    }
  }

  private static func error(
    _ status: Int32, stage: PipelineError.Stage, name: String, message: String
  ) -> any Error {
    let said = message.isEmpty ? "gives no reason" : message
    switch (Int(status), stage) {
    case (FP_DECLINED, .decode): return DecoderDeclined("\(name): \(said)")
    case (FP_CORRUPT, .decode): return PipelineError(stage, .corrupt, "\(name): \(said)")
    case (FP_TRUNCATED, .decode): return PipelineError(stage, .truncated, "\(name): \(said)")
    case (FP_UNSUPPORTED, .decode): return PipelineError(stage, .unsupportedFeature, "\(name): \(said)")
    case (FP_UNSUPPORTED, .transform): return PipelineError(stage, .transform, "\(name): \(said)")
    case (FP_STOPPED, _): return CancellationError()
    case (FP_NO_MEMORY, _): return PipelineError(stage, .outOfBudget, "\(name): the system has no memory")
    case (FP_FAILED, _): return PipelineError(stage, .plugin, "\(name): \(said)")
    default: return PipelineError(.plugin, .plugin, "\(name) returned \(status), which means nothing here: \(said)")
    }
  }

  /// Calls `body` with what C asks whether it may go on; throws what `checkpoint` has thrown meanwhile.
  static func withCheckpoint(
    _ checkpoint: DecodeCheckpoint, _ body: (UnsafePointer<fp_checkpoint>) -> Int32
  ) throws -> Int32 {
    let relay = Relay(checkpoint)
    var table = fp_checkpoint()
    table.context = Unmanaged.passUnretained(relay).toOpaque()
    table.proceed = { context in
      guard let context else { return 0 }
      return Unmanaged<Relay>.fromOpaque(context).takeUnretainedValue().ask()
    }
    let status = withExtendedLifetime(relay) { body(&table) }
    // Also where the plugin has not listened.
    if let error = relay.error { throw error }
    return status
  }

  /// An error that a checkpoint throws waits here until C has returned.
  private final class Relay {
    private let checkpoint: DecodeCheckpoint
    private(set) var error: (any Error)?

    init(_ checkpoint: DecodeCheckpoint) {
      self.checkpoint = checkpoint
    }

    func ask() -> Int32 {
      guard error == nil else { return 0 }
      do {
        try checkpoint()
        return 1
      } catch {
        self.error = error
        return 0
      }
    }
  }
}

extension PixelLayout {
  /// The layout of a number of the boundary; nil for any other number.
  init?(boundary number: UInt32) {
    switch Int(number) {
    case FP_GRAY: self = .gray
    case FP_GRAY_ALPHA: self = .grayAlpha
    case FP_RGB: self = .rgb
    case FP_RGBA: self = .rgba
    default: return nil
    }
  }
}

extension PixelImage {
  /// The first plane as C sees it, without the address of its samples.
  var boundaryPicture: fp_picture {
    fp_picture(
      width: UInt32(planes[0].size.width), height: UInt32(planes[0].size.height), layout: UInt32(layout.channels),
      depth: UInt32(depth.bytes * 8), bytes_per_row: planes[0].bytesPerRow,
      pixels: nil)
  }
}
