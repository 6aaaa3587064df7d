import FetchPipeline
import PipelineTesting
import SQLiteStore
import Testing

@testable import BatchIO

@Suite struct LedgerTests {
  let folder: TemporaryFolder
  var path: String { folder(".pipeline.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  @Test func aReceiptComesBackInThisRunAndTheNext() async throws {
    var made = receipt(
      key(1), images: [stored("a.jpg"), stored("b/c.png", recipe: 7, rendition: "small", format: .png)])
    made.flags = [.redirected, .iccConverted]
    made.confirmation = 7
    made.exchange = ExchangeDescription(
      status: 200, url: try ResourceURL("https://cdn.example.org/a.jpg?x=1"), attempts: 2, cache: .revalidated)
    for run in 1...2 {
      let ledger = try Ledger(path: path)
      #expect(ledger.run == run)
      if run == 1 { try await ledger.record(made) }
      let read = try #require(try ledger.receipt(for: key(1)))
      #expect(read.run == 1)
      #expect(read.source == made.source)
      #expect(read.digest == made.digest && made.digest != nil)
      #expect(read.confirmation == 7)
      #expect(read.exchange == made.exchange)
      #expect(read.flags == [.redirected, .iccConverted])
      #expect(Set(read.images) == Set(made.images))
      #expect(try ledger.receipt(for: key(2)) == nil)
      await ledger.shutdown()
    }
  }

  @Test func aLaterReceiptAddsImagesAndReplacesThoseOfItsPaths() async throws {
    let ledger = try Ledger(path: path)
    try await ledger.record(receipt(key(1), images: [stored("a.jpg", recipe: 1), stored("b.jpg", recipe: 1)]))
    try await ledger.record(
      receipt(key(1), run: 5, images: [stored("a.jpg", recipe: 2, bytes: 77), stored("c.jpg", recipe: 2)]))
    let read = try #require(try ledger.receipt(for: key(1)))
    #expect(read.run == 5)
    #expect(
      Set(read.images) == [
        stored("a.jpg", recipe: 2, bytes: 77), stored("b.jpg", recipe: 1), stored("c.jpg", recipe: 2),
      ])
    await ledger.shutdown()
  }

  /// Pictures of earlier bytes are not given out, though their names stay the key's, to be written over.
  @Test func picturesOfOtherBytesAreOutOfDate() async throws {
    let ledger = try Ledger(path: path)
    try await ledger.record(receipt(key(1), digest: 1, images: [stored("a.jpg"), stored("b.jpg", recipe: 7)]))
    try await ledger.record(receipt(key(1), digest: 2, images: [stored("c.jpg")]))
    #expect(try ledger.receipt(for: key(1))?.images == [stored("c.jpg")])
    #expect(try ledger.picture(at: "a.jpg", of: key(1)) == nil)
    #expect(try ledger.picture(at: "c.jpg", of: key(1)) == stored("c.jpg"))
    #expect(try ledger.holds("a.jpg", for: key(1)))
    #expect(try !ledger.claim("b.jpg", for: key(2)))
    // Made again of the new bytes it counts once more.
    try await ledger.record(receipt(key(1), digest: 2, images: [stored("a.jpg", bytes: 5)]))
    #expect(try Set(ledger.receipt(for: key(1))?.images ?? []) == [stored("a.jpg", bytes: 5), stored("c.jpg")])
    await ledger.shutdown()
  }

  /// What the first version wrote counts: of which bytes it was made is not known.
  @Test func aLedgerOfTheFirstVersionIsBroughtUpToDate() async throws {
    let old = try SQLiteConnection(path: path)
    for statement in [
      "CREATE TABLE runs (run INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, version TEXT NOT NULL)",
      """
      CREATE TABLE sources (
        key BLOB PRIMARY KEY, run INTEGER NOT NULL, format TEXT NOT NULL, width INTEGER NOT NULL,
        height INTEGER NOT NULL, bytes INTEGER NOT NULL, orientation INTEGER NOT NULL, flags TEXT NOT NULL,
        url TEXT, status INTEGER, attempts INTEGER, cache TEXT) WITHOUT ROWID
      """,
      """
      CREATE TABLE images (
        key BLOB NOT NULL, path TEXT NOT NULL, recipe BLOB NOT NULL, rendition TEXT NOT NULL, format TEXT NOT NULL,
        width INTEGER NOT NULL, height INTEGER NOT NULL, bytes INTEGER NOT NULL, run INTEGER NOT NULL,
        PRIMARY KEY (key, recipe, path)) WITHOUT ROWID
      """,
      "CREATE UNIQUE INDEX images_path ON images (path)",
      """
      CREATE TABLE failures (
        key BLOB NOT NULL, recipe BLOB NOT NULL, run INTEGER NOT NULL, stage TEXT NOT NULL, code TEXT NOT NULL,
        message TEXT NOT NULL, transient INTEGER NOT NULL, http_status INTEGER, time REAL NOT NULL,
        url TEXT, status INTEGER, attempts INTEGER, cache TEXT, PRIMARY KEY (key, recipe)) WITHOUT ROWID
      """,
      "INSERT INTO runs VALUES (4, 1, 2, '0.1.0')",
      """
      INSERT INTO sources VALUES (
        x'\(key(1).digest.hex)', 4, 'jpeg', 3000, 4000, 2154123, 6, '', NULL, NULL, NULL, NULL)
      """,
      """
      INSERT INTO images VALUES (
        x'\(key(1).digest.hex)', 'a.jpg', x'\(stored("a.jpg").recipe.hex)', '', 'jpeg', 192, 256, 9120, 4)
      """,
      "PRAGMA application_id = \(Ledger.schema.applicationID)", "PRAGMA user_version = 1",
    ] { try old.execute(statement) }
    // Looking alone changes nothing.
    #expect(LedgerSnapshot(folder: folder.path).problem?.contains("version 1, not 2") == true)
    let ledger = try Ledger(path: path)
    #expect(ledger.setAside == nil && ledger.run == 5)
    let read = try #require(try ledger.receipt(for: key(1)))
    #expect(read.images == [stored("a.jpg")])
    #expect(read.digest == nil && read.confirmation == nil)
    await ledger.shutdown()
  }

