internal import CFetchPipelinePlugin

/// A decoder of a plugin in C.
struct CDecoder: ImageDecoder {
  let format: ImageFormat
  let name: String
  let functions: CTable<Functions>
  let values: CValues

  /// What of the table is called.
  struct Functions {
    let user: UnsafeMutableRawPointer?
    let matches: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32
    let open: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<fp_value>?) -> UnsafeMutableRawPointer?)?
    let close: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void)?
    let probe:
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafePointer<fp_value>?, UnsafePointer<UInt8>?, Int,
        UnsafeMutablePointer<fp_probe>?, UnsafeMutablePointer<CChar>?, Int
      ) -> Int32
    let decode:
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafePointer<fp_value>?, UnsafePointer<UInt8>?, Int,
        UnsafePointer<fp_picture>?, UnsafePointer<fp_checkpoint>?, UnsafeMutablePointer<CChar>?, Int
      ) -> Int32
  }

  func matches(_ prefix: SharedBytes) -> Bool {
    prefix.withUnsafeBytes { bytes in
      functions.table.matches(functions.table.user, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        != 0
    }
  }

  func makeSession() -> any ImageDecoderSession { CDecoderSession(self) }
}

/// A worker's own decoder of a plugin in C.
final class CDecoderSession: ImageDecoderSession {
  private let decoder: CDecoder
  /// What the plugin keeps between pictures; this is its owner.
  private var session: UnsafeMutableRawPointer?
  private var workingBytes = 0

  init(_ decoder: CDecoder) {
    self.decoder = decoder
  }

  deinit {
    if let session { decoder.functions.table.close?(decoder.functions.table.user, session) }
  }

  func probe(_ bytes: SharedBytes, limits: Limits) throws -> ImageProbe {
    let functions = decoder.functions.table
    let session = try open()
    var probe = fp_probe()
    probe.struct_size = UInt32(MemoryLayout<fp_probe>.size)
    try bytes.withUnsafeBytes { bytes in
      try CPluginCall.check(decoder.name, at: .decode) { message, size in
        functions.probe(
          functions.user, session, decoder.values.pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
          bytes.count, &probe, message, size)
      }
    }
    let orientation = Orientation(rawValue: probe.orientation == 0 ? 1 : Int(probe.orientation))
    guard let layout = PixelLayout(boundary: probe.layout), let depth = SampleDepth(rawValue: Int(probe.depth) / 8),
      probe.depth % 8 == 0, probe.width > 0, probe.height > 0, let orientation
    else {
      throw PipelineError(.plugin, .plugin, "\(decoder.name) describes a picture that there cannot be")
    }
    workingBytes = Int(clamping: probe.working_bytes)
    let size = PixelSize(width: Int(probe.width), height: Int(probe.height))
    try limits.check(size)
    return ImageProbe(
      format: decoder.format, storedSize: size, orientation: orientation, layout: layout, depth: depth,
      frames: max(Int(probe.frames), 1))
  }

  func peakBytes(of probe: ImageProbe, plan: DecodePlan) -> Int {
    let row = (probe.storedSize.width * probe.layout.channels * probe.depth.bytes + 63) & ~63
    let (pixels, isTooLarge) = row.multipliedReportingOverflow(by: probe.storedSize.height)
    let (sum, overflow) = pixels.addingReportingOverflow(workingBytes)
    return isTooLarge || overflow ? Int.max : sum
  }

  func decode(
    _ bytes: SharedBytes, probe: ImageProbe, plan: DecodePlan, checkpoint: DecodeCheckpoint
  ) throws -> DecodedImage {
    let functions = decoder.functions.table
    let session = try open()
    var image = try PixelImage(
      layout: probe.layout, depth: probe.depth, size: probe.size, planeSizes: [probe.storedSize],
      orientation: probe.orientation)
    var picture = image.boundaryPicture
    try image.withUnsafeMutableBytes(ofPlane: 0) { pixels in
      _ = pixels.initializeMemory(as: UInt8.self, repeating: 0)
      picture.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
      try bytes.withUnsafeBytes { bytes in
        try CPluginCall.check(decoder.name, at: .decode) { message, size in
          try CPluginCall.withCheckpoint(checkpoint) { checkpoint in
            functions.decode(
              functions.user, session, decoder.values.pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
              bytes.count, &picture, checkpoint, message, size)
          }
        }
      }
    }
    return DecodedImage(image)
  }

  private func open() throws -> UnsafeMutableRawPointer? {
    if let session { return session }
    guard let open = decoder.functions.table.open else { return nil }
    session = open(decoder.functions.table.user, decoder.values.pointer)
    guard session != nil else {
      throw PipelineError(.decode, .outOfBudget, "\(decoder.name): the system has no memory")
    }
    return session
  }
}
