/// Reads JSON (RFC 8259) or JSON5 text, and says where it goes wrong.
public struct JSONReader {
  /// What is accepted.
  public enum Dialect: Sendable {
    /// RFC 8259 to the letter.
    case json
    /// JSON5: comments, trailing commas, unquoted names, single quotes, hexadecimal numbers.
    case json5
  }

  /// A place where the text is not what it should be.
  public struct SyntaxError: Error, Sendable {
    /// What is wrong.
    public let message: String
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let dialect: Dialect
  private var position = 0
  private var depth = 0

  /// Deeper nesting is refused: the reader recurses.
  private static let maximumDepth = 200

  /// The value that `text` writes.
  public static func value(of text: some Collection<UInt8>, dialect: Dialect = .json) throws(SyntaxError) -> JSONValue {
    var result: Result<JSONValue, SyntaxError>?
    let read: (UnsafeBufferPointer<UInt8>) -> Void = { buffer in
      var reader = JSONReader(bytes: buffer, dialect: dialect)
      do throws(SyntaxError) { result = .success(try reader.document()) } catch { result = .failure(error) }
    }
    if text.withContiguousStorageIfAvailable(read) == nil { Array(text).withUnsafeBufferPointer(read) }
    guard let result else { throw SyntaxError(message: "the text cannot be read", line: 1, column: 1) }
    return try result.get()
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, dialect: Dialect) {
    self.bytes = bytes
    self.dialect = dialect
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
  }

  // MARK: Values

  private mutating func document() throws(SyntaxError) -> JSONValue {
    try skipSpace()
    let value = try value()
    try skipSpace()
    if position < bytes.count { throw error("unexpected text after the value") }
    return value
  }

