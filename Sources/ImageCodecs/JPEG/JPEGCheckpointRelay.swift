import CImageCodecs
import FetchPipeline

/// Carries a checkpoint through C: an error that it throws waits here until C has returned.
final class JPEGCheckpointRelay {
  private let checkpoint: DecodeCheckpoint
  /// Why the work was stopped.
  private(set) var error: (any Error)?

  private init(_ checkpoint: DecodeCheckpoint) {
    self.checkpoint = checkpoint
  }

  /// Calls `body` with what C needs to ask `checkpoint`, and throws what that has thrown meanwhile.
  static func run(
    _ checkpoint: DecodeCheckpoint, _ body: (fp_jpeg_checkpoint, UnsafeMutableRawPointer) throws -> fp_jpeg_status
  ) throws -> fp_jpeg_status {
    let relay = JPEGCheckpointRelay(checkpoint)
    let status = try body(ask, Unmanaged.passUnretained(relay).toOpaque())
    if status == FP_JPEG_STOPPED { throw relay.error ?? CancellationError() }
    return status
  }

  private static let ask: fp_jpeg_checkpoint = { context in
    guard let context else { return true }
    let relay = Unmanaged<JPEGCheckpointRelay>.fromOpaque(context).takeUnretainedValue()
    do {
      try relay.checkpoint()
      return true
    } catch {
      relay.error = error
      return false
    }
  }
}
