import PipelineTesting
import Testing

@testable import HTTPCache

/// The folder of a cache that a configuration names none for.
struct CacheLocationTests {
  @Test(arguments: [
    (["XDG_CACHE_HOME": "/x", "HOME": "/home/a"], "/out", "/x/pipeline"),
    (["HOME": "/home/a"], "/out", "/home/a/.cache/pipeline"),
    // The specification has relative paths ignored; an empty one is none.
    (["XDG_CACHE_HOME": "x", "HOME": "/home/a"], "/out", "/home/a/.cache/pipeline"),
    (["XDG_CACHE_HOME": "", "HOME": "/home/a"], "/out", "/home/a/.cache/pipeline"),
    ([:], "/out", "/out/.pipeline.cache"),
    (["HOME": ""], nil, nil),
  ]) func theEnvironmentDecides(environment: [String: String], stateFolder: String?, folder: String?) {
    let location = CacheLocation(environment: { environment[$0] }, isUsable: { _ in true })
    #expect(location.folder(stateFolder: stateFolder) == folder)
  }

  /// As for the user of a container without a home.
  @Test func aHomeThatCannotBeWrittenIsPassedOver() {
    let location = CacheLocation(
      environment: { ["HOME": "/nonexistent"][$0] }, isUsable: { !$0.hasPrefix("/nonexistent") })
    #expect(location.folder(stateFolder: "/out") == "/out/.pipeline.cache")
    #expect(location.folder(stateFolder: nil) == "/nonexistent/.cache/pipeline")
  }

  @Test func aFolderIsUsableThatIsThereOrCanBeMade() throws {
    let folder = try TemporaryFolder()
    #expect(CacheLocation.system.isUsable(folder.path))
    #expect(CacheLocation.system.isUsable(folder("a/b/c")))
    try writeFile(folder("file"), "")
    #expect(!CacheLocation.system.isUsable(folder("file/a")))
  }
}
