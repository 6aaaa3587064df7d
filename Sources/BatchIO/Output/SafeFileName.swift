/// Makes what comes from outside fit to be part of a file name: on this system, and where the folder may be copied to.
enum SafeFileName {
  /// The longest component of a path, in bytes (NAME_MAX of the common file systems).
  static let maximumLength = 255

  /// `value` without what separates, hides or steers: separators, controls and the characters that Windows reserves
  /// become `_`, and so do dots at the start.
  static func part(_ value: String) -> String {
    var result = String.UnicodeScalarView()
    var isStart = true
    for scalar in value.unicodeScalars {
      let isKept = isStart ? scalar != "." && isAllowed(scalar) : isAllowed(scalar)
      if scalar != "." { isStart = false }
      result.append(isKept ? scalar : "_")
    }
    return String(result)
  }

  /// The longest start of `text` of at most `length` bytes that is valid UTF-8.
  static func prefix(_ text: String, length: Int) -> String {
    if text.utf8.count <= length { return text }
    var end = text.utf8.index(text.utf8.startIndex, offsetBy: max(length, 0))
    while end > text.startIndex, text.utf8[end] & 0xc0 == 0x80 { end = text.utf8.index(before: end) }
    return String(decoding: text.utf8[..<end], as: UTF8.self)
  }

  /// A path with `suffix` before the extension of its last component.
  static func inserting(_ suffix: String, into path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    guard let dot = path.utf8[start...].lastIndex(of: UInt8(ascii: ".")), dot > start else { return path + suffix }
    return path[..<dot] + suffix + path[dot...]
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0: false  // C0, DEL, C1
    case 0x2028, 0x2029: false  // line and paragraph separators
    case 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: false  // what changes the direction of text
    default: !"/\\<>:\"|?*".unicodeScalars.contains(scalar)
    }
  }
}
