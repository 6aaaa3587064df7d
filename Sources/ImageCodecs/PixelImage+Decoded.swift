import FetchPipeline

extension PixelImage {
  /// Replaces every sample by its difference to the largest value.
  mutating func invertSamples() throws {
    for index in planes.indices {
      try withUnsafeMutableBytes(ofPlane: index) { bytes in
        for at in bytes.indices { bytes[at] = ~bytes[at] }
      }
    }
  }
}
