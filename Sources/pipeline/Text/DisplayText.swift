/// Text as a terminal shows it: what comes from outside is made harmless, measured in columns, shortened and wrapped.
enum DisplayText {
  /// `text` with everything escaped that would move the cursor, change colours, reorder or hide what is shown, or end the
  /// line.
  static func escaped(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return String(text) }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if isUnsafe(scalar) {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// The same for text of several lines, which stay lines.
  static func escapedLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped($0) }.joined(separator: "\n")
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
    // Marks that reorder text (Unicode Standard Annex 9), and that cannot be seen.
    case 0x200e, 0x200f, 0x061c, 0x202a...0x202e, 0x2066...0x2069, 0xfeff, 0xe0000...0xe007f: true
    default: false
    }
  }

  /// The columns that `text` takes.
  static func width(of text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  private static func width(of character: Character) -> Int {
    if character.isASCII { return 1 }
    return character.unicodeScalars.reduce(0) { max($0, width(of: $1)) }
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    // East Asian Width W and F (Unicode Standard Annex 11), by blocks.
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97f,
      0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6,
      0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      return 2
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// `text` in at most `columns`, with … where something was left out: at the end, or in the middle so that both the
  /// host and the file of a URL stay.
  static func shortened(_ text: String, to columns: Int, inTheMiddle: Bool = false) -> String {
    guard columns > 0 else { return "" }
    guard width(of: text) > columns else { return text }
    let room = columns - 1
    let tail = inTheMiddle ? suffix(of: text, columns: room / 3) : ""
    return prefix(of: text, columns: room - width(of: tail)) + "…" + tail
  }

  private static func prefix(of text: some StringProtocol, columns: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += width(of: character)
        return used <= columns
      })
  }

  private static func suffix(of text: String, columns: Int) -> String {
    String(prefix(of: String(text.reversed()), columns: columns).reversed())
  }

  /// `text` filled up with spaces.
  static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(columns - width(of: text), 0))
  }

  /// `text` in lines of at most `columns`, broken at spaces; a word that is longer is broken behind | / or , if it can be.
  static func wrapped(_ text: String, columns: Int) -> [String] {
    let columns = max(columns, 1)
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: true) {
      var word = Substring(word)
      var length = width(of: word)
      if used > 0, used + 1 + length <= columns {
        line += " " + word
        used += 1 + length
        continue
      }
      if used > 0 { lines.append(line) }
      while length > columns {
        let part = prefix(of: word, columns: columns)
        // A character wider than the line stands in it all the same.
        let taken = part.isEmpty ? String(word.prefix(1)) : brokenWell(part)
        lines.append(taken)
        word = word.dropFirst(taken.count)
        length = width(of: word)
      }
      line = String(word)
      used = length
    }
    if used > 0 || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// As much of a part of a long word as ends between alternatives, folders or members, if it does.
  private static func brokenWell(_ part: String) -> String {
    guard let end = part.lastIndex(where: { "|/,".contains($0) }) else { return part }
    return String(part[...end])
  }

  /// Paragraphs, an empty line between, each wrapped. Lines that are indented are rows of a table: a word, two spaces or
  /// more, and what it means.
  static func wrapped(paragraphs text: String, columns: Int) -> String {
    text.split(separator: "\n\n", omittingEmptySubsequences: true).map { paragraph in
      if paragraph.hasPrefix(" ") {
        let rows = paragraph.split(separator: "\n").map { line -> [String] in
          let text = line.drop { $0 == " " }
          let word = text.prefix { $0 != " " }
          return [String(word), String(text.dropFirst(word.count).drop { $0 == " " })]
        }
        return TextTable(rows: rows, most: [20]).lines(width: columns).joined(separator: "\n")
      }
      let line = paragraph.split(separator: "\n").joined(separator: " ")
      return wrapped(line, columns: columns).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
