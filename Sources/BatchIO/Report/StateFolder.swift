import FetchPipeline
import SQLiteStore

/// The folder in which a run keeps what it knows and tells: lock, ledger, report, summary and failed rows.
public final class StateFolder: Sendable {
  /// The folder.
  public let path: String
  /// What is known of earlier runs, and learns of this one.
  public let ledger: Ledger
  /// Takes the results.
  public let report: RunReport
  /// What a person should know, a sentence each: that a damaged ledger was set aside.
  public let notes: [String]
  private let lock: Lock<RunLock?>

  /// Where the report goes.
  public enum ReportDestination: Sendable {
    /// To `report.jsonl` in the state folder.
    case stateFolder
    /// To a file, which is emptied, or a named pipe that somebody reads. Links are followed.
    case file(String)
    /// To an open descriptor, which stays open.
    case descriptor(Int32)

    fileprivate var isInFolder: Bool {
      if case .stateFolder = self { true } else { false }
    }
  }

  /// Opens the folder for a run, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - shard: the share of the list that the run takes, from 0, and of how many; each has files of its own.
  ///   - durability: whether what is recorded also survives a power cut (all but `none`).
  ///   - needed: files that the run needs, each with what it is, which the report must not be.
  /// - Throws: `RunLock.HeldError` where another run is going on in the folder; `ConfigurationError` where the report would
  ///   empty a file that is needed; `disk-full`, `write`.
  public static func open(
    path: String, shard: (index: Int, count: Int)? = nil, durability: Durability = .batch,
    report destination: ReportDestination = .stateFolder, keeping needed: [(path: String, what: String)] = []
  ) throws -> StateFolder {
    try open(
      path: path, shard: shard, durability: durability, report: destination, keeping: needed, calls: SystemFileCalls())
  }

  static func open(
    path: String, shard: (index: Int, count: Int)? = nil, durability: Durability = .batch,
    report destination: ReportDestination = .stateFolder, keeping needed: [(path: String, what: String)] = [],
    calls: any FileCalls
  ) throws -> StateFolder {
    let names = StateFileNames(shard: shard)
    switch destination {
    case .stateFolder: try ReportPlace.check("\(path)/\(names.report)", isNone: needed)
    case .file(let file):
      let own = [names.ledger, names.lock, names.summary, names.failed].map {
        ("\(path)/\($0)", "a file of the run's own")
      }
      try ReportPlace.check(file, isNone: needed + own)
    case .descriptor: break
    }
    try reportingAsOutput { _ = try makeFolders(path) }
    let lock = try RunLock(path: "\(path)/\(names.lock)")
    try reportingAsOutput {
      for name in [names.summary, names.failed] + (destination.isInFolder ? [names.report] : []) {
        try ReplacedFile.check(name, in: path)
      }
    }
    let ledger = try Ledger(path: "\(path)/\(names.ledger)", durability: durability)
    let writer =
      switch destination {
      case .stateFolder: try ReportWriter(inPlace: "\(path)/\(names.report)", calls: calls)
      case .file(let file): try ReportWriter(path: file, calls: calls)
      case .descriptor(let descriptor): try ReportWriter(descriptor: descriptor)
      }
    let report = try RunReport(writer: writer, folder: path, names: names, run: ledger.run, calls: calls)
    return StateFolder(path: path, ledger: ledger, report: report, lock: lock)
  }

  private init(path: String, ledger: Ledger, report: RunReport, lock: RunLock) {
    self.path = path
    self.ledger = ledger
    self.report = report
    self.lock = Lock(lock)
    notes =
      ledger.setAside.map { old in
        ["the ledger could not be used and is now \(old.path); a new one was begun (\(old.reason))"]
      } ?? []
  }

  /// Ends a run: writes summary and failed rows, commits everything, and lets the next run in.
  ///
  /// - Parameters:
  ///   - bytesReceived: the bytes that came over the network; nil for the sizes of the sources of pictures made.
  ///   - versions: the versions of the program and of the libraries that it uses, by name.
  ///   - configuration: the hash of the configuration.
  /// - Throws: `disk-full`, `write`; the folder is closed all the same.
  @discardableResult
  public func close(
    _ ending: RunSummary.Ending, bytesReceived: Int? = nil,
    versions: [(name: String, version: String)] = [("program", PipelineVersion.release)], configuration: String = ""
  ) async throws -> RunSummary {
    let summary: Result<RunSummary, any Error>
    do {
      summary = .success(
        try await report.finish(
          ending, bytesReceived: bytesReceived, versions: versions, configuration: configuration))
    } catch { summary = .failure(error) }
    await ledger.shutdown()
    lock.withLock { $0 = nil }
    return try summary.get()
  }
}
