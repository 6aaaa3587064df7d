import FetchPipeline
import SQLiteStore

/// What the ledger writes: many entries in one transaction.
final class LedgerWriter {
  private let connection: SQLiteConnection
  private let source: SQLiteStatement
  private let image: SQLiteStatement
  private let forgetFailures: SQLiteStatement
  private let failure: SQLiteStatement

  init(_ connection: SQLiteConnection) throws {
    self.connection = connection
    source = try connection.prepare(
      """
      INSERT OR REPLACE INTO sources
      (url, status, attempts, cache, key, run, format, width, height, bytes, orientation, flags, digest, confirmation)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    image = try connection.prepare(
      """
      INSERT OR REPLACE INTO images (key, path, recipe, rendition, format, width, height, bytes, run, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    forgetFailures = try connection.prepare("DELETE FROM failures WHERE key = ?")
    failure = try connection.prepare(
      """
      INSERT OR REPLACE INTO failures
      (url, status, attempts, cache, key, recipe, run, stage, code, message, transient, http_status, time)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
  }

  /// Begins a run and returns its number.
  func beginRun(at time: Double) throws -> Int {
    try connection.transaction {
      let run = try connection.integer("SELECT coalesce(max(run), 0) + 1 FROM runs")
      let statement = try connection.prepare("INSERT INTO runs (run, started, version) VALUES (?, ?, ?)")
      try statement.bind(1, run)
      try statement.bind(2, time)
      try statement.bind(3, PipelineVersion.release)
      try statement.run()
      return run
    }
  }

  func endRun(_ run: Int, at time: Double) throws {
    let statement = try connection.prepare("UPDATE runs SET ended = ? WHERE run = ?")
    try statement.bind(1, time)
    try statement.bind(2, run)
    try statement.run()
  }

  /// Writes the entries: all of them, or none.
  func write(_ entries: [Ledger.Entry]) throws {
    try connection.transaction {
      for entry in entries {
        switch entry {
        case .receipt(let receipt): try write(receipt)
        case .failure(let failure): try write(failure)
        }
      }
    }
  }

  private func write(_ receipt: Receipt) throws {
    let key = receipt.key.digest.bytes
    let digest = receipt.digest.map { Int(truncatingIfNeeded: $0.rawValue) }
    try bind(receipt.exchange, to: source)
    try source.bind(5, key)
    try source.bind(6, receipt.run)
    try source.bind(7, receipt.source.format.rawValue)
    try source.bind(8, receipt.source.size.width)
    try source.bind(9, receipt.source.size.height)
    try source.bind(10, receipt.source.byteCount)
    try source.bind(11, receipt.source.orientation.rawValue)
    try source.bind(12, receipt.flags.map(\.rawValue).sorted().joined(separator: ","))
    try source.bind(13, digest)
    try source.bind(14, receipt.confirmation)
    try source.run()
    for stored in receipt.images {
      try image.bind(1, key)
      try image.bind(2, stored.path)
      try image.bind(3, stored.recipe.bytes)
      try image.bind(4, stored.rendition)
      try image.bind(5, stored.format.rawValue)
      try image.bind(6, stored.size.width)
      try image.bind(7, stored.size.height)
      try image.bind(8, stored.byteCount)
      try image.bind(9, receipt.run)
      try image.bind(10, digest)
      try image.run()
    }
    // What has been made is no longer remembered as failing.
    try forgetFailures.bind(1, key)
    try forgetFailures.run()
  }

  private func write(_ remembered: RememberedFailure) throws {
    try bind(remembered.exchange, to: failure)
    try failure.bind(5, remembered.key.digest.bytes)
    try failure.bind(6, remembered.recipe.bytes)
    try failure.bind(7, remembered.run)
    try failure.bind(8, remembered.error.stage.rawValue)
    try failure.bind(9, remembered.error.code.rawValue)
    try failure.bind(10, remembered.error.message)
    try failure.bind(11, remembered.error.isTransient ? 1 : 0)
    try failure.bind(12, remembered.error.httpStatus)
    try failure.bind(13, remembered.time)
    try failure.run()
  }

  /// The first four parameters of a statement.
  private func bind(_ exchange: ExchangeDescription?, to statement: SQLiteStatement) throws {
    try statement.bind(1, exchange?.url.description)
    try statement.bind(2, exchange?.status)
    try statement.bind(3, exchange?.attempts)
    try statement.bind(4, exchange?.cache.rawValue)
  }
}
