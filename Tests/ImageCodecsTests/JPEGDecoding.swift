import FetchPipeline
import ImageCodecs
import Testing

/// A session with its probe and decode in one, as the engine calls them.
struct JPEGDecoding {
  let session = JPEGDecoder().makeSession()

  func decode(
    _ bytes: [UInt8], scale: Double = 1, limits: Limits = Limits(),
    checkpoint: DecodeCheckpoint = DecodeCheckpoint(cpuTime: .seconds(60))
  ) throws -> DecodedImage {
    let shared = SharedBytes(bytes)
    let probe = try session.probe(shared, limits: limits)
    return try session.decode(
      shared, probe: probe, plan: DecodePlan(scale: scale, limits: limits), checkpoint: checkpoint)
  }

  /// The code of the error that a probe or decode ends with; nil where there is none.
  func failure(_ bytes: [UInt8], limits: Limits = Limits()) -> PipelineError.Code? {
    do {
      _ = try decode(bytes, limits: limits)
      return nil
    } catch let error as PipelineError {
      return error.code
    } catch {
      Issue.record(error)
      return nil
    }
  }
}

extension PixelImage {
  /// The sample at a column and row of a plane of one channel.
  func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    withUnsafeBytes(ofPlane: plane) { Int($0[y * planes[plane].bytesPerRow + x]) }
  }

  /// The channels of a pixel of the only plane.
  func channels(_ x: Int, _ y: Int) -> [Int] {
    withUnsafeBytes(ofPlane: 0) { bytes in
      let start = y * planes[0].bytesPerRow + x * layout.channels
      return (0..<layout.channels).map { Int(bytes[start + $0]) }
    }
  }

  /// All samples of a plane of one channel, with those outside the window.
  func rows(ofPlane index: Int) -> [[Int]] {
    let plane = planes[index]
    return withUnsafeBytes(ofPlane: index) { bytes in
      (0..<plane.size.height).map { row in
        (0..<plane.size.width * plane.channels).map { Int(bytes[row * plane.bytesPerRow + $0]) }
      }
    }
  }
}