  private mutating func value() throws(SyntaxError) -> JSONValue {
    guard let byte = peek() else { throw error("the text ends where a value is expected") }
    switch byte {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "'") where dialect == .json5: return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "+"), UInt8(ascii: "."):
      if dialect == .json5 { return .number(try number()) }
    default: break
    }
    if take("true") { return .bool(true) }
    if take("false") { return .bool(false) }
    if take("null") { return .null }
    throw error("a value is expected")
  }

  private mutating func object() throws(SyntaxError) -> JSONValue {
    try enter()
    var members: [JSONObject.Member] = []
    var names: Set<String> = []
    position += 1
    try skipSpace()
    while peek() != UInt8(ascii: "}") {
      let start = position
      let name = try memberName()
      // A person's mistake in a configuration; in data RFC 8259, section 4, leaves it open, and the first one counts.
      if dialect == .json5, !names.insert(name).inserted { throw error("\"\(name)\" stands here twice", at: start) }
      try skipSpace()
      try expect(UInt8(ascii: ":"), "a colon is expected after the name \"\(name)\"")
      try skipSpace()
      members.append(JSONObject.Member(name: name, value: try value()))
      try separator(closing: UInt8(ascii: "}"))
    }
    position += 1
    depth -= 1
    return .object(JSONObject(members))
  }

  private mutating func array() throws(SyntaxError) -> JSONValue {
    try enter()
    var elements: [JSONValue] = []
    position += 1
    try skipSpace()
    while peek() != UInt8(ascii: "]") {
      elements.append(try value())
      try separator(closing: UInt8(ascii: "]"))
    }
    position += 1
    depth -= 1
    return .array(elements)
  }

  private mutating func enter() throws(SyntaxError) {
    depth += 1
    if depth > Self.maximumDepth { throw error("nested more than \(Self.maximumDepth) deep") }
  }

  /// Reads up to the next element or the closing bracket, which is left.
  private mutating func separator(closing: UInt8) throws(SyntaxError) {
    try skipSpace()
    if peek() == closing { return }
    try expect(UInt8(ascii: ","), "a comma or \"\(Character(Unicode.Scalar(closing)))\" is expected")
    try skipSpace()
    if peek() == closing, dialect == .json { throw error("a comma stands before the closing bracket") }
  }

  private mutating func memberName() throws(SyntaxError) -> String {
    guard let byte = peek() else { throw error("the text ends inside an object") }
    if byte == UInt8(ascii: "\"") || (byte == UInt8(ascii: "'") && dialect == .json5) { return try string() }
    let start = position
    if dialect == .json5 {
      while let byte = peek(), byte.isIdentifierByte || (position > start && byte.isDigit) { position += 1 }
    }
    if position == start { throw error("a name is expected") }
    guard let name = String(validating: bytes[start..<position], as: UTF8.self) else {
      throw error("not UTF-8", at: start)
    }
    return name
  }

  // MARK: Numbers

  private mutating func number() throws(SyntaxError) -> JSONNumber {
    let start = position
    var text = ""
    if peek() == UInt8(ascii: "-") {
      text = "-"
      position += 1
    } else if peek() == UInt8(ascii: "+"), dialect == .json5 {
      position += 1
    }
    if dialect == .json5, take("0x") || take("0X") {
      let digits = takeWhile { $0.hexDigitValue != nil }
      guard let value = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else {
        throw error("a hexadecimal number is expected", at: start)
      }
      return JSONNumber(verbatim: text + String(value))
    }
    let whole = takeWhile(\.isDigit)
    if whole.isEmpty, dialect == .json || peek() != UInt8(ascii: ".") { throw error("a digit is expected") }
    if whole.count > 1, whole.first == UInt8(ascii: "0") { throw error("a number starts with a zero", at: start) }
    text += whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self)
    if peek() == UInt8(ascii: ".") {
      position += 1
      let fraction = takeWhile(\.isDigit)
      if fraction.isEmpty, dialect == .json || whole.isEmpty { throw error("a digit is expected after the point") }
      if !fraction.isEmpty { text += "." + String(decoding: fraction, as: UTF8.self) }
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      position += 1
      text += "e"
      if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        text += String(UnicodeScalar(sign))
        position += 1
      }
      let exponent = takeWhile(\.isDigit)
      if exponent.isEmpty { throw error("a digit is expected in the exponent") }
      text += String(decoding: exponent, as: UTF8.self)
    }
    if dialect == .json5, takeUnicodeSpace() { return JSONNumber(verbatim: text) }
    if let next = peek(), next.isIdentifierByte || next.isDigit { throw error("a number runs into other text") }
    return JSONNumber(verbatim: text)
  }

  // MARK: Strings

  private mutating func string() throws(SyntaxError) -> String {
    let start = position
    let quote = bytes[position]
    position += 1
    var content: [UInt8] = []
    var runStart = position
    while let byte = peek() {
      if byte == quote {
        content.append(contentsOf: bytes[runStart..<position])
        position += 1
        guard let text = String(validating: content, as: UTF8.self) else { throw error("not UTF-8", at: start) }
        return text
      }
      if byte == UInt8(ascii: "\\") {
        content.append(contentsOf: bytes[runStart..<position])
        position += 1
        try escape(into: &content)
        runStart = position
      } else if byte < 0x20, dialect == .json || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        throw error("a control character stands in a string")
      } else {
        position += 1
      }
    }
    throw error("the string has no end", at: start)
  }

  private mutating func escape(into content: inout [UInt8]) throws(SyntaxError) {
    guard let byte = peek() else { throw error("the text ends in an escape") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0c)
    case UInt8(ascii: "n"): content.append(0x0a)
    case UInt8(ascii: "r"): content.append(0x0d)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content.append(contentsOf: String(try unicodeEscape()).utf8)
    case UInt8(ascii: "'") where dialect == .json5: content.append(byte)
    case UInt8(ascii: "v") where dialect == .json5: content.append(0x0b)
    case UInt8(ascii: "0") where dialect == .json5 && peek()?.isDigit != true: content.append(0)
    case UInt8(ascii: "\n") where dialect == .json5: break
    case UInt8(ascii: "\r") where dialect == .json5: if peek() == UInt8(ascii: "\n") { position += 1 }
    case UInt8(ascii: "x") where dialect == .json5:
      content.append(contentsOf: String(Unicode.Scalar(UInt8(try hexDigits(2)))).utf8)
    default: throw error("an unknown escape", at: position - 2)
    }
  }

  private mutating func unicodeEscape() throws(SyntaxError) -> Unicode.Scalar {
    let first = try hexDigits(4)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xdc00, take("\\u") else { throw error("half of a surrogate pair") }
    let second = try hexDigits(4)
    guard (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    else { throw error("half of a surrogate pair") }
    return scalar
  }

  private mutating func hexDigits(_ count: Int) throws(SyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = peek()?.hexDigitValue else { throw error("\(count) hexadecimal digits are expected") }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  // MARK: Bytes

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard position + length <= bytes.count else { return false }
    for index in 0..<length where bytes[position + index] != text.utf8Start[index] { return false }
    position += length
    return true
  }

  private mutating func takeWhile(_ condition: (UInt8) -> Bool) -> Slice<UnsafeBufferPointer<UInt8>> {
    let start = position
    while let byte = peek(), condition(byte) { position += 1 }
    return bytes[start..<position]
  }

  private mutating func expect(_ byte: UInt8, _ message: String) throws(SyntaxError) {
    guard peek() == byte else { throw error(message) }
    position += 1
  }

  private mutating func skipSpace() throws(SyntaxError) {
    while let byte = peek() {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      case 0x0b, 0x0c:
        guard dialect == .json5 else { return }
        position += 1
      case UInt8(ascii: "/"):
        guard dialect == .json5 else { return }
        try skipComment()
      case 0xc2, 0xe2, 0xef:
        guard dialect == .json5, takeUnicodeSpace() else { return }
      default: return
      }
    }
  }

  /// Takes a no-break space, line separator, paragraph separator or byte order mark, which JSON5 counts as space.
  private mutating func takeUnicodeSpace() -> Bool {
    take("\u{a0}") || take("\u{2028}") || take("\u{2029}") || take("\u{feff}")
  }

  private mutating func skipComment() throws(SyntaxError) {
    let start = position
    if take("//") {
      while let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { position += 1 }
    } else if take("/*") {
      while !take("*/") {
        guard position < bytes.count else { throw error("the comment has no end", at: start) }
        position += 1
      }
    } else {
      throw error("a value is expected")
    }
  }

  private func error(_ message: String, at offset: Int? = nil) -> SyntaxError {
    let end = min(offset ?? position, bytes.count)
    // A byte order mark is not seen; a line ends with LF, CR or both.
    var lineStart = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    var line = 1
    for index in bytes.indices[..<end] {
      let isLast = index + 1 >= bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
      guard bytes[index] == UInt8(ascii: "\n") || (bytes[index] == UInt8(ascii: "\r") && isLast) else { continue }
      line += 1
      lineStart = index + 1
    }
    let column = String(decoding: bytes[min(lineStart, end)..<end], as: UTF8.self).count + 1
    return SyntaxError(message: message, line: line, column: column)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var isIdentifierByte: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased) || self == UInt8(ascii: "_")
      || self == UInt8(ascii: "$") || self >= 0x80
  }
}
