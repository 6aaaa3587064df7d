import FetchPipeline
import ImageCodecs
import Testing

@Suite("Encoding JPEG")
struct JPEGEncoderTests {
  private let checkpoint = DecodeCheckpoint(cpuTime: .seconds(60))

  /// A picture whose planes have the values of a function.
  private func image(
    _ layout: PixelLayout, _ width: Int, _ height: Int, chroma: ChromaSubsampling = .half,
    _ value: (_ plane: Int, _ x: Int, _ y: Int, _ channel: Int) -> Int
  ) throws -> PixelImage {
    let size = PixelSize(width: width, height: height)
    let sizes = layout == .yCbCr ? [size, chroma.planeSize(for: size), chroma.planeSize(for: size)] : [size]
    var image = try PixelImage(layout: layout, size: size, planeSizes: sizes)
    for (index, plane) in image.planes.enumerated() {
      try image.withUnsafeMutableBytes(ofPlane: index) { bytes in
        // What stands behind a row must not get into the file.
        for at in bytes.indices { bytes[at] = 0xee }
        for y in 0..<plane.size.height {
          for x in 0..<plane.size.width {
            for channel in 0..<layout.channels {
              bytes[y * plane.bytesPerRow + x * layout.channels + channel] = UInt8(value(index, x, y, channel))
            }
          }
        }
      }
    }
    return image
  }

  private func encode(_ image: PixelImage, _ change: (inout JPEGEncoder) -> Void = { _ in }) throws -> [UInt8] {
    var encoder = JPEGEncoder()
    change(&encoder)
    return try encoder.makeSession().encode(image, checkpoint: checkpoint).array()
  }

  /// The marker segments before the coded data, in order.
  private func segments(_ bytes: [UInt8]) throws -> [(marker: UInt8, content: [UInt8])] {
    var found: [(UInt8, [UInt8])] = []
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xff {
      let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
      found.append((bytes[at + 1], Array(bytes[(at + 4)..<(at + 2 + length)])))
      if bytes[at + 1] == 0xda { return found }
      at += 2 + length
    }
    Issue.record("no scan")
    return found
  }

  // MARK: The file

  @Test("The file has JFIF, tables, frame and scan, and nothing else")
  func markers() throws {
    let bytes = try encode(image(.yCbCr, 37, 21) { plane, x, y, _ in plane * 40 + x + y })
    #expect(bytes.starts(with: [0xff, 0xd8]))
    #expect(bytes.suffix(2) == [0xff, 0xd9])
    let segments = try segments(bytes)
    #expect(Set(segments.map(\.marker)) == [0xe0, 0xdb, 0xc0, 0xc4, 0xda])
    #expect(segments.first?.marker == 0xe0)
    // JFIF 1.1, no unit, 1:1, no thumbnail.
    #expect(segments.first?.content == Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
    let frame = try #require(segments.first { $0.marker == 0xc0 }).content
    #expect(frame == [8, 0, 21, 0, 37, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
  }

  @Test("Full density of colour, progressive and grey stand in the frame header")
  func frames() throws {
    let full = try encode(image(.yCbCr, 37, 21, chroma: .none) { plane, x, y, _ in plane * 40 + x + y }) {
      $0.subsampling = .none
    }
    #expect(try segments(full).first { $0.marker == 0xc0 }?.content.suffix(9) == [1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1])
    let progressive = try encode(image(.yCbCr, 37, 21) { plane, x, y, _ in plane * 40 + x + y }) {
      $0.isProgressive = true
    }
    #expect(try segments(progressive).contains { $0.marker == 0xc2 })
    let gray = try encode(image(.gray, 37, 21) { _, x, y, _ in x + y })
    #expect(try segments(gray).first { $0.marker == 0xc0 }?.content == [8, 0, 21, 0, 37, 1, 1, 0x11, 0])
  }

  @Test(
    "Quality scales the tables of T.81, annex K", arguments: [(50, 16, 17), (80, 6, 7), (100, 1, 1), (1, 255, 255)])
  func quality(_ quality: Int, luma: UInt8, chroma: UInt8) throws {
    // The first entries are 16 and 17; at 80 they are (16·40+50)/100 and (17·40+50)/100.
    let bytes = try encode(image(.yCbCr, 16, 16) { _, x, y, _ in x * y }) { $0.quality = quality }
    let tables = try segments(bytes).filter { $0.marker == 0xdb }.flatMap(\.content)
    #expect(tables.count == 2 * 65)
    #expect([tables[0], tables[1], tables[65], tables[66]] == [0, luma, 1, chroma])
  }

