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

  /// A request for the picture at a URL as it is written: `http`, `https` or `data`. (Files of this machine have to be meant:
  /// `init(file:)`.) Throws `invalid-input`, `unsupported-scheme`.
  public init(_ url: String) throws {
    switch ResourceURL.schemeName(of: url) {
    case "data": self.init(.data(try DataURL(url)))
    case nil:
      throw PipelineError(.input, .invalidInput, "\"\(url.prefix(200))\" is no URL (a file is ImageRequest(file:))")
    case "file":
      throw PipelineError(.input, .unsupportedScheme, "file: URLs are not fetched (a file is ImageRequest(file:))")
    default: self.init(try ResourceURL(url))
    }
  }

  /// The picture in a file, by its path from the working folder or from the root.
  public init(file path: String) {
    self.init(.file(path))
  }

  /// The picture whose file these bytes are, as they were uploaded for example.
  public init(bytes: some Sequence<UInt8>) {
    self.init(.data(DataURL(bytes: bytes as? SharedBytes ?? SharedBytes(bytes))))
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
