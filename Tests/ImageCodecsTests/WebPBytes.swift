import FetchPipeline

/// Makes WebP files from the specification alone (RFC 9649): containers, and lossless pictures with at most two values in
/// each channel, which need no more than the simplest prefix codes.
enum WebPBytes {
  /// A VP8L chunk's data (section 3).
  ///
  /// - Parameter pixel: red, green, blue and alpha; over the picture each has two values at most.
  static func lossless(
    width: Int, height: Int, usesAlpha: Bool = true, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
  ) -> [UInt8] {
    var pixels: [[UInt8]] = []
    for y in 0..<height { for x in 0..<width { pixels.append(pixel(x, y)) } }
    // Green, red, blue, alpha: the order of the codes (3.7.2).
    let order = [1, 0, 2, 3]
    let values = order.map { channel in Set(pixels.map { $0[channel] }).sorted() }
    var bits = BitWriter()
    bits.write(0x2f, 8)
    bits.write(width - 1, 14)
    bits.write(height - 1, 14)
    bits.write(usesAlpha ? 1 : 0, 1)
    bits.write(0, 3)
    // No transform, no colour cache, no meta prefix codes.
    bits.write(0, 3)
    for symbols in values + [[0]] {
      bits.write(1, 1)
      bits.write(symbols.count - 1, 1)
      bits.write(1, 1)
      for symbol in symbols { bits.write(Int(symbol), 8) }
    }
    for pixel in pixels {
      for (channel, symbols) in zip(order, values) where symbols.count == 2 {
        bits.write(pixel[channel] == symbols[1] ? 1 : 0, 1)
      }
    }
    return bits.bytes
  }

  /// A chunk (2.3), padded to an even length.
  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    Array(type.utf8) + little(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
  }

  /// A file of chunks (2.4).
  static func file(_ chunks: [[UInt8]]) -> [UInt8] {
    let body = Array("WEBP".utf8) + chunks.flatMap { $0 }
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  /// Flags of VP8X (2.7.1).
  struct Features: OptionSet {
    let rawValue: UInt8
    static let animation = Features(rawValue: 0x02)
    static let exif = Features(rawValue: 0x08)
    static let alpha = Features(rawValue: 0x10)
    static let profile = Features(rawValue: 0x20)
  }

  /// The VP8X chunk.
  static func extended(width: Int, height: Int, _ features: Features) -> [UInt8] {
    chunk("VP8X", [features.rawValue, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
  }

  /// The ANIM chunk: background red, which is not to be seen, and endless loops.
  static let animation = chunk("ANIM", [0, 0, 255, 255, 0, 0])

  /// An ANMF chunk; the offsets are even.
  static func frame(left: Int, top: Int, width: Int, height: Int, _ data: [UInt8]) -> [UInt8] {
    chunk(
      "ANMF",
      little(left / 2, 3) + little(top / 2, 3) + little(width - 1, 3) + little(height - 1, 3) + little(100, 3) + [0]
        + data)
  }

  /// A TIFF block that says nothing but an orientation.
  static func tiff(orientation: UInt8) -> [UInt8] {
    Array("II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
  }

  /// Bits, least significant first.
  private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func write(_ value: Int, _ length: Int) {
      for index in 0..<length {
        if count % 8 == 0 { bytes.append(0) }
        bytes[bytes.count - 1] |= UInt8(value >> index & 1) << (count % 8)
        count += 1
      }
    }
  }
}
