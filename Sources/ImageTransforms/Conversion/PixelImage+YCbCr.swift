import FetchPipeline

extension PixelImage {
  /// YCbCr as RGB; chroma is brought to luma's samples by the triangle filter.
  func yCbCrAsRGB() throws -> PixelImage {
    let full = try withChromaOnLumaGrid()
    return switch depth {
    case .eight: try full.planarAsRGB(YCbCrArithmetic<UInt8, Int32>(range: range))
    case .sixteen: try full.planarAsRGB(YCbCrArithmetic<UInt16, Int64>(range: range))
    }
  }

  private func planarAsRGB<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable, Wide>(
    _ arithmetic: YCbCrArithmetic<Sample, Wide>
  ) throws -> PixelImage {
    var result = try blank(.rgb)
    let size = planes[0].size
    try result.withMutableSamples(Sample.self, ofPlane: 0) { target in
      withSamples(Sample.self, ofPlane: 0) { luma in
        withSamples(Sample.self, ofPlane: 1) { cb in
          withSamples(Sample.self, ofPlane: 2) { cr in
            for line in 0..<size.height {
              let (y, u, v) = (luma.row(line), cb.row(line), cr.row(line))
              var output = target.row(line)
              for x in 0..<size.width {
                (output[0], output[1], output[2]) = arithmetic.rgb(y[x], u[x], v[x])
                output += 3
              }
            }
          }
        }
      }
    }
    return result
  }

  /// RGB as YCbCr of full range. Each chroma sample is that of the mean of the pixels it stands for.
  ///
  /// - Parameter subsampling: of the stored samples, so that it is wrong for a carried orientation unless it is 4:4:4 or
  ///   the sides are even.
  func rgbAsYCbCr(_ subsampling: ChromaSubsampling) throws -> PixelImage {
    switch depth {
    case .eight: try rgbAsPlanar(YCbCrArithmetic<UInt8, Int32>(range: .full), subsampling)
    case .sixteen: try rgbAsPlanar(YCbCrArithmetic<UInt16, Int64>(range: .full), subsampling)
    }
  }

  private func rgbAsPlanar<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable, Wide>(
    _ arithmetic: YCbCrArithmetic<Sample, Wide>, _ subsampling: ChromaSubsampling
  ) throws -> PixelImage {
    // More pixels to a chroma sample than their sum has bits for: of no known format.
    guard subsampling.horizontal <= 8, subsampling.vertical <= 8 else {
      throw PipelineError(.transform, .transform, "a chroma subsampling by more than 8 is not made")
    }
    var result = try withChromaPlanes(subsampling)
    let size = planes[0].size
    let chroma = result.planes[1].size
    try withSamples(Sample.self, ofPlane: 0) { source in
      try result.withMutableSamples(Sample.self, ofPlane: 0) { target in
        for line in 0..<size.height {
          var input = source.row(line)
          let output = target.row(line)
          for x in 0..<size.width {
            output[x] = arithmetic.luma(input[0], input[1], input[2])
            input += 3
          }
        }
      }
      for plane in 1..<3 {
        try result.withMutableSamples(Sample.self, ofPlane: plane) { target in
          for line in 0..<chroma.height {
            let rows = line * subsampling.vertical..<min((line + 1) * subsampling.vertical, size.height)
            let output = target.row(line)
            for x in 0..<chroma.width {
              let left = x * subsampling.horizontal
              let columns = min(subsampling.horizontal, size.width - left)
              var (red, green, blue) = (Wide(0), Wide(0), Wide(0))
              for row in rows {
                var input = source.row(row) + left * 3
                for _ in 0..<columns {
                  red &+= Wide(input[0])
                  green &+= Wide(input[1])
                  blue &+= Wide(input[2])
                  input += 3
                }
              }
              let count = Wide(rows.count * columns)
              output[x] =
                plane == 1
                ? arithmetic.cb(red, green, blue, count: count) : arithmetic.cr(red, green, blue, count: count)
            }
          }
        }
      }
    }
    return result
  }

