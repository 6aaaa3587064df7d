import PipelineTesting
import SQLiteStore
import Testing

@Suite struct SQLiteFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func file(version: Int = 1, migrations: [Int: String] = [:], applicationID: Int32 = 77) -> SQLiteFile {
    SQLiteFile(
      path: folder("a.sqlite"),
      schema: SQLiteSchema(
        applicationID: applicationID, version: version,
        creation: version == 1 ? "CREATE TABLE t (i)" : "CREATE TABLE t (i, added)", migrations: migrations))
  }

  func fill(rows: Int) throws {
    let connection = try file().open()
    let insert = try connection.prepare("INSERT INTO t VALUES (zeroblob(3000))")
    try connection.transaction { for _ in 0..<rows { try insert.run() } }
  }

  @Test func aNewDatabaseGetsItsTablesAndVersionOnce() throws {
    for expected in 0...2 {
      let (connection, setAside) = try file().openOrReplace()
      #expect(setAside == nil)
      #expect(try connection.userVersion() == 1)
      #expect(try connection.integer("SELECT count(*) FROM t") == expected)
      try connection.execute("INSERT INTO t VALUES (1)")
    }
  }

  /// SQLite refuses to begin a write-ahead log at once, whatever the busy timeout, while another connection is about to
  /// write.
  @Test func oneThatIsBeingWrittenIsWaitedFor() async throws {
    let file = file()
    let other = try file.open()
    try other.execute("PRAGMA journal_mode = DELETE")
    try other.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    let opening = Task.detached { try file.open(checksStructure: false).integer("SELECT count(*) FROM t") }
    try await Task.sleep(for: .milliseconds(100))
    try other.execute("COMMIT")
    #expect(try await opening.value == 1)
  }

  @Test func severalMayMakeItAtTheSameTime() async throws {
    for round in 0..<100 {
      let file = SQLiteFile(path: folder("\(round).sqlite"), schema: file().schema)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask { try file.open(checksStructure: false).execute("INSERT INTO t VALUES (1)") }
        }
        try await group.waitForAll()
      }
      #expect(try file.open().integer("SELECT count(*) FROM t") == 4)
    }
  }

  @Test func anOlderOneIsMigratedAndKeepsItsRows() throws {
    try fill(rows: 2)
    let newer = file(
      version: 3, migrations: [1: "ALTER TABLE t ADD COLUMN x", 2: "ALTER TABLE t RENAME COLUMN x TO added"])
    let (connection, setAside) = try newer.openOrReplace()
    #expect(setAside == nil)
    #expect(try connection.userVersion() == 3)
    #expect(try connection.integer("SELECT count(*) FROM t WHERE added IS NULL") == 2)
  }

  @Test func aNewerOneIsSetAsideAndNothingInItIsLost() throws {
    do { try file(version: 2).open().execute("INSERT INTO t VALUES (1, 2)") }
    let (connection, setAside) = try file().openOrReplace()
    #expect(setAside?.path == folder("a.sqlite.unsupported-1"))
    #expect(setAside?.reason.kind == .unsupported)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    let old = try SQLiteConnection(path: folder("a.sqlite.unsupported-1"))
    #expect(try old.integer("SELECT added FROM t") == 2)
  }

  @Test func anotherProgramsDatabaseIsSetAside() throws {
    do { _ = try file(applicationID: 78).open() }
    #expect(try file().openOrReplace().setAside?.reason.kind == .unsupported)
    do {
      let foreign = try SQLiteConnection(path: folder("b.sqlite"))
      try foreign.execute("CREATE TABLE theirs (i)")
    }
    let b = SQLiteFile(path: folder("b.sqlite"), schema: file().schema)
    #expect(try b.openOrReplace().setAside?.reason.kind == .unsupported)
  }

  @Test func noDatabaseAtAllIsSetAside() throws {
    for number in 1...3 {
      try writeFile(folder("a.sqlite"), [UInt8](repeating: 0x41, count: 5_000))
      let setAside = try file().openOrReplace().setAside
      #expect(setAside?.path == folder("a.sqlite.damaged-\(number)"))
      #expect(setAside?.reason.kind == .damaged)
      #expect(fileBytes(folder("a.sqlite.damaged-\(number)")) == [UInt8](repeating: 0x41, count: 5_000))
    }
  }

  @Test(arguments: [0.3, 0.5, 0.9]) func oneThatIsCutShortIsSetAside(share: Double) throws {
    try fill(rows: 200)
    let whole = try #require(fileBytes(folder("a.sqlite")))
    try writeFile(folder("a.sqlite"), whole.prefix(Int(Double(whole.count) * share) / 4096 * 4096))
    let (connection, setAside) = try file().openOrReplace()
    #expect(setAside?.reason.kind == .damaged)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test func oneThatIsOverwrittenInTheMiddleIsSetAside() throws {
    try fill(rows: 200)
    var bytes = try #require(fileBytes(folder("a.sqlite")))
    // Page 1 with the schema stays, and so does its text; the root of the table goes.
    bytes.replaceSubrange(4096..<(3 * 4096), with: [UInt8](repeating: 0xa5, count: 2 * 4096))
    try writeFile(folder("a.sqlite"), bytes)
    #expect(try file().openOrReplace().setAside?.reason.kind == .damaged)
  }

  @Test func theLogOfASetAsideOneIsNotPlayedIntoTheNew() throws {
    // A log with a committed row that has not reached the file, as after a kill, beside a file that is then damaged.
    let connection = try file().open()
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try connection.execute("INSERT INTO t VALUES (1)")
    let log = try #require(fileBytes(folder("a.sqlite-wal")))
    let other = try TemporaryFolder()
    try writeFile(other("a.sqlite"), [UInt8](repeating: 0x41, count: 8_192))
    try writeFile(other("a.sqlite-wal"), log)
    let replaced = SQLiteFile(path: other("a.sqlite"), schema: file().schema)
    let (fresh, setAside) = try replaced.openOrReplace()
    #expect(setAside?.reason.kind == .damaged)
    #expect(try fresh.integer("SELECT count(*) FROM t") == 0)
    try fresh.checkStructure()
  }
}
