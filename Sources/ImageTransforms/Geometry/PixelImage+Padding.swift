import FetchPipeline

extension PixelImage {
  /// A literal picture in the middle of a larger one that is otherwise of one colour; a pixel that cannot be shared evenly
  /// goes to the right or bottom.
  ///
  /// YCbCr has to be 4:4:4. The layout changes where the colour needs it: to one with alpha for a transparent one, to RGB
  /// for one that is not grey.
  func padded(to size: PixelSize, with color: Color, context: TransformContext) throws -> PixelImage {
    let image = try context.converter.convert(self, to: paddingForm(for: color), background: context.background)
    let (left, top) = ((size.width - self.size.width) / 2, (size.height - self.size.height) / 2)
    var result = try PixelImage(
      layout: image.layout, depth: image.depth, size: size, alpha: image.alpha, profile: image.profile)
    for index in result.planes.indices {
      let pixel = image.samples(of: color, inPlane: index)
      try result.fill(plane: index, with: pixel)
      try result.paste(image, plane: index, left: left, top: top)
    }
    return result
  }

  private func paddingForm(for color: Color) -> PixelForm {
    if color.alpha < 255 {
      let layouts: [PixelLayout] = color.isGray || color.alpha == 0 ? [.grayAlpha, .rgba] : [.rgba]
      let isGray = layout == .gray || layout == .grayAlpha
      return PixelForm(
        layouts: isGray ? layouts : [.rgba], depths: [depth], isLiteral: true, alpha: [.straight])
    }
    let layouts = PixelLayout.allCases.filter { color.isGray || ($0 != .gray && $0 != .grayAlpha) }
    return PixelForm(
      layouts: layouts.filter { $0 != .cmyk }, depths: [depth], chroma: ChromaSubsampling.none, isLiteral: true)
  }

  /// A colour as a pixel of this picture's kind.
  private func samples(of color: Color, inPlane index: Int) -> [UInt16] {
    let factor: UInt16 = depth == .eight ? 1 : 257
    let (red, green, blue) = (UInt16(color.red) * factor, UInt16(color.green) * factor, UInt16(color.blue) * factor)
    let opacity = UInt16(color.alpha) * factor
    switch layout {
    case .yCbCr:
      let arithmetic = YCbCrArithmetic<UInt16, Int64>(range: .full)
      let small = YCbCrArithmetic<UInt8, Int32>(range: .full)
      let wide = arithmetic.yCbCr(red, green, blue)
      let narrow = small.yCbCr(color.red, color.green, color.blue)
      let all = depth == .eight ? [UInt16(narrow.0), UInt16(narrow.1), UInt16(narrow.2)] : [wide.0, wide.1, wide.2]
      return [all[index]]
    case .gray: return [red]
    case .grayAlpha: return [red, opacity]
    case .rgb: return [red, green, blue]
    case .rgba, .cmyk: return [red, green, blue, opacity]
    }
  }

  private mutating func fill(plane index: Int, with pixel: [UInt16]) throws {
    let plane = planes[index]
    switch depth {
    case .eight:
      try withMutableSamples(UInt8.self, ofPlane: index) { samples in
        let bytes = pixel.map { UInt8(truncatingIfNeeded: $0) }
        for y in 0..<plane.size.height {
          let row = samples.row(y)
          for x in 0..<plane.size.width * plane.channels { row[x] = bytes[x % plane.channels] }
        }
      }
    case .sixteen:
      try withMutableSamples(UInt16.self, ofPlane: index) { samples in
        for y in 0..<plane.size.height {
          let row = samples.row(y)
          for x in 0..<plane.size.width * plane.channels { row[x] = pixel[x % plane.channels] }
        }
      }
    }
  }

  private mutating func paste(_ image: PixelImage, plane index: Int, left: Int, top: Int) throws {
    let (from, to) = (image.planes[index], planes[index])
    let pixel = to.channels * depth.bytes
    try withUnsafeMutableBytes(ofPlane: index) { target in
      image.withUnsafeBytes(ofPlane: index) { source in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        for row in 0..<from.size.height {
          (target + (top + row) * to.bytesPerRow + left * pixel).copyMemory(
            from: source + row * from.bytesPerRow, byteCount: from.size.width * pixel)
        }
      }
    }
  }
}
