/// What says where a resource is: a URL that was parsed, or one as it is written.
public protocol ResourceURLConvertible {
  /// The URL. Throws `unsupported-scheme`, `invalid-input`.
  func resourceURL() throws -> ResourceURL
}

extension ResourceURL: ResourceURLConvertible {
  /// The URL itself.
  public func resourceURL() -> ResourceURL { self }
}

extension String: ResourceURLConvertible {
  /// The URL that the text writes.
  public func resourceURL() throws -> ResourceURL { try ResourceURL(self) }
}

extension Substring: ResourceURLConvertible {
  /// The URL that the text writes.
  public func resourceURL() throws -> ResourceURL { try ResourceURL(self) }
}
