/// What became of an item.
public struct ImageResult: Sendable {
  /// The row's name.
  public var id: String
  /// The URL as the row writes it, without a password.
  public var url: String
  /// How it went.
  public var status: Status
  /// Why it failed; nil unless it did.
  public var error: PipelineError?
  /// What the source is, as far as it is known.
  public var source: SourceDescription?
  /// How it was fetched, as far as it was.
  public var exchange: ExchangeDescription?
  /// The pictures that stand.
  public var outputs: [StoredImage]
  /// What was noticed.
  public var flags: Set<ResultFlag>
  /// How long each step took.
  public var timings: Timings
  /// Whether the failure is one of an earlier run, and nothing was tried in this one.
  public var isRemembered = false
  /// Whether an earlier run had made something of the same source, but not this.
  public var isRemade = false
  /// Whether all was done for an earlier row of this run, which asked for the same.
  public var isRepeated = false
  /// The row's other columns.
  public var fields: JSONObject
  /// What plugins add, by the name of their stage.
  public var meta: JSONObject
  /// The header fields of the answer as received, or as stored for a cached one, where the report is to have them.
  public var headers: HTTPFields?
  /// The row as it came in.
  public var original: JSONObject

  /// How an item went.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Made in this run.
    case ok
    /// Stood already.
    case skipped
    /// Not made.
    case failed
  }

  /// A result of an item; the rest is to be filled in.
  public init(of item: SourceItem, status: Status, error: PipelineError? = nil) {
    id = item.id
    url = ResourceURL.redacted(item.text)
    self.status = status
    self.error = error
    outputs = []
    flags = []
    timings = Timings()
    fields = item.fields
    meta = [:]
    original = item.original
  }
}

/// The picture that an item names.
public struct SourceDescription: Sendable, Hashable {
  /// Its format.
  public var format: ImageFormat
  /// Its size as displayed.
  public var size: PixelSize
  /// The bytes of its file.
  public var byteCount: Int
  /// How its pixels are stored.
  public var orientation: Orientation

  /// A source.
  public init(format: ImageFormat, size: PixelSize, byteCount: Int, orientation: Orientation) {
    self.format = format
    self.size = size
    self.byteCount = byteCount
    self.orientation = orientation
  }
}

/// How an item was fetched.
public struct ExchangeDescription: Sendable, Hashable {
  /// The status of the last answer; nil where there was none.
  public var status: Int?
  /// The URL that was asked last.
  public var url: ResourceURL
  /// The attempts, redirects not counted.
  public var attempts: Int
  /// What the cache did.
  public var cache: CacheUse

  /// What the HTTP cache did for an item.
  public enum CacheUse: String, Sendable, Hashable, CaseIterable {
    /// A stored answer was fresh.
    case hit
    /// Nothing was stored.
    case miss
    /// A stored answer was confirmed by its origin.
    case revalidated
    /// A stored answer was used though it was no longer fresh.
    case stale
    /// There is no cache, or the request does not use it.
    case none
  }

  /// How an item was fetched.
  public init(status: Int?, url: ResourceURL, attempts: Int, cache: CacheUse) {
    self.status = status
    self.url = url
    self.attempts = attempts
    self.cache = cache
  }
}

/// How long each step of an item took; zero for what was not done.
public struct Timings: Sendable, Hashable {
  /// From the turn of the first request to the last byte received, further attempts and their waits included.
  public var fetch = Duration.zero
  /// Decoding.
  public var decode = Duration.zero
  /// Transforming and converting, all renditions.
  public var transform = Duration.zero
  /// Encoding, all renditions.
  public var encode = Duration.zero
  /// Writing, until it is safe.
  public var write = Duration.zero
  /// From when something was first done for the item to its end.
  public var total = Duration.zero

  /// Nothing yet.
  public init() {}
}
