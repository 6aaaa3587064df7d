import PipelineTesting
import SQLiteStore
import Testing

@Suite struct SQLiteConnectionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func valuesComeBackAsTheyWereBound() throws {
    let connection = try SQLiteConnection(path: folder("a.sqlite"))
    try connection.execute("CREATE TABLE t (i, d, s, b, n, e, z)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)")
    try insert.bind(1, Int.min)
    try insert.bind(2, -0.5)
    try insert.bind(3, "Bäume\u{0}🌲")
    try insert.bind(4, [0, 1, 255])
    try insert.bind(5, nil as Int?)
    try insert.bind(6, "")
    try insert.bind(7, [UInt8]())
    try insert.run()

    let select = try connection.prepare("SELECT i, d, s, b, n, e, z, typeof(e), typeof(z) FROM t")
    let checked: Void? = try select.first { row in
      #expect(row.int(0) == Int.min)
      #expect(row.double(1) == -0.5)
      #expect(row.string(2) == "Bäume\u{0}🌲")
      #expect(row.bytes(3) == [0, 1, 255])
      #expect(row.isNull(4))
      #expect(row.optionalInt(4) == nil)
      #expect(row.optionalString(5) == "")
      #expect(row.bytes(6) == [])
      #expect(row.string(7) == "text")
      #expect(row.string(8) == "blob")
    }
    #expect(checked != nil)
  }

  @Test func aStatementServesAgainAndAgain() throws {
    let connection = try SQLiteConnection(path: folder("a.sqlite"))
    try connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?)")
    for value in 1...3 {
      try insert.bind(1, value)
      try insert.run()
    }
    try insert.bind(1, 2)
    let error = #expect(throws: SQLiteError.self) { try insert.run() }
    #expect(error?.kind == .constraint)
    try insert.bind(1, 4)
    try insert.run()
    let select = try connection.prepare("SELECT i FROM t WHERE i >= ? ORDER BY i")
    try select.bind(1, 2)
    #expect(try select.all { $0.int(0) } == [2, 3, 4])
    try select.bind(1, 9)
    #expect(try select.first { $0.int(0) } == nil)
  }

  @Test func aTransactionIsKeptWholeOrNotAtAll() throws {
    struct Stop: Error {}
    let connection = try SQLiteConnection(path: folder("a.sqlite"))
    try connection.execute("CREATE TABLE t (i)")
    try connection.transaction { try connection.execute("INSERT INTO t VALUES (1)") }
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (2)")
        throw Stop()
      }
    }
    #expect(try connection.integer("SELECT sum(i) FROM t") == 1)
    // The connection is not left in a transaction.
    try connection.transaction { try connection.execute("INSERT INTO t VALUES (3)") }
    #expect(try connection.integer("SELECT sum(i) FROM t") == 4)
  }

  @Test func itIsInWriteAheadModeAndSyncsAsAsked() throws {
    let normal = try SQLiteConnection(path: folder("a.sqlite"))
    #expect(try normal.integer("PRAGMA synchronous") == 1)
    let full = try SQLiteConnection(path: folder("a.sqlite"), synchronization: .full)
    #expect(try full.integer("PRAGMA synchronous") == 2)
    let mode = try full.prepare("PRAGMA journal_mode")
    #expect(try mode.first { $0.string(0) } == "wal")
  }

  @Test func aReaderSeesTheLastCommitWhileAnotherWrites() throws {
    let writer = try SQLiteConnection(path: folder("a.sqlite"))
    try writer.execute("CREATE TABLE t (i)")
    let reader = try SQLiteConnection(path: folder("a.sqlite"))
    try writer.transaction {
      try writer.execute("INSERT INTO t VALUES (1)")
      #expect(try reader.integer("SELECT count(*) FROM t") == 0)
    }
    #expect(try reader.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func anotherWritersLockIsWaitedForAndThenAnError() throws {
    let first = try SQLiteConnection(path: folder("a.sqlite"))
    try first.execute("CREATE TABLE t (i)")
    let second = try SQLiteConnection(path: folder("a.sqlite"), busyTimeout: 10)
    try first.transaction {
      let error = #expect(throws: SQLiteError.self) { try second.execute("INSERT INTO t VALUES (1)") }
      #expect(error?.kind == .busy)
    }
    try second.execute("INSERT INTO t VALUES (1)")
  }

  @Test func aFullDatabaseIsToldFromOtherErrors() throws {
    let connection = try SQLiteConnection(path: folder("a.sqlite"))
    try connection.execute("CREATE TABLE t (b)")
    try connection.limitPages(to: 10)
    let insert = try connection.prepare("INSERT INTO t VALUES (zeroblob(100000))")
    let full = #expect(throws: SQLiteError.self) { try connection.transaction { try insert.run() } }
    #expect(full?.kind == .full)
    let syntax = #expect(throws: SQLiteError.self) { try connection.prepare("SELEC 1") }
    // What the program asks for fits what it has made: if it does not, the file is another.
    #expect(syntax?.kind == .damaged)
    let missing = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: folder("none/a.sqlite")) }
    #expect(missing?.kind == .cannotOpen)
  }
}
