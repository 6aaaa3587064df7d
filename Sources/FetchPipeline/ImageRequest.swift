/// What is asked for: a picture somewhere, and how to ask for it.
public struct ImageRequest: Sendable {
  /// Where the picture is.
  public var url: ResourceURL
  /// The method, where it is not the builders' choice.
  public var method: HTTPMethod?
  /// A body for the builders' method, where the row has one and leaves the method to them.
  public var body: HTTPRequestBody?
  /// Header fields that win over those of the builders.
  public var headers: HTTPFields
  /// The cache mode, where it is not the builders' choice.
  public var cache: CacheMode?

  /// A request for the picture at `url`.
  public init(
    _ url: ResourceURL, method: HTTPMethod? = nil, body: HTTPRequestBody? = nil, headers: HTTPFields = [:],
    cache: CacheMode? = nil
  ) {
    self.url = url
    self.method = method
    self.body = body
    self.headers = headers
    self.cache = cache
  }
}
