import SQLiteStore

extension Ledger {
  /// The tables. What is read by key lies together under the key; a path is found by an index that holds the key and
  /// the recipe too, so that a claim is one look-up.
  static let schema = SQLiteSchema(
    applicationID: 0x4650_4c44,  // "FPLD"
    version: 2,
    creation: """
      CREATE TABLE runs (
        run INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, version TEXT NOT NULL);
      CREATE TABLE sources (
        key BLOB PRIMARY KEY, run INTEGER NOT NULL,
        format TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, bytes INTEGER NOT NULL,
        orientation INTEGER NOT NULL, flags TEXT NOT NULL,
        url TEXT, status INTEGER, attempts INTEGER, cache TEXT, digest INTEGER, confirmation INTEGER
      ) WITHOUT ROWID;
      CREATE TABLE images (
        key BLOB NOT NULL, path TEXT NOT NULL, recipe BLOB NOT NULL, rendition TEXT NOT NULL,
        format TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, bytes INTEGER NOT NULL,
        run INTEGER NOT NULL, digest INTEGER,
        PRIMARY KEY (key, recipe, path)
      ) WITHOUT ROWID;
      CREATE UNIQUE INDEX images_path ON images (path);
      CREATE TABLE failures (
        key BLOB NOT NULL, recipe BLOB NOT NULL, run INTEGER NOT NULL,
        stage TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, transient INTEGER NOT NULL,
        http_status INTEGER, time REAL NOT NULL,
        url TEXT, status INTEGER, attempts INTEGER, cache TEXT,
        PRIMARY KEY (key, recipe)
      ) WITHOUT ROWID;
      """,
    // Of what bytes a picture was made: one that is of others than its source's row says is out of date, though its name
    // is still the key's.
    migrations: [
      1: """
      ALTER TABLE sources ADD COLUMN digest INTEGER;
      ALTER TABLE sources ADD COLUMN confirmation INTEGER;
      ALTER TABLE images ADD COLUMN digest INTEGER;
      """
    ])
}
