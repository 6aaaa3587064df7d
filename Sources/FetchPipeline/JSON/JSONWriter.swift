extension JSONValue {
  /// The value on one line, UTF-8, without a line end.
  public func encoded() -> [UInt8] {
    var output: [UInt8] = []
    write(to: &output)
    return output
  }

  /// The value on one line.
  public var compactText: String { String(decoding: encoded(), as: UTF8.self) }

  /// The value over several lines, indented by two spaces.
  public var indentedText: String {
    var output: [UInt8] = []
    writeIndented(to: &output, depth: 0)
    return String(decoding: output, as: UTF8.self)
  }

  private func write(to output: inout [UInt8]) {
    switch self {
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object):
      output.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.write(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    default: writeScalar(to: &output)
    }
  }

  private func writeIndented(to output: inout [UInt8], depth: Int) {
    let items: [(name: String?, value: JSONValue)]
    let brackets: (UInt8, UInt8)
    switch self {
    case .array(let elements):
      items = elements.map { (nil, $0) }
      brackets = (UInt8(ascii: "["), UInt8(ascii: "]"))
    case .object(let object):
      items = object.members.map { ($0.name, $0.value) }
      brackets = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    default: return writeScalar(to: &output)
    }
    output.append(brackets.0)
    for (index, item) in items.enumerated() {
      output.append(contentsOf: (index > 0 ? ",\n" : "\n").utf8)
      output.append(contentsOf: String(repeating: "  ", count: depth + 1).utf8)
      if let name = item.name {
        Self.write(name, to: &output)
        output.append(contentsOf: ": ".utf8)
      }
      item.value.writeIndented(to: &output, depth: depth + 1)
    }
    if !items.isEmpty {
      output.append(UInt8(ascii: "\n"))
      output.append(contentsOf: String(repeating: "  ", count: depth).utf8)
    }
    output.append(brackets.1)
  }

  private func writeScalar(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): output.append(contentsOf: number.text.utf8)
    case .string(let text): Self.write(text, to: &output)
    case .array, .object: break  // written by the callers
    }
  }

  private static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case UInt8(ascii: "\n"): output.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): output.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t"): output.append(contentsOf: "\\t".utf8)
      case 0..<0x20, 0x7f:
        let digits = String(byte, radix: 16)
        output.append(contentsOf: "\\u".utf8)
        output.append(contentsOf: String(repeating: "0", count: 4 - digits.utf8.count).utf8)
        output.append(contentsOf: digits.utf8)
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
