import FetchPipeline

extension PixelImage {
  /// CMYK as RGB by the plain formula R = (1 − C)(1 − K), for inks that nothing more is known about.
  func cmykAsRGB() throws -> PixelImage {
    var result =
      switch depth {
      case .eight: try cmykAsRGB(UInt8.self)
      case .sixteen: try cmykAsRGB(UInt16.self)
      }
    // A profile of inks says nothing about the new colours.
    result.profile = .sRGB
    return result
  }

  private func cmykAsRGB<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type
  ) throws -> PixelImage {
    let most = UInt64(Sample.max)
    return try mappingPixels(of: type, to: .rgb) { input, output in
      let light = most - UInt64(input[3])
      for channel in 0..<3 {
        output[channel] = Sample(truncatingIfNeeded: ((most - UInt64(input[channel])) * light + most / 2) / most)
      }
    }
  }

  /// RGB as CMYK with as much black as there is: the inverse of the plain formula.
  func rgbAsCMYK() throws -> PixelImage {
    switch depth {
    case .eight: try rgbAsCMYK(UInt8.self)
    case .sixteen: try rgbAsCMYK(UInt16.self)
    }
  }

  private func rgbAsCMYK<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type
  ) throws -> PixelImage {
    let most = UInt64(Sample.max)
    return try mappingPixels(of: type, to: .cmyk) { input, output in
      let light = UInt64(max(input[0], input[1], input[2]))
      for channel in 0..<3 {
        let ink = light == 0 ? 0 : ((light - UInt64(input[channel])) * most + light / 2) / light
        output[channel] = Sample(truncatingIfNeeded: ink)
      }
      output[3] = Sample(truncatingIfNeeded: most - light)
    }
  }
}
