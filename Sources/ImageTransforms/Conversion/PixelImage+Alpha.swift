import FetchPipeline

extension PixelImage {
  /// The picture with colours multiplied by alpha, or divided by it again, to the nearest level (a half goes up).
  ///
  /// Of a pixel that is fully transparent nothing is left. A picture that is opaque gets the state and no other change.
  func withAlphaState(_ state: AlphaState) throws -> PixelImage {
    guard state != alpha else { return self }
    var result = self
    result.alpha = state
    guard layout.hasAlpha, alpha != .opaque, state != .opaque else { return result }
    switch depth {
    case .eight: try result.scaleColors(UInt8.self, premultiplying: state == .premultiplied)
    case .sixteen: try result.scaleColors(UInt16.self, premultiplying: state == .premultiplied)
    }
    return result
  }

  private mutating func scaleColors<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, premultiplying: Bool
  ) throws {
    let (size, channels) = (planes[0].size, layout.channels)
    let most = UInt64(Sample.max)
    try withMutableSamples(type, ofPlane: 0) { samples in
      for y in 0..<size.height {
        var pixel = samples.row(y)
        for _ in 0..<size.width {
          let alpha = UInt64(pixel[channels - 1])
          for channel in 0..<channels - 1 {
            let value = UInt64(pixel[channel])
            if premultiplying {
              pixel[channel] = Sample(truncatingIfNeeded: (value * alpha + most / 2) / most)
            } else {
              pixel[channel] =
                alpha == 0 ? 0 : Sample(truncatingIfNeeded: min((value * most + alpha / 2) / alpha, most))
            }
          }
          pixel += channels
        }
      }
    }
  }

  /// The picture laid over a background, without alpha: grey on grey stays grey, all else becomes RGB. The background's own
  /// alpha is ignored.
  func flattened(over background: Color) throws -> PixelImage {
    guard layout.hasAlpha, alpha != .opaque else { return try withoutAlphaChannel() }
    if layout == .grayAlpha, !background.isGray { return try withGrayAsRGB().flattened(over: background) }
    return switch depth {
    case .eight: try flattened(UInt8.self, UInt32.self, over: background, factor: 1)
    case .sixteen: try flattened(UInt16.self, UInt64.self, over: background, factor: 257)
    }
  }

  /// - Parameter wide: a type that holds products of samples.
  private func flattened<
    Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable, Wide: FixedWidthInteger & UnsignedInteger
  >(
    _ type: Sample.Type, _ wide: Wide.Type, over background: Color, factor: Wide
  ) throws -> PixelImage {
    let most = Wide(truncatingIfNeeded: Sample.max)
    let channels = layout.channels - 1
    let isPremultiplied = alpha == .premultiplied
    let behind = (Wide(background.red) * factor, Wide(background.green) * factor, Wide(background.blue) * factor)
    return try mappingPixels(of: type, to: channels == 1 ? .gray : .rgb) { input, output in
      let alpha = Wide(truncatingIfNeeded: input[channels])
      @inline(__always) func blend(_ channel: Int, _ behind: Wide) {
        let front = Wide(truncatingIfNeeded: input[channel]) &* (isPremultiplied ? most : alpha)
        let sum = front &+ behind &* (most &- alpha) &+ most / 2
        output[channel] = Sample(clamping: sum / most)
      }
      blend(0, behind.0)
      if channels == 3 {
        blend(1, behind.1)
        blend(2, behind.2)
      }
    }
  }

  /// The picture laid over a colour that is transparent itself: straight alpha, RGB unless all is grey.
  func composited(over color: Color) throws -> PixelImage {
    guard layout.hasAlpha, alpha != .opaque else { return self }
    if layout == .grayAlpha, !color.isGray { return try withGrayAsRGB().composited(over: color) }
    let straight = try withAlphaState(.straight)
    return switch depth {
    case .eight: try straight.composited(UInt8.self, over: color, factor: 1)
    case .sixteen: try straight.composited(UInt16.self, over: color, factor: 257)
    }
  }

  /// Porter and Duff's "over" for straight alpha: α = αf + αb(1 − αf), c = (cf αf + cb αb(1 − αf)) / α.
  private func composited<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, over color: Color, factor: Int
  ) throws -> PixelImage {
    let most = Double(Sample.max)
    let channels = layout.channels - 1
    let behind = [color.red, color.green, color.blue].map { Double(Int($0) * factor) }
    let opacityBehind = Double(color.alpha) / 255
    return try mappingPixels(of: type, to: layout, alpha: .straight) { input, output in
      let front = Double(input[channels]) / most
      let back = opacityBehind * (1 - front)
      let opacity = front + back
      output[channels] = Sample(opacity * most + 0.5)
      for channel in 0..<channels {
        let sum = Double(input[channel]) * front + behind[channel] * back
        output[channel] = opacity > 0 ? Sample(min(sum / opacity + 0.5, most)) : 0
      }
    }
  }

  /// The picture without its alpha channel, whose colours are as they are; itself where there is none.
  func withoutAlphaChannel() throws -> PixelImage {
    switch (layout, depth) {
    case (.grayAlpha, .eight): try mappingPixels(of: UInt8.self, to: .gray) { $1[0] = $0[0] }
    case (.grayAlpha, .sixteen): try mappingPixels(of: UInt16.self, to: .gray) { $1[0] = $0[0] }
    case (.rgba, .eight): try mappingPixels(of: UInt8.self, to: .rgb) { ($1[0], $1[1], $1[2]) = ($0[0], $0[1], $0[2]) }
    case (.rgba, .sixteen):
      try mappingPixels(of: UInt16.self, to: .rgb) { ($1[0], $1[1], $1[2]) = ($0[0], $0[1], $0[2]) }
    default: self
    }
  }

  /// The picture with an alpha channel that is opaque everywhere; itself where there is one, or where the layout has
  /// none of its kind.
  func withAlphaChannel() throws -> PixelImage {
    switch (layout, depth) {
    case (.gray, .eight): try mappingPixels(of: UInt8.self, to: .grayAlpha) { ($1[0], $1[1]) = ($0[0], .max) }
    case (.gray, .sixteen): try mappingPixels(of: UInt16.self, to: .grayAlpha) { ($1[0], $1[1]) = ($0[0], .max) }
    case (.rgb, .eight):
      try mappingPixels(of: UInt8.self, to: .rgba) { ($1[0], $1[1], $1[2], $1[3]) = ($0[0], $0[1], $0[2], .max) }
    case (.rgb, .sixteen):
      try mappingPixels(of: UInt16.self, to: .rgba) { ($1[0], $1[1], $1[2], $1[3]) = ($0[0], $0[1], $0[2], .max) }
    default: self
    }
  }

  /// Grey as RGB, and grey with alpha as RGBA; itself where it is neither.
  func withGrayAsRGB() throws -> PixelImage {
    switch (layout, depth) {
    case (.gray, .eight): try mappingPixels(of: UInt8.self, to: .rgb) { ($1[0], $1[1], $1[2]) = ($0[0], $0[0], $0[0]) }
    case (.gray, .sixteen):
      try mappingPixels(of: UInt16.self, to: .rgb) { ($1[0], $1[1], $1[2]) = ($0[0], $0[0], $0[0]) }
    case (.grayAlpha, .eight):
      try mappingPixels(of: UInt8.self, to: .rgba, alpha: alpha) {
        ($1[0], $1[1], $1[2], $1[3]) = ($0[0], $0[0], $0[0], $0[1])
      }
    case (.grayAlpha, .sixteen):
      try mappingPixels(of: UInt16.self, to: .rgba, alpha: alpha) {
        ($1[0], $1[1], $1[2], $1[3]) = ($0[0], $0[0], $0[0], $0[1])
      }
    default: self
    }
  }
}
