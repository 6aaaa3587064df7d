extension ResourceLocation {
  /// The file of a `file:` URL on this machine (RFC 8089).
  ///
  /// - Throws: `invalid-input` for another machine's, and for one without a path that can be read.
  public init(fileURL text: String) throws {
    let rest = text.dropFirst("file:".count)
    var path = rest
    if rest.hasPrefix("//") {
      let authority = rest.dropFirst(2).prefix { $0 != "/" }
      guard authority.isEmpty || authority.lowercased() == "localhost" else {
        throw PipelineError(.input, .invalidInput, "a file: URL of another machine")
      }
      path = rest.dropFirst(2 + authority.count)
    }
    let decoded = PercentEncoding.decode(path.utf8)
    guard path.hasPrefix("/"), !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self) else {
      throw PipelineError(.input, .invalidInput, "the file: URL has no path that can be read")
    }
    self = .file(text)
  }
}
