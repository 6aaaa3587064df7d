extension PixelImage {
  /// Whether any pixel is not fully opaque. Looks at every pixel of layouts with alpha.
  public var hasTransparentPixels: Bool {
    guard layout.hasAlpha else { return false }
    let plane = planes[0]
    return withUnsafeBytes(ofPlane: 0) { bytes in
      for row in 0..<plane.size.height {
        let start = row * plane.bytesPerRow
        switch depth {
        case .eight:
          var at = start + layout.channels - 1
          var all: UInt8 = 255
          for _ in 0..<plane.size.width {
            all &= bytes[at]
            at += layout.channels
          }
          if all != 255 { return true }
        case .sixteen:
          var at = start + (layout.channels - 1) * 2
          var all = UInt16.max
          for _ in 0..<plane.size.width {
            all &= bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self)
            at += layout.channels * 2
          }
          if all != .max { return true }
        }
      }
      return false
    }
  }
}
