import PipelineTesting
import Testing

@testable import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What is said of files that cannot be read.
struct LocalReaderTests {
  @Test func whatIsNotThereIsNotFound() {
    let error = LocalReader.error("/pictures/a.jpg", ENOENT)
    #expect(error.code == .notFound)
    #expect(error.message == "/pictures/a.jpg: No such file or directory")
  }

  @Test func whatMayNotBeReadSaysSo() {
    let error = LocalReader.error("/pictures/a.jpg", EACCES)
    #expect(error.code == .notFound)
    #expect(error.message == "/pictures/a.jpg cannot be read: Permission denied")
    #expect(!error.isTransient)
  }

  @Test(arguments: [EMFILE, ENFILE, ENOMEM]) func whatTheMachineLacksForNowIsTransient(number: Int32) {
    let error = LocalReader.error("/pictures/a.jpg", number)
    #expect(error.code == .outOfBudget)
    #expect(error.isTransient)
    #expect(error.message.hasPrefix("/pictures/a.jpg cannot be read for now: "))
  }
}
