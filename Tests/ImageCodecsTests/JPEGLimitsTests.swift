import FetchPipeline
import ImageCodecs
import Testing

@Suite("Limits of JPEG decoding")
struct JPEGLimitsTests {
  @Test("A small file that claims a huge picture is refused by its header")
  func hugePicture() throws {
    let source = JPEGBytes.color(64_250, 64_250)
    let file = source.head + source.scanHeader([0, 1, 2]) + Array(repeating: 0, count: 4000)
    #expect(file.count < 5000)
    let session = JPEGDecoder().makeSession()
    #expect {
      try session.probe(SharedBytes(file), limits: Limits())
    } throws: {
      ($0 as? PipelineError)?.code == .tooManyPixels
    }
  }

  @Test("A side of more than 65,500 is more than libjpeg takes")
  func longSide() {
    let source = JPEGBytes.gray(65_501, 1) { _, _ in 128 }
    #expect(JPEGDecoding().failure(source.head + source.scanHeader([0]) + JPEGBytes.end) == .tooManyPixels)
  }

  @Test("Limits are judged again before the decode, for the bytes that are decoded")
  func limitsOfThePlan() throws {
    let session = JPEGDecoder().makeSession()
    let small = SharedBytes(JPEGBytes.gray(8, 8) { _, _ in 0 }.file)
    let large = SharedBytes(JPEGBytes.gray(80, 80) { _, _ in 0 }.file)
    let probe = try session.probe(small, limits: Limits())
    var limits = Limits()
    limits.pixels = 1000
    #expect {
      try session.decode(
        large, probe: probe, plan: DecodePlan(limits: limits), checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)))
    } throws: {
      ($0 as? PipelineError)?.code == .tooManyPixels
    }
  }

  @Test("A file of a thousand scans is refused")
  func manyScans() throws {
    let source = JPEGBytes.color(1600, 1600)
    // All AC values again and again: a run of 16,384 and more blocks ends early with the last one.
    var bits = BitWriter()
    for _ in 0..<3 {
      bits.write(0b10, 2)
      bits.write(0x3fff, 14)
    }
    let scan = source.scanHeader([0], spectrum: 1...63) + bits.finished()
    let file = source.progressiveHead + source.progressiveScans[0] + (0..<1000).flatMap { _ in scan } + JPEGBytes.end
    #expect(JPEGDecoding().failure(file) == .tooManyScans)
    // As many as are allowed are read, which takes one for the DC values and three for the AC values.
    let fine = JPEGBytes.color(16, 16)
    var limits = Limits()
    limits.scans = 4
    #expect(JPEGDecoding().failure(fine.progressiveFile, limits: limits) == nil)
    limits.scans = 3
    #expect(JPEGDecoding().failure(fine.progressiveFile, limits: limits) == .tooManyScans)
  }

  @Test("The checkpoint is asked every few thousand blocks, and its error ends the decode", arguments: [false, true])
  func checkpoint(_ isProgressive: Bool) throws {
    let source = JPEGBytes.color(1600, 1600)
    let file = isProgressive ? source.progressiveFile : source.file
    let decoding = JPEGDecoding()
    let asked = Lock(0)
    _ = try decoding.decode(
      file,
      checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) {
        asked.withLock { $0 += 1 }
        return false
      })
    let count = asked.withLock { $0 }
    // There are 60,000 blocks, or the share of them that each of four scans has.
    #expect(count >= (isProgressive ? 50 : 12))
    for last in [1, 2, count / 2, count] {
      let left = Lock(last)
      #expect(throws: CancellationError.self) {
        try decoding.decode(
          file,
          checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) {
            left.withLock {
              $0 -= 1
              return $0 <= 0
            }
          })
      }
    }
    #expect {
      try decoding.decode(file, checkpoint: DecodeCheckpoint(cpuTime: .zero))
    } throws: {
      ($0 as? PipelineError)?.code == .decodeTimeout
    }
    #expect(try decoding.decode(file).flags == [])
  }

  @Test("The checkpoint is asked for interleaved pixels too")
  func checkpointOfPixels() throws {
    let source = JPEGBytes.flat(64, 800, ids: [1, 2, 3, 4], levels: [1, 2, 3, 4])
    #expect(throws: CancellationError.self) {
      try JPEGDecoding().decode(source.file, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)) { true })
    }
  }

  // MARK: Memory

  /// A file of zeros behind the headers, which is enough for a probe.
  private func peak(_ source: JPEGBytes, isProgressive: Bool = false, scale: Double) throws -> Int {
    let head = isProgressive ? source.progressiveHead : source.head
    let header = source.scanHeader(Array(source.components.indices), spectrum: isProgressive ? 0...0 : 0...63)
    let session = JPEGDecoder().makeSession()
    let probe = try session.probe(SharedBytes(head + header + [0]), limits: Limits())
    return session.peakBytes(of: probe, plan: DecodePlan(scale: scale))
  }

  @Test("Twelve megapixels at an eighth need little memory, where they are baseline")
  func peakOfScaledBaseline() throws {
    let source = JPEGBytes.color(4000, 3000)
    // Three planes of 500×375, in rows of 512 bytes, and the library's state.
    let planes = 512 * (375 + 376 + 376)
    #expect((planes...planes + 500_000).contains(try peak(source, scale: 1 / 8)))
    let full = 4032 * 3000 + 2 * 2048 * 1504
    #expect((full...full + 500_000).contains(try peak(source, scale: 1)))
  }

  @Test("A progressive picture needs its coefficients, two bytes each, at every scale")
  func peakOfProgressive() throws {
    let source = JPEGBytes.color(4000, 3000)
    // 250×188 MCUs of six blocks.
    let coefficients = 250 * 188 * 6 * 128
    let expected = coefficients + 512 * (375 + 376 + 376)
    #expect(
      (expected...expected + expected / 50 + 500_000).contains(try peak(source, isProgressive: true, scale: 1 / 8)))
  }

  @Test("Narrow pictures count by their rows, which are padded")
  func peakOfNarrow() throws {
    let source = JPEGBytes.color(1, 65_000, 1, 1)
    #expect(try peak(source, scale: 1 / 8) >= 3 * 64 * 8125)
    #expect(try peak(source, scale: 1) >= 3 * 64 * 65_000)
  }
}