  /// Grey as YCbCr of full range.
  func grayAsYCbCr(_ subsampling: ChromaSubsampling) throws -> PixelImage {
    var result = try withChromaPlanes(subsampling)
    try result.copySamples(ofPlane: 0, from: self)
    for plane in 1..<3 {
      let size = result.planes[plane].size
      switch depth {
      case .eight:
        try result.withMutableSamples(UInt8.self, ofPlane: plane) { samples in
          for y in 0..<size.height { samples.row(y).update(repeating: 128, count: size.width) }
        }
      case .sixteen:
        try result.withMutableSamples(UInt16.self, ofPlane: plane) { samples in
          for y in 0..<size.height { samples.row(y).update(repeating: 32_768, count: size.width) }
        }
      }
    }
    return result
  }

  /// The luma of YCbCr as grey.
  func lumaAsGray() throws -> PixelImage {
    var result = try blank(.gray)
    try result.copySamples(ofPlane: 0, from: self)
    guard range == .limited else { return result }
    let size = planes[0].size
    switch depth {
    case .eight:
      let arithmetic = YCbCrArithmetic<UInt8, Int32>(range: .limited)
      try result.withMutableSamples(UInt8.self, ofPlane: 0) { samples in
        for y in 0..<size.height {
          let row = samples.row(y)
          for x in 0..<size.width { row[x] = arithmetic.gray(row[x]) }
        }
      }
    case .sixteen:
      let arithmetic = YCbCrArithmetic<UInt16, Int64>(range: .limited)
      try result.withMutableSamples(UInt16.self, ofPlane: 0) { samples in
        for y in 0..<size.height {
          let row = samples.row(y)
          for x in 0..<size.width { row[x] = arithmetic.gray(row[x]) }
        }
      }
    }
    return result
  }

  /// RGB as grey, RGBA as grey with alpha: the luma of BT.601.
  func rgbAsGray() throws -> PixelImage {
    let isPlain = layout == .rgb
    switch depth {
    case .eight:
      let arithmetic = YCbCrArithmetic<UInt8, Int32>(range: .full)
      if isPlain {
        return try mappingPixels(of: UInt8.self, to: .gray) { $1[0] = arithmetic.luma($0[0], $0[1], $0[2]) }
      }
      return try mappingPixels(of: UInt8.self, to: .grayAlpha, alpha: alpha) {
        ($1[0], $1[1]) = (arithmetic.luma($0[0], $0[1], $0[2]), $0[3])
      }
    case .sixteen:
      let arithmetic = YCbCrArithmetic<UInt16, Int64>(range: .full)
      if isPlain {
        return try mappingPixels(of: UInt16.self, to: .gray) { $1[0] = arithmetic.luma($0[0], $0[1], $0[2]) }
      }
      return try mappingPixels(of: UInt16.self, to: .grayAlpha, alpha: alpha) {
        ($1[0], $1[1]) = (arithmetic.luma($0[0], $0[1], $0[2]), $0[3])
      }
    }
  }

  /// YCbCr in the other range.
  func converted(to target: SampleRange) throws -> PixelImage {
    guard layout == .yCbCr, target != range else { return self }
    var result = self
    result.range = target
    let unit = depth == .eight ? 1.0 : 256.0
    let most = depth == .eight ? 255.0 : 65_535.0
    for (index, plane) in planes.enumerated() {
      // Both ranges as offset and excursion: luma from its black, chroma from its middle.
      let full = index == 0 ? (zero: 0.0, swing: most) : (zero: 128 * unit, swing: most)
      let limited = index == 0 ? (zero: 16 * unit, swing: 219 * unit) : (zero: 128 * unit, swing: 224 * unit)
      let (from, to) = target == .full ? (limited, full) : (full, limited)
      let table = (0...Int(most)).map { value in
        UInt16(min(max(((Double(value) - from.zero) * to.swing / from.swing + to.zero).rounded(), 0), most))
      }
      try table.withUnsafeBufferPointer { table in
        switch depth {
        case .eight:
          try result.withMutableSamples(UInt8.self, ofPlane: index) { samples in
            for y in 0..<plane.size.height {
              let row = samples.row(y)
              for x in 0..<plane.size.width { row[x] = UInt8(truncatingIfNeeded: table[Int(row[x])]) }
            }
          }
        case .sixteen:
          try result.withMutableSamples(UInt16.self, ofPlane: index) { samples in
            for y in 0..<plane.size.height {
              let row = samples.row(y)
              for x in 0..<plane.size.width { row[x] = table[Int(row[x])] }
            }
          }
        }
      }
    }
    return result
  }
}
