import FetchPipeline
import Foundation
import PipelineTesting
import Testing

@testable import BatchIO

/// A look at a ledger: it knows what the ledger knows, and leaves no trace.
@Suite struct LedgerSnapshotTests {
  private let folder: TemporaryFolder
  /// With characters that have a meaning in the URIs of SQLite.
  private let state: String

  init() throws {
    folder = try TemporaryFolder()
    state = folder("a?b#c%20 é")
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
  }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: state).sorted() }

  @Test func whatWasRecordedIsKnownAndNoFileIsMade() async throws {
    let ledger = try Ledger(path: "\(state)/.pipeline.sqlite")
    try await ledger.record(receipt(key(1), images: [stored("a.jpg")]))
    // While another run goes on, its log is read as well.
    let during = try files()
    #expect(try LedgerSnapshot(folder: state).receipt(for: key(1))?.images == [stored("a.jpg")])
    #expect(try files() == during)
    await ledger.shutdown()

    let before = try files()
    let snapshot = LedgerSnapshot(folder: state)
    #expect(snapshot.problem == nil)
    #expect(snapshot.run == 2)
    #expect(try snapshot.receipt(for: key(1))?.images == [stored("a.jpg")])
    #expect(try snapshot.receipt(for: key(2)) == nil)
    await snapshot.record(receipt(key(2), images: []))
    #expect(try snapshot.receipt(for: key(2)) == nil)
    await snapshot.shutdown()
    #expect(try files() == before)
  }

  @Test func withoutALedgerNothingIsKnown() throws {
    let snapshot = LedgerSnapshot(folder: folder("nowhere"), shard: (index: 1, count: 2))
    #expect(snapshot.problem == nil && snapshot.run == 1)
    #expect(try snapshot.receipt(for: key(1)) == nil)
    #expect(!FileManager.default.fileExists(atPath: folder("nowhere")))
  }

  @Test func aDamagedLedgerIsToldOfAndStays() throws {
    let path = "\(state)/.pipeline.sqlite"
    let damage = Data(repeating: 0x5a, count: 8192)
    try damage.write(to: URL(fileURLWithPath: path))
    let snapshot = LedgerSnapshot(folder: state)
    #expect(snapshot.problem?.contains("or begin a new one") == true)
    #expect(try snapshot.receipt(for: key(1)) == nil)
    #expect(try files() == [".pipeline.sqlite"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damage)
  }
}
