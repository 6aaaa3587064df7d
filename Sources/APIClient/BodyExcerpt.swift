import FetchPipeline

/// How the body of an answer begins, for an error message: what it is made of, and no secret that may be in it.
///
/// Answers that do not have their type are often those of sign-ins and of keys. So names of members are shown and texts
/// among values are not, nor is what looks like a key.
enum BodyExcerpt {
  private static let longest = 120
  /// So many letters and digits in a row, and it may be a key: few words are as long.
  private static let longestWord = 20

  /// The beginning of `body`, on one line; nil where there is nothing to show.
  static func text(of body: SharedBytes) -> String? {
    let prefix = body.prefix(512).array()
    guard !prefix.isEmpty else { return nil }
    if let kind = FormatSniffer.kind(of: prefix) { return kind }
    if FormatSniffer.isBinary(prefix) { return "binary" }
    let text = escaped(masked(String(decoding: prefix, as: UTF8.self)), limit: longest)
    return "starting with \(text)"
  }

  /// One line of printable text, at most `limit` characters of it.
  static func escaped(_ text: some StringProtocol, limit: Int) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if result.unicodeScalars.count >= limit { return result + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Text in quotes that is no name of a member, what follows `=` in a form, and long words become `…`.
  static func masked(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let first = rest.first {
      if first == "\"" {
        let quoted = quotation(rest)
        rest = rest.dropFirst(quoted.count)
        let isName = rest.first { !$0.isWhitespace } == ":"
        result += isName ? shortened(quoted) : "\"…\""
      } else if first == "=" {
        rest = rest.drop { !"&<> \n\r\t".contains($0) }
        result += "=…"
      } else {
        let word = rest.prefix { isPartOfWord($0) }
        result += word.isEmpty ? String(first) : shortened(word)
        rest = rest.dropFirst(max(word.count, 1))
      }
    }
    return result
  }

  /// What stands between the quotes that the text starts with, and they; all of it where the text ends before.
  private static func quotation(_ text: Substring) -> Substring {
    var isEscaped = false
    for index in text.indices.dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if text[index] == "\\" {
        isEscaped = true
      } else if text[index] == "\"" {
        return text[...index]
      }
    }
    return text
  }

  private static func shortened(_ word: Substring) -> String { word.count > longestWord ? "…" : String(word) }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "-_.+/~".contains(character)
  }
}
