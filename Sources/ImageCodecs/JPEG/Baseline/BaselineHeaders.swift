import FetchPipeline

/// What the segments before the only scan of a baseline JPEG say (ITU-T T.81, annex B).
///
/// Only the plain form is read: a marker directly behind each segment, every length exact, one frame header of Huffman
/// coding with 8 bits, one scan of all components in the frame's order. All else is declined.
struct BaselineHeaders {
  /// A component of the frame, and the tables that its scan names.
  struct Component: Equatable {
    var id: UInt8
    var horizontal: Int
    var vertical: Int
    var quantizer: Int
    var dcTable = 0
    var acTable = 0
  }

  private(set) var width = 0
  private(set) var height = 0
  private(set) var components: [Component] = []
  /// The quantisers of a block in zigzag order, by table number.
  private(set) var quantizers: [[Int32]?] = Array(repeating: nil, count: 4)
  /// How often each code length occurs, and the symbols (B.2.4.2), by table number.
  private(set) var dcTables: [[UInt8]?] = Array(repeating: nil, count: 4)
  private(set) var acTables: [[UInt8]?] = Array(repeating: nil, count: 4)
  /// MCUs from one restart marker to the next; 0 for none.
  private(set) var restartInterval = 0
  /// Where the entropy-coded data begin.
  private(set) var scanOffset = 0

  init(_ file: UnsafeRawBufferPointer) throws(DecoderDeclined) {
    guard file.count >= 4, file[0] == 0xff, file[1] == 0xd8 else { throw DecoderDeclined("no SOI") }
    var at = 2
    while true {
      guard file.count - at >= 4, file[at] == 0xff else { throw DecoderDeclined("no marker behind a segment") }
      let marker = file[at + 1]
      let length = Int(file[at + 2]) << 8 | Int(file[at + 3])
      guard length >= 2, length <= file.count - at - 2 else { throw DecoderDeclined("a segment is cut off") }
      let content = UnsafeRawBufferPointer(rebasing: file[(at + 4)..<(at + 2 + length)])
      at += 2 + length
      switch marker {
      case 0xc0, 0xc1: try readFrame(content)
      case 0xc4: try readHuffmanTables(content)
      case 0xdb: try readQuantizers(content)
      case 0xdd:
        guard content.count == 2 else { throw Self.irregular("DRI") }
        restartInterval = Int(content[0]) << 8 | Int(content[1])
      case 0xe0...0xef, 0xfe: break
      case 0xda:
        try readScan(content)
        scanOffset = at
        return
      default: throw DecoderDeclined("a marker that baseline files do not have")
      }
    }
  }

  private mutating func readFrame(_ content: UnsafeRawBufferPointer) throws(DecoderDeclined) {
    guard components.isEmpty, content.count >= 6, content[0] == 8 else { throw Self.irregular("SOF") }
    height = Int(content[1]) << 8 | Int(content[2])
    width = Int(content[3]) << 8 | Int(content[4])
    let count = Int(content[5])
    guard width > 0, height > 0, count == 1 || count == 3, content.count == 6 + count * 3 else {
      throw Self.irregular("SOF")
    }
    for index in 0..<count {
      let at = 6 + index * 3
      let component = Component(
        id: content[at], horizontal: Int(content[at + 1] >> 4), vertical: Int(content[at + 1] & 15),
        quantizer: Int(content[at + 2]))
      guard (1...4).contains(component.horizontal), (1...4).contains(component.vertical), component.quantizer < 4,
        !components.contains(where: { $0.id == component.id })
      else { throw Self.irregular("SOF") }
      components.append(component)
    }
  }

  private mutating func readQuantizers(_ content: UnsafeRawBufferPointer) throws(DecoderDeclined) {
    var at = 0
    while at < content.count {
      let (precision, number) = (Int(content[at] >> 4), Int(content[at] & 15))
      let bytes = 64 * (precision + 1)
      guard precision <= 1, number < 4, content.count - at > bytes else { throw Self.irregular("DQT") }
      let first = at + 1
      quantizers[number] = (0..<64).map { index in
        precision == 0
          ? Int32(content[first + index])
          : Int32(content[first + index * 2]) << 8 | Int32(content[first + index * 2 + 1])
      }
      at += 1 + bytes
    }
  }

  private mutating func readHuffmanTables(_ content: UnsafeRawBufferPointer) throws(DecoderDeclined) {
    var at = 0
    while at < content.count {
      guard content.count - at >= 17 else { throw Self.irregular("DHT") }
      let (kind, number) = (Int(content[at] >> 4), Int(content[at] & 15))
      let symbols = (1...16).reduce(0) { $0 + Int(content[at + $1]) }
      guard kind <= 1, number < 4, symbols <= 256, content.count - at >= 17 + symbols else {
        throw Self.irregular("DHT")
      }
      let table = Array(content[(at + 1)..<(at + 17 + symbols)])
      if kind == 0 { dcTables[number] = table } else { acTables[number] = table }
      at += 17 + symbols
    }
  }

  private mutating func readScan(_ content: UnsafeRawBufferPointer) throws(DecoderDeclined) {
    let count = components.count
    guard count > 0, content.count == 4 + count * 2, Int(content[0]) == count else { throw Self.irregular("SOS") }
    for index in 0..<count {
      let tables = content[2 + index * 2]
      guard content[1 + index * 2] == components[index].id, tables >> 4 < 4, tables & 15 < 4 else {
        throw Self.irregular("SOS")
      }
      components[index].dcTable = Int(tables >> 4)
      components[index].acTable = Int(tables & 15)
    }
    // All of the spectrum, in one go (B.2.3).
    let at = 1 + count * 2
    guard content[at] == 0, content[at + 1] == 63, content[at + 2] == 0 else { throw Self.irregular("SOS") }
  }

  private static func irregular(_ segment: String) -> DecoderDeclined { DecoderDeclined("\(segment) is irregular") }
}
