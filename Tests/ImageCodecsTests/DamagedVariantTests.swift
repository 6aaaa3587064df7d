import FetchPipeline
import Foundation
import ImageCodecs
import Testing

/// Files with random damage: each decode ends with a picture or with an error that is about the file.
///
/// `PIPELINE_TEST_VARIANTS` says how many variants there are; the address sanitizer says more about each.
@Suite struct DamagedVariantTests {
  private static let decoders: [any ImageDecoder] = [JPEGDecoder(), PNGDecoder(), WebPDecoder()]

  @Test func damagedVariantsEndWithAPictureOrAnError() throws {
    let count = ProcessInfo.processInfo.environment["PIPELINE_TEST_VARIANTS"].flatMap { Int($0) } ?? 1000
    let sources = try Self.sources()
    #expect(sources.count >= 15)
    let allowed: Set<PipelineError.Code> = [
      .corrupt, .truncated, .unsupportedFeature, .tooManyPixels, .tooManyFrames, .tooManyScans,
    ]
    var limits = Limits()
    limits.pixels = 1_000_000
    limits.scans = 50
    limits.containerFrames = 100
    var ends = (pictures: 0, errors: 0)
    // The sessions of one worker go on after whatever they met.
    let sessions = Self.decoders.map { $0.makeSession() }
    for number in 0..<count {
      var random = SeededBytes(UInt64(number) &* 0x9e37_79b9 &+ 1)
      let file = Self.damaged(sources[number % sources.count], others: sources, &random)
      let bytes = SharedBytes(file)
      let plans = [
        DecodePlan(limits: limits), DecodePlan(scale: 0.2, onDamage: .salvage, limits: limits),
        DecodePlan(onDamage: .salvage, limits: limits),
      ]
      for (session, plan) in sessions.flatMap({ session in plans.map { (session, $0) } }) {
        do {
          let probe = try session.probe(bytes, limits: limits)
          #expect(session.peakBytes(of: probe, plan: plan) < 1 << 30)
          let decoded = try session.decode(
            bytes, probe: probe, plan: plan, checkpoint: DecodeCheckpoint(cpuTime: .seconds(60)))
          if let damage = decoded.damage { #expect([.corrupt, .truncated].contains(damage.code)) }
          ends.pictures += 1
        } catch let error as PipelineError {
          #expect(allowed.contains(error.code), "variant \(number): \(error.code) \(error.message)")
          ends.errors += 1
        }
      }
    }
    #expect(ends.pictures > count / 4, "\(ends)")
    #expect(ends.errors > count, "\(ends)")
  }

  /// Damage of one kind: bits, a cut, a piece of another file, a piece twice or left out, a length that lies.
  private static func damaged(_ file: [UInt8], others: [[UInt8]], _ random: inout SeededBytes) -> [UInt8] {
    var bytes = file
    func place() -> Int { random.next(below: max(bytes.count, 1)) }
    switch random.next(below: 8) {
    case 0:
      for _ in 0...random.next(below: 8) { bytes[place()] ^= 1 << UInt8(random.next(below: 8)) }
    case 1:
      for _ in 0...random.next(below: 3) { bytes[random.next(below: min(bytes.count, 200))] = random.next() }
    case 2: bytes.removeLast(random.next(below: bytes.count))
    case 3:
      let other = others[random.next(below: others.count)]
      let from = random.next(below: other.count)
      let piece = other[from..<min(from + 1 + random.next(below: 500), other.count)]
      bytes.insert(contentsOf: piece, at: place())
    case 4:
      let from = place()
      bytes.insert(contentsOf: bytes[from..<min(from + 1 + random.next(below: 300), bytes.count)], at: place())
    case 5:
      let from = place()
      bytes.removeSubrange(from..<min(from + 1 + random.next(below: 300), bytes.count))
    case 6:
      // Numbers of two and four bytes, as lengths and sizes are.
      let extremes: [[UInt8]] = [
        [0, 0], [0xff, 0xff], [0x7f, 0xff], [0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [0, 0, 0, 0],
      ]
      for _ in 0...random.next(below: 2) {
        let value = extremes[random.next(below: extremes.count)]
        let at = random.next(below: 2) == 0 ? place() : random.next(below: min(bytes.count, 120))
        for (index, byte) in value.enumerated() where at + index < bytes.count { bytes[at + index] = byte }
      }
    default:
      let from = place()
      for at in from..<min(from + 1 + random.next(below: 100), bytes.count) { bytes[at] = random.next() }
    }
    return bytes
  }

  /// Files of every format and of many kinds, none of which is large.
  private static func sources() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for (width, height) in [(67, 45), (20, 130)] {
      var jpeg = JPEGBytes.color(width, height) { ($0 * 50 + $1 * 17 + $2 * 31) % 256 }
      files += [jpeg.file, jpeg.fileOfSeparateScans, jpeg.progressiveFile]
      jpeg.restartInterval = 2
      files.append(jpeg.file)
    }
    for type in PNGBytes.allTypes {
      var png = PNGBytes(width: 31, height: 23, bitDepth: type.bitDepth, colorType: type.colorType)
      png.isInterlaced = files.count % 2 == 0
      png.before = [
        PNGBytes.chunk("gAMA", PNGBytes.big(100_000)),
        PNGBytes.chunk("iCCP", Array("name".utf8) + [0, 0] + PNGBytes.zlib([UInt8](repeating: 7, count: 200))),
        PNGBytes.chunk("eXIf", WebPBytes.tiff(orientation: 6)),
      ]
      if type.colorType == 3 {
        png.before += [
          PNGBytes.chunk("PLTE", (0..<(3 << Int(type.bitDepth))).map { UInt8(truncatingIfNeeded: $0 * 7) }),
          PNGBytes.chunk("tRNS", [0, 100]),
        ]
      }
      files.append(png.file { x, y, channel in (x * 7 + y * 3 + channel) & ((1 << Int(type.bitDepth)) - 1) })
    }
    var image = try PixelImage(layout: .rgba, size: PixelSize(width: 90, height: 70))
    try image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
      for at in bytes.indices { bytes[at] = UInt8(truncatingIfNeeded: at * at / 97 + at / 360) }
    }
    for isLossless in [false, true] {
      var encoder = WebPEncoder()
      encoder.isLossless = isLossless
      files.append(try encoder.makeSession().encode(image, checkpoint: .relaxed).array())
    }
    let coded = WebPBytes.chunk(
      "VP8L", WebPBytes.lossless(width: 16, height: 16) { x, y in [x > y ? 200 : 10, 0, 9, 255] })
    files.append(
      WebPBytes.file([
        WebPBytes.extended(width: 40, height: 40, [.animation, .alpha, .exif]), WebPBytes.animation,
        WebPBytes.frame(left: 4, top: 6, width: 16, height: 16, coded),
        WebPBytes.frame(left: 0, top: 0, width: 16, height: 16, coded),
        WebPBytes.chunk("EXIF", WebPBytes.tiff(orientation: 5)),
      ]))
    files.append(WebPBytes.file([coded]))
    return files
  }
}
