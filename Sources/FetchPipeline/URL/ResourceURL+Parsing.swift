extension ResourceURL {
  /// Parses an absolute URL.
  ///
  /// - Throws: `unsupported-scheme` where the scheme is another one, `invalid-input` where it does not parse.
  public init(_ text: some StringProtocol) throws {
    let text = text.trimmingASCIIWhitespace()
    guard let (schemeName, rest) = Self.splitScheme(text) else {
      throw PipelineError(.input, .invalidInput, "not an absolute URL: \(Self.redacted(text))")
    }
    guard let scheme = Scheme(rawValue: schemeName) else {
      throw PipelineError(.input, .unsupportedScheme, "the scheme \"\(schemeName)\" is not fetched")
    }
    guard let hierarchy = Self.splitSlashes(rest), let url = Self(scheme: scheme, hierarchy: hierarchy) else {
      throw PipelineError(.input, .invalidInput, "the URL does not parse: \(Self.redacted(text))")
    }
    self = url
  }

  /// The URL that a reference means, relative to this one (RFC 3986, section 5); nil where it means none.
  ///
  /// User and password are kept where the reference names no authority of its own.
  ///
  /// - Throws: `unsupported-scheme` where it names a scheme that is not fetched.
  public func resolving(_ reference: String) throws -> ResourceURL? {
    let text = reference.trimmingASCIIWhitespace()
    let named = Self.splitScheme(text)
    if let named, Scheme(rawValue: named.name) == nil { return try ResourceURL(text) }
    if let named, named.name != scheme.rawValue || Self.splitSlashes(named.rest) != nil {
      return try? ResourceURL(text)
    }
    let reference = named?.rest ?? text
    guard Self.hasNoControls(reference) else { return nil }
    if let hierarchy = Self.splitSlashes(reference) { return Self(scheme: scheme, hierarchy: hierarchy) }
    let (pathPart, queryPart) = Self.splitQuery(reference)
    var newQuery = queryPart.map { PercentEncoding.encode($0.utf8, allowing: .query) }
    let newPath: String
    if pathPart.isEmpty {
      newPath = path
      if queryPart == nil { newQuery = query }
    } else if pathPart.utf8.first.map(Self.isSlash) == true {
      newPath = Self.normalizedPath(pathPart)
    } else {
      let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
      newPath = Self.normalizedPath(folder + pathPart)
    }
    return ResourceURL(
      scheme: scheme, host: host, explicitPort: explicitPort, path: newPath, query: newQuery, user: user,
      password: password)
  }

  /// The text with the password of a URL, where there is one, replaced by `***`.
  public static func redacted(_ text: some StringProtocol) -> String {
    let text = Substring(text)
    guard let (_, rest) = splitScheme(text), let hierarchy = splitSlashes(rest) else { return String(text) }
    let authority = hierarchy.before(anyOf: "/?#\\")
    guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")),
      let colon = authority[..<at].utf8.firstIndex(of: UInt8(ascii: ":"))
    else { return String(text) }
    return "\(text[..<colon]):***\(text[at...])"
  }

  /// The scheme that a text starts with, in lower case, whether it is one that is fetched or not; nil where there is
  /// none, and the text is a relative reference or a path (RFC 3986, section 3.1).
  public static func schemeName(of text: some StringProtocol) -> String? {
    splitScheme(Substring(text))?.name
  }

  /// The scheme in lower case and what follows its colon; nil where there is none (RFC 3986, section 3.1).
  static func splitScheme(_ text: Substring) -> (name: String, rest: Substring)? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first,
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first.asciiLowercased)
    else { return nil }
    let name = text[..<colon]
    let isScheme = name.utf8.allSatisfy { byte in
      switch byte.asciiLowercased {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
        UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isScheme ? (name.lowercased(), text[text.utf8.index(after: colon)...]) : nil
  }

  /// Parses what follows `scheme://`.
  private init?(scheme: Scheme, hierarchy: Substring) {
    guard Self.hasNoControls(hierarchy) else { return nil }
    let authority = hierarchy.before(anyOf: "/?#\\")
    var hostAndPort = authority
    var user: String?
    var password: String?
    if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      let credentials = authority[..<at].utf8.split(
        separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      user = credentials.first.map { String(decoding: PercentEncoding.decode($0), as: UTF8.self) }
      if credentials.count == 2 {
        password = String(decoding: PercentEncoding.decode(credentials[1]), as: UTF8.self)
      }
      hostAndPort = authority[authority.utf8.index(after: at)...]
    }
    guard let (hostText, port) = Self.splitPort(hostAndPort, default: scheme.defaultPort),
      let host = HostName.canonical(hostText)
    else { return nil }
    let (pathPart, queryPart) = Self.splitQuery(hierarchy[authority.endIndex...])
    self.init(
      scheme: scheme, host: host, explicitPort: port, path: Self.normalizedPath(pathPart),
      query: queryPart.map { PercentEncoding.encode($0.utf8, allowing: .query) },
      user: user, password: password)
  }

  /// What follows the two slashes at the start, backslashes taken for slashes; nil where there are none.
  private static func splitSlashes(_ text: Substring) -> Substring? {
    let bytes = text.utf8
    return bytes.prefix(2).count == 2 && bytes.prefix(2).allSatisfy(isSlash) ? Substring(bytes.dropFirst(2)) : nil
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  private static func hasNoControls(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// Path and query of what follows an authority; the fragment goes.
  private static func splitQuery(_ text: Substring) -> (path: Substring, query: Substring?) {
    let bare = text.before(anyOf: "#")
    let path = bare.before(anyOf: "?")
    let rest = bare[path.endIndex...]
    return (path, rest.isEmpty ? nil : rest[rest.utf8.index(after: rest.startIndex)...])
  }

  /// Host and explicit port; nil where the port is no number up to 65535.
  private static func splitPort(_ text: Substring, default defaultPort: Int) -> (host: Substring, port: Int?)? {
    let afterBracket = text.utf8.lastIndex(of: UInt8(ascii: "]")) ?? text.startIndex
    guard let colon = text[afterBracket...].utf8.firstIndex(of: UInt8(ascii: ":")) else { return (text, nil) }
    let digits = text[text.utf8.index(after: colon)...]
    if digits.isEmpty { return (text[..<colon], nil) }
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), port <= 65_535 else {
      return nil
    }
    return (text[..<colon], port == defaultPort ? nil : port)
  }

  /// Encodes what needs it, takes `\` for `/`, and removes dot segments (RFC 3986, section 5.2.4).
  private static func normalizedPath(_ text: some StringProtocol) -> String {
    let path = text.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
    var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if segments.first?.isEmpty == true { segments.removeFirst() }
    var kept: [ArraySlice<UInt8>] = []
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch dots(in: segment) {
      case 1: if isLast { kept.append([]) }
      case 2:
        _ = kept.popLast()
        if isLast { kept.append([]) }
      default: kept.append(segment)
      }
    }
    return "/" + PercentEncoding.encode(kept.joined(separator: [UInt8(ascii: "/")]), allowing: .path)
  }

  /// 1 for `.`, 2 for `..`, also where the dots are written `%2e`; else 0.
  private static func dots(in segment: ArraySlice<UInt8>) -> Int {
    guard segment.count <= 6 else { return 0 }
    let decoded = PercentEncoding.decode(segment)
    return decoded == [0x2e] ? 1 : decoded == [0x2e, 0x2e] ? 2 : 0
  }
}

extension Substring {
  /// What stands before the first of the delimiters; all of it where there is none.
  fileprivate func before(anyOf delimiters: String) -> Substring {
    Substring(utf8.prefix { !delimiters.utf8.contains($0) })
  }
}

extension StringProtocol {
  /// The text without spaces, tabs and line ends around it.
  func trimmingASCIIWhitespace() -> Substring {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
    let bytes = Substring(self).utf8
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return Substring(bytes[first...last])
  }
}