  @Test func ofVeryManyNamesSomeOfEachRecipeAreListed() async throws {
    let ledger = try Ledger(path: path)
    let images = (1...3).flatMap { recipe in
      (0..<recipe * 20 - 19).map { stored("\(recipe)-\($0).jpg", recipe: UInt8(recipe)) }
    }
    try await ledger.record(receipt(key(1), images: images))
    let read = try #require(try ledger.receipt(for: key(1))).images
    #expect(Set(read.map(\.recipe)) == [digest(1), digest(2), digest(3)])
    #expect(Set(read).isSubset(of: images))
    #expect(Set(read).count == read.count)
    #expect(read.count < 30)
    for image in images { #expect(try ledger.picture(at: image.path, of: key(1)) == image) }
    #expect(try ledger.picture(at: "1-0.jpg", of: key(2)) == nil)
    #expect(try ledger.picture(at: "4-0.jpg", of: key(1)) == nil)
    await ledger.shutdown()
  }

  @Test func aFailureIsRememberedUnderItsRecipeUntilItIsMade() async throws {
    let ledger = try Ledger(path: path)
    let exchange = ExchangeDescription(
      status: 404, url: try ResourceURL("http://example.org/x"), attempts: 1, cache: .miss)
    let failure = RememberedFailure(
      key: key(1), recipe: digest(9), run: ledger.run,
      error: PipelineError(.transport, .httpStatus, "404 Not Found", isTransient: false, httpStatus: 404),
      exchange: exchange, time: 1_700_000_000.25)
    try await ledger.record(failure)
    let read = try #require(try ledger.failure(for: key(1), recipe: digest(9)))
    #expect(read.run == 1)
    #expect(read.error.stage == .transport)
    #expect(read.error.code == .httpStatus)
    #expect(read.error.message == "404 Not Found")
    #expect(read.error.isTransient == false)
    #expect(read.error.httpStatus == 404)
    #expect(read.exchange == exchange)
    #expect(read.time == 1_700_000_000.25)
    #expect(try ledger.failure(for: key(1), recipe: digest(8)) == nil)
    #expect(try ledger.failure(for: key(2), recipe: digest(9)) == nil)

    try await ledger.record(
      RememberedFailure(
        key: key(1), recipe: digest(9), run: 2, error: PipelineError(.decode, .corrupt, "broken"), exchange: nil,
        time: 5))
    let second = try #require(try ledger.failure(for: key(1), recipe: digest(9)))
    #expect(second.error.code == .corrupt)
    #expect(second.exchange == nil)
    #expect(second.time == 5)

    try await ledger.record(receipt(key(1), images: []))
    #expect(try ledger.failure(for: key(1), recipe: digest(9)) == nil)
    await ledger.shutdown()
  }

  @Test func aPathBelongsToOneKey() async throws {
    var ledger = try Ledger(path: path)
    #expect(try ledger.claim("a.jpg", for: key(1)))
    #expect(try ledger.claim("a.jpg", for: key(1)))
    #expect(try !ledger.claim("a.jpg", for: key(2)))
    #expect(try ledger.claim("b.jpg", for: key(2)))
    try await ledger.record(receipt(key(1), images: [stored("a.jpg")]))
    #expect(try !ledger.claim("a.jpg", for: key(2)))
    // Given up, b.jpg is free; a.jpg is recorded and stays taken.
    ledger.release("b.jpg", for: key(2))
    ledger.release("a.jpg", for: key(1))
    #expect(try ledger.claim("b.jpg", for: key(3)))
    #expect(try !ledger.claim("a.jpg", for: key(2)))
    // Another key's claim cannot be given up.
    ledger.release("b.jpg", for: key(2))
    #expect(try !ledger.claim("b.jpg", for: key(2)))
    await ledger.shutdown()

    // What was recorded is taken in the next run too, what was only claimed is not.
    ledger = try Ledger(path: path)
    #expect(try !ledger.claim("a.jpg", for: key(2)))
    #expect(try ledger.claim("a.jpg", for: key(1)))
    #expect(try ledger.claim("b.jpg", for: key(2)))
    await ledger.shutdown()
  }

  @Test func oneOfManyWhoClaimAtOnceGetsThePath() async throws {
    let ledger = try Ledger(path: path)
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...200 { group.addTask { try ledger.claim("a.jpg", for: key(UInt8(number))) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    await ledger.shutdown()
  }

  @Test func manyRecordsAtOnceAreAllThere() async throws {
    let ledger = try Ledger(path: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3_000 {
        group.addTask {
          var bytes = [UInt8](repeating: 0, count: 32)
          bytes[0] = UInt8(number >> 8)
          bytes[1] = UInt8(number & 255)
          let key = ResourceKey(digest: try #require(Digest(bytes: bytes)))
          try await ledger.record(receipt(key, images: [stored("\(number).jpg")]))
          let read = try ledger.receipt(for: key)
          #expect(read?.images.map(\.path) == ["\(number).jpg"])
        }
      }
      try await group.waitForAll()
    }
    await ledger.shutdown()
    let connection = try SQLiteConnection(path: path)
    #expect(try connection.integer("SELECT count(*) FROM sources") == 3_000)
    #expect(try connection.integer("SELECT count(DISTINCT path) FROM images") == 3_000)
  }

  @Test func aRunThatEndedHasAnEnd() async throws {
    let ledger = try Ledger(path: path)
    let other = try SQLiteConnection(path: path)
    #expect(try other.integer("SELECT ended IS NULL FROM runs WHERE run = 1") == 1)
    await ledger.shutdown()
    #expect(try other.integer("SELECT ended >= started FROM runs WHERE run = 1") == 1)
  }

  @Test func whatIsRecordedIsInTheFileAtOnce() async throws {
    let ledger = try Ledger(path: path, durability: .none)
    try await ledger.record(receipt(key(1), images: [stored("a.jpg")]))
    // As after a kill: the files as they are, without anything that a shutdown writes.
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal"] {
      try writeFile(copy("l.sqlite" + suffix), try #require(fileBytes(path + suffix)))
    }
    let next = try Ledger(path: copy("l.sqlite"))
    #expect(next.setAside == nil)
    #expect(next.run == 2)
    #expect(try next.receipt(for: key(1))?.images == [stored("a.jpg")])
    await next.shutdown()
    await ledger.shutdown()
  }

  @Test func durabilityAsksForSyncsButNoneDoesNot() async throws {
    #expect(Ledger.synchronization(for: .batch) == .full)
    #expect(Ledger.synchronization(for: .each) == .full)
    #expect(Ledger.synchronization(for: .none) == .normal)
  }

  @Test func aDamagedLedgerIsSetAsideAndARunGoesOn() async throws {
    try writeFile(
      path, "this is no database, and long enough to be looked at as one: " + String(repeating: "x", count: 99))
    let ledger = try Ledger(path: path)
    let setAside = try #require(ledger.setAside)
    #expect(setAside.path == path + ".damaged-1")
    #expect(ledger.run == 1)
    try await ledger.record(receipt(key(1), images: []))
    #expect(try ledger.receipt(for: key(1)) != nil)
    await ledger.shutdown()
  }

  @Test func aFullDiskIsATransientErrorOfStageOutput() async throws {
    let ledger = try Ledger(path: path, maximumPages: 16)
    let error = await #expect(throws: PipelineError.self) {
      for number in 1...255 {
        let long = String(repeating: "n", count: 200)
        try await ledger.record(receipt(key(UInt8(number)), images: [stored("\(long)-\(number).jpg")]))
      }
    }
    #expect(error?.stage == .output)
    #expect(error?.code == .diskFull)
    #expect(error?.isTransient == true)
    // What was recorded before is still there.
    #expect(try ledger.receipt(for: key(1)) != nil)
    await ledger.shutdown()
  }

  @Test func aFolderThatIsNotThereIsAnErrorOfStageOutput() {
    let error = #expect(throws: PipelineError.self) { try Ledger(path: folder("none/l.sqlite")) }
    #expect(error?.stage == .output)
    #expect(error?.code == .write)
  }

  @Test func afterTheEndCallsFail() async throws {
    let ledger = try Ledger(path: path)
    await ledger.shutdown()
    #expect(throws: PipelineError.self) { try ledger.receipt(for: key(1)) }
    #expect(throws: PipelineError.self) { try ledger.claim("a", for: key(1)) }
    await #expect(throws: PipelineError.self) { try await ledger.record(receipt(key(1), images: [])) }
    await ledger.shutdown()
  }
}
