import FetchPipeline
import SQLiteStore

/// What the ledger looks up, on a connection of its own, so that no look-up waits for a commit.
final class LedgerReader {
  private let source: SQLiteStatement
  private let images: SQLiteStatement
  private let failure: SQLiteStatement
  private let holder: SQLiteStatement
  private let picture: SQLiteStatement

  /// The columns of a picture, and how many of one recipe are looked at.
  private static let (columns, page) = ("rendition, recipe, path, format, width, height, bytes", 8)

  /// Whether a picture of the key ?1 is of the bytes that the key has had last.
  private static let isCurrent = "digest IS (SELECT digest FROM sources WHERE key = ?1)"

  init(_ connection: SQLiteConnection) throws {
    source = try connection.prepare(
      """
      SELECT url, status, attempts, cache, run, format, width, height, bytes, orientation, flags, digest, confirmation
      FROM sources WHERE key = ?
      """)
    images = try connection.prepare(
      """
      SELECT \(Self.columns) FROM images WHERE key = ?1 AND recipe > ?2 AND \(Self.isCurrent)
      ORDER BY recipe, path LIMIT \(Self.page)
      """)
    picture = try connection.prepare(
      "SELECT \(Self.columns) FROM images WHERE key = ?1 AND path = ?2 AND \(Self.isCurrent)")
    failure = try connection.prepare(
      """
      SELECT url, status, attempts, cache, run, stage, code, message, transient, http_status, time
      FROM failures WHERE key = ? AND recipe = ?
      """)
    holder = try connection.prepare("SELECT key FROM images WHERE path = ?")
  }

  /// The key that a recorded path belongs to.
  func holder(of path: String) throws -> [UInt8]? {
    try holder.bind(1, path)
    return try holder.first { $0.bytes(0) }
  }

  func receipt(for key: ResourceKey) throws -> Receipt? {
    try source.bind(1, key.digest.bytes)
    let found: Receipt?? = try source.first { row in
      guard let orientation = Orientation(rawValue: row.int(9)) else { return nil }
      return Receipt(
        key: key, run: row.int(4), confirmation: row.optionalInt(12),
        source: SourceDescription(
          format: ImageFormat(rawValue: row.string(5)), size: PixelSize(width: row.int(6), height: row.int(7)),
          byteCount: row.int(8), orientation: orientation),
        digest: row.optionalInt(11).map { ContentDigest(rawValue: UInt64(bitPattern: Int64($0))) },
        exchange: Self.exchange(row),
        flags: Set(row.string(10).split(separator: ",").compactMap { ResultFlag(rawValue: String($0)) }), images: [])
    }
    guard var receipt = found ?? nil else { return nil }
    // A picture that thousands of rows share has thousands of names: some of each recipe are enough.
    var last: [UInt8] = []
    while true {
      try images.bind(1, key.digest.bytes)
      try images.bind(2, last)
      let found = try images.all(Self.image)
      receipt.images += found.compactMap { $0 }
      guard found.count == Self.page, let recipe = found.last??.recipe else { return receipt }
      last = recipe.bytes
    }
  }

  /// The picture that is recorded under a path of a key.
  func picture(at path: String, of key: ResourceKey) throws -> StoredImage? {
    try picture.bind(1, key.digest.bytes)
    try picture.bind(2, path)
    return try picture.first(Self.image) ?? nil
  }

  func failure(for key: ResourceKey, recipe: Digest) throws -> RememberedFailure? {
    try failure.bind(1, key.digest.bytes)
    try failure.bind(2, recipe.bytes)
    let found: RememberedFailure?? = try failure.first { row in
      guard let stage = PipelineError.Stage(rawValue: row.string(5)),
        let code = PipelineError.Code(rawValue: row.string(6))
      else { return nil }
      return RememberedFailure(
        key: key, recipe: recipe, run: row.int(4),
        error: PipelineError(
          stage, code, row.string(7), isTransient: row.int(8) != 0, httpStatus: row.optionalInt(9)),
        exchange: Self.exchange(row), time: row.double(10))
    }
    return found ?? nil
  }

  private static func image(_ row: SQLiteStatement) -> StoredImage? {
    Digest(bytes: row.bytes(1)).map { recipe in
      StoredImage(
        rendition: row.string(0), recipe: recipe, path: row.string(2), format: ImageFormat(rawValue: row.string(3)),
        size: PixelSize(width: row.int(4), height: row.int(5)), byteCount: row.int(6))
    }
  }

  /// The first four columns of a row.
  private static func exchange(_ row: SQLiteStatement) -> ExchangeDescription? {
    guard let text = row.optionalString(0), let url = try? ResourceURL(text),
      let cache = ExchangeDescription.CacheUse(rawValue: row.string(3))
    else { return nil }
    return ExchangeDescription(status: row.optionalInt(1), url: url, attempts: row.int(2), cache: cache)
  }
}
