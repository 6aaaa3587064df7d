import FetchPipeline

extension PixelImage {
  /// Sets every byte of a plane.
  mutating func fill(plane index: Int, with value: UInt8) throws {
    try withUnsafeMutableBytes(ofPlane: index) { bytes in
      _ = bytes.initializeMemory(as: UInt8.self, repeating: value)
    }
  }

  /// Replaces every sample by its difference to the largest value.
  mutating func invertSamples() throws {
    for index in planes.indices {
      try withUnsafeMutableBytes(ofPlane: index) { bytes in
        for at in bytes.indices { bytes[at] = ~bytes[at] }
      }
    }
  }
}
