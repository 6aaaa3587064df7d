/// What is asked for: a picture somewhere, and how to ask for it.
public struct ImageRequest: Sendable {
  /// Where the picture is.
  public var location: ResourceLocation
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
    self.init(.url(url), method: method, body: body, headers: headers, cache: cache)
  }

  /// A GET request for the picture at a URL as it is written. Throws `invalid-input`, `unsupported-scheme`.
  public init(_ url: String) throws {
    self.init(try ResourceURL(url))
  }

  /// A request for the picture at `location`. What is said of the method and the like goes for URLs that are fetched.
  public init(
    _ location: ResourceLocation, method: HTTPMethod? = nil, body: HTTPRequestBody? = nil, headers: HTTPFields = [:],
    cache: CacheMode? = nil
  ) {
    self.location = location
    self.method = method
    self.body = body
    self.headers = headers
    self.cache = cache
  }
}