  // MARK: Pixels

  /// Grey ramps and colour ramps that a JPEG of the best quality keeps to a level or two.
  private static func ramp(_ plane: Int, _ x: Int, _ y: Int, _ channel: Int) -> Int {
    switch plane {
    case 0: 20 + (x * 3 + y * 2) / 8 % 200
    case 1: 100 + x / 8 % 60
    default: 160 - y / 8 % 60
    }
  }

  @Test(
    "Planes come back as they were", arguments: [(1, 1), (1, 5000), (5000, 1), (257, 255), (16, 16), (17, 33)],
    [false, true])
  func planes(_ size: (Int, Int), isProgressive: Bool) throws {
    for chroma in [ChromaSubsampling.half, .none] {
      let source = try image(.yCbCr, size.0, size.1, chroma: chroma, Self.ramp)
      let bytes = try encode(source) {
        $0.quality = 100
        $0.isProgressive = isProgressive
        $0.subsampling = chroma == .half ? .half : .none
      }
      let decoded = try JPEGDecoding().decode(bytes)
      #expect(decoded.flags == [])
      #expect(decoded.image.size == source.size)
      for (index, plane) in source.planes.enumerated() {
        let rows = decoded.image.rows(ofPlane: index)
        // Beyond the edge its samples are repeated, so that it stays sharp.
        var worst = 0
        for (y, row) in rows.enumerated() {
          for (x, value) in row.enumerated() {
            let expected = Self.ramp(index, min(x, plane.size.width - 1), min(y, plane.size.height - 1), 0)
            worst = max(worst, abs(value - expected))
          }
        }
        #expect(worst <= 2)
      }
    }
  }

  @Test("Flat colours come back exactly at the usual quality")
  func flatPlanes() throws {
    // At quality 80 the DC quantisers are 6 and 7: levels are kept to half a step of 6/8 and 7/8.
    for levels in [[0, 128, 128], [255, 128, 128], [76, 85, 255], [150, 44, 21], [29, 255, 107]] {
      let decoded = try JPEGDecoding().decode(encode(image(.yCbCr, 30, 20) { plane, _, _, _ in levels[plane] }))
      for plane in 0..<3 {
        let samples = decoded.image.rows(ofPlane: plane).flatMap { $0 }
        #expect(Set(samples).count == 1)
        #expect(abs((samples.first ?? -9) - levels[plane]) <= 1)
      }
    }
  }

