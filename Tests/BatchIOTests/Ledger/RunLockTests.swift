import BatchIO
import PipelineTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct RunLockTests {
  let folder: TemporaryFolder
  var path: String { folder(".pipeline.lock") }

  init() throws { folder = try TemporaryFolder() }

  @Test func theSecondIsToldWhoHoldsIt() throws {
    let lock = try RunLock(path: path)
    #expect(fileText(path) == "\(getpid())\n")
    let error = #expect(throws: RunLock.HeldError.self) { try RunLock(path: path) }
    #expect(error?.processID == Int(getpid()))
    #expect(error?.description == "another run is going on here: process \(getpid()) holds \(path)")
    withExtendedLifetime(lock) {}
  }

  @Test func itEndsWithItsHolderAndAStaleFileIsNoLock() throws {
    try writeFile(path, "123456789012345678901234567890 leftover")
    do { _ = try RunLock(path: path) }
    let lock = try RunLock(path: path)
    #expect(fileText(path) == "\(getpid())\n")
    withExtendedLifetime(lock) {}
  }

  @Test func aSymbolicLinkIsNotFollowed() throws {
    #expect(symlink(folder("elsewhere"), path) == 0)
    #expect(throws: (any Error).self) { try RunLock(path: path) }
    #expect(fileText(folder("elsewhere")) == nil)
  }
}
