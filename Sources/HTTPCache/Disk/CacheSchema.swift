import SQLiteStore

extension CacheIndex {
  /// The tables. The number of an entry names its body's file and is never given twice, not even after the index was
  /// made anew: it starts somewhere at random, so that no other index's body can be taken for its own.
  static let schema = SQLiteSchema(
    applicationID: 0x4650_4843,  // "FPHC"
    version: 2,
    creation: """
      CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, head BLOB NOT NULL, bytes INTEGER NOT NULL,
        size INTEGER NOT NULL, fresh_until REAL NOT NULL, used INTEGER NOT NULL, digest INTEGER);
      CREATE INDEX entries_used ON entries (used, id);
      CREATE TABLE totals (entries INTEGER NOT NULL, size INTEGER NOT NULL);
      INSERT INTO totals (entries, size) VALUES (0, 0);
      INSERT INTO sqlite_sequence (name, seq) VALUES ('entries', abs(random() >> 20));
      """,
    // What stands for the body's bytes, which are not synced to disk: after a power cut a file may have its size and not its
    // content.
    migrations: [1: "ALTER TABLE entries ADD COLUMN digest INTEGER"])
}
