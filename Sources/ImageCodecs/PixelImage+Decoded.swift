import FetchPipeline

extension PixelImage {
  /// Makes the windows stand for a part of the picture: `region` of its `stored` size.
  mutating func narrow(to region: PixelRect, of stored: PixelSize) {
    for (index, plane) in planes.enumerated() {
      let x = plane.window.width / Double(stored.width)
      let y = plane.window.height / Double(stored.height)
      var window = region.scaled(x: x, y: y)
      window.x += plane.window.x
      window.y += plane.window.y
      setWindow(window, ofPlane: index)
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