  @Test("RGB becomes YCbCr of JFIF")
  func rgb() throws {
    // Y = 0.299 R + 0.587 G + 0.114 B and so on (JFIF 1.02), rounded.
    for (pixel, expected) in [
      ([255, 0, 0], [76, 85, 255]), ([0, 255, 0], [150, 44, 21]), ([0, 0, 255], [29, 255, 107]),
      ([255, 255, 255], [255, 128, 128]), ([90, 90, 90], [90, 128, 128]),
    ] {
      let bytes = try encode(image(.rgb, 33, 17) { _, _, _, channel in pixel[channel] }) { $0.quality = 100 }
      let decoded = try JPEGDecoding().decode(bytes).image
      #expect(decoded.layout == .yCbCr)
      for plane in 0..<3 {
        for sample in decoded.rows(ofPlane: plane).flatMap({ $0 }) { #expect(abs(sample - expected[plane]) <= 1) }
      }
    }
  }

  @Test("Grey stays grey")
  func gray() throws {
    let source = try image(.gray, 257, 255) { _, x, y, _ in Self.ramp(0, x, y, 0) }
    let decoded = try JPEGDecoding().decode(encode(source) { $0.quality = 100 }).image
    #expect(decoded.layout == .gray)
    for y in 0..<255 {
      for x in 0..<257 { #expect(abs(decoded.sample(0, x, y) - Self.ramp(0, x, y, 0)) <= 2) }
    }
  }

  // MARK: Sessions

  @Test("What a session encoded before changes nothing")
  func determinism() throws {
    let pictures = [
      try image(.yCbCr, 64, 48, Self.ramp), try image(.gray, 300, 20) { _, x, y, _ in x * y % 256 },
      try image(.rgb, 31, 77) { _, x, y, channel in (x * 5 + y * channel) % 256 },
      try image(.yCbCr, 200, 100) { plane, x, y, _ in (x * x + y * plane) % 256 },
    ]
    for isProgressive in [false, true] {
      var encoder = JPEGEncoder()
      encoder.isProgressive = isProgressive
      let session = encoder.makeSession()
      let alone = try pictures.map { try encoder.makeSession().encode($0, checkpoint: checkpoint) }
      for index in [0, 1, 2, 3, 2, 1, 3, 0, 0] {
        #expect(try session.encode(pictures[index], checkpoint: checkpoint) == alone[index])
      }
    }
  }

  @Test("The checkpoint ends the work, and the session goes on")
  func checkpointEnds() throws {
    let source = try image(.yCbCr, 300, 300) { plane, x, y, _ in (x * x + y * plane) % 256 }
    let session = JPEGEncoder().makeSession()
    let whole = try session.encode(source, checkpoint: checkpoint)
    for last in [1, 5, 20] {
      let left = Lock(last)
      let ending = DecodeCheckpoint(cpuTime: .seconds(60)) {
        left.withLock {
          $0 -= 1
          return $0 <= 0
        }
      }
      #expect(throws: CancellationError.self) { try session.encode(source, checkpoint: ending) }
      #expect(try session.encode(source, checkpoint: checkpoint) == whole)
    }
  }

  @Test("What is not in the accepted form is refused, not read wrongly")
  func otherForms() throws {
    let session = JPEGEncoder().makeSession()
    let rgba = try image(.rgba, 8, 8) { _, _, _, _ in 9 }
    let dense = try image(.yCbCr, 8, 8, chroma: .none) { _, _, _, _ in 9 }
    let deep = try PixelImage(layout: .gray, depth: .sixteen, size: PixelSize(width: 8, height: 8))
    var turned = try image(.gray, 8, 8) { _, _, _, _ in 9 }
    turned.orientation = .right
    var part = try image(.gray, 8, 8) { _, _, _, _ in 9 }
    part.setWindow(PixelRect(x: 0, y: 0, width: 4, height: 8), ofPlane: 0)
    var limited = try image(.yCbCr, 8, 8) { _, _, _, _ in 99 }
    limited.range = .limited
    let long = try PixelImage(layout: .gray, size: PixelSize(width: 65_501, height: 1))
    for wrong in [rgba, dense, deep, turned, part, limited, long] {
      #expect {
        try session.encode(wrong, checkpoint: checkpoint)
      } throws: {
        ($0 as? PipelineError)?.code == .encode
      }
    }
  }

  @Test("The accepted form is literal, opaque, of 8 bits, with chroma as it is configured")
  func acceptedForm() {
    var encoder = JPEGEncoder()
    #expect(encoder.quality == 80)
    #expect(encoder.background == .white)
    for mayBeTransparent in [false, true] {
      let form = encoder.acceptedForm(mayBeTransparent: mayBeTransparent)
      #expect(form.layouts == [.yCbCr, .gray, .rgb])
      #expect(form.depths == [.eight])
      #expect(form.chroma == ChromaSubsampling(horizontal: 2, vertical: 2))
      #expect(form.ranges == [.full])
      #expect(form.isLiteral)
      #expect(form.alpha == [.opaque])
    }
    encoder.subsampling = .none
    #expect(encoder.acceptedForm(mayBeTransparent: false).chroma == ChromaSubsampling(horizontal: 1, vertical: 1))
  }

  @Test("Every option is part of the recipe")
  func fingerprint() {
    var variants = [JPEGEncoder](repeating: JPEGEncoder(), count: 5)
    variants[1].quality = 81
    variants[2].isProgressive = true
    variants[3].subsampling = .none
    variants[4].background = .black
    let prints = variants.map { encoder in
      var print = Fingerprint("test")
      encoder.fingerprint(into: &print)
      return print.digest()
    }
    #expect(Set(prints).count == 5)
  }
}
