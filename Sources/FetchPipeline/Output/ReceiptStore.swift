/// Which names are taken, and by what.
public protocol PathClaims: Sendable {
  /// Takes `path` for `key`; false where another key holds it.
  func claim(_ path: String, for key: ResourceKey) throws -> Bool

  /// Whether `path` is known to be `key`'s, so that what stands there may be replaced.
  func holds(_ path: String, for key: ResourceKey) throws -> Bool

  /// What is recorded under `path`, where that is a picture of the bytes that `key` has had last; nil where it is not.
  func picture(at path: String, of key: ResourceKey) throws -> StoredImage?

  /// Gives up a claim of this run under which nothing was written. What has been recorded stays taken.
  func release(_ path: String, for key: ResourceKey)
}

extension PathClaims {
  /// What is recorded, and nothing else.
  public func holds(_ path: String, for key: ResourceKey) throws -> Bool { try picture(at: path, of: key) != nil }

  /// Nothing, where paths alone are known.
  public func picture(at path: String, of key: ResourceKey) throws -> StoredImage? { nil }
}

/// What is known of each item: the ledger that makes a run resumable.
public protocol ReceiptStore: PathClaims {
  /// The number of this run; those before it are smaller.
  var run: Int { get }

  /// What was made of a resource, by this run or an earlier one; nil where nothing was.
  func receipt(for key: ResourceKey) throws -> Receipt?

  /// The failure that is remembered of a resource under a recipe; nil where there is none.
  func failure(for key: ResourceKey, recipe: Digest) throws -> RememberedFailure?

  /// Keeps what was made of a resource beside what is known of it already; pictures of other bytes than the receipt's are
  /// no longer given out. When this returns, it survives the program.
  func record(_ receipt: Receipt) async throws

  /// Keeps that a resource failed. When this returns, it survives the program.
  func record(_ failure: RememberedFailure) async throws

  /// Writes everything and gives up files. Nothing is called afterwards.
  func shutdown() async
}

/// What was made of a resource.
public struct Receipt: Sendable {
  /// The resource.
  public var key: ResourceKey
  /// The run that made it.
  public var run: Int
  /// The last run whose origin has confirmed that this is still what there is; nil where none asked since.
  public var confirmation: Int?
  /// What the source is.
  public var source: SourceDescription
  /// The bytes that the pictures were made of; nil where that was not noted.
  public var digest: ContentDigest?
  /// How it was fetched.
  public var exchange: ExchangeDescription?
  /// What was noticed.
  public var flags: Set<ResultFlag>
  /// The pictures of these bytes, of every recipe, under every name they stand under; where these are very many, under
  /// some.
  public var images: [StoredImage]

  /// A receipt.
  public init(
    key: ResourceKey, run: Int, confirmation: Int? = nil, source: SourceDescription, digest: ContentDigest?,
    exchange: ExchangeDescription?, flags: Set<ResultFlag>, images: [StoredImage]
  ) {
    self.key = key
    self.run = run
    self.confirmation = confirmation
    self.source = source
    self.digest = digest
    self.exchange = exchange
    self.flags = flags
    self.images = images
  }
}

/// That a resource failed, and how long that is believed.
public struct RememberedFailure: Sendable {
  /// The resource.
  public var key: ResourceKey
  /// The recipe, with the limits, under which it failed.
  public var recipe: Digest
  /// The run in which it failed.
  public var run: Int
  /// Why.
  public var error: PipelineError
  /// How it was fetched, as far as it was.
  public var exchange: ExchangeDescription?
  /// When it failed, in seconds since 1970.
  public var time: Double

  /// A failure.
  public init(
    key: ResourceKey, recipe: Digest, run: Int, error: PipelineError, exchange: ExchangeDescription?, time: Double
  ) {
    self.key = key
    self.recipe = recipe
    self.run = run
    self.error = error
    self.exchange = exchange
    self.time = time
  }
}
