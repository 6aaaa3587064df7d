import StandardStages
import Testing

/// The slot `cache` of a configuration.
struct CacheOptionTests {
  @Test(arguments: [
    (#"{use: "disk", key: {dropQuery: ["a", "b"]}}"#, #"{"dropQuery":["a","b"],"keepQuery":null}"#),
    (#"{use: "disk", key: {dropQuery: "a"}}"#, #"{"dropQuery":["a"],"keepQuery":null}"#),
    (#"{use: "disk", key: {dropQuery: true, keepQuery: ["w"]}}"#, #"{"dropQuery":true,"keepQuery":["w"]}"#),
    (#"{use: "disk", path: "c"}"#, #"{"dropQuery":[],"keepQuery":null}"#),
  ]) func whatCountsIsRead(stage: String, key: String) throws {
    let disk = try #require(try Self.read("cache: \(stage)").cache.first?.stage as? DiskCacheStage)
    #expect(disk.key.json.compactText == key)
  }

  @Test(arguments: [
    (#"{use: "disk", key: {dropQuery: ["a"], keepQuery: ["b"]}}"#, "cache.key.dropQuery"),
    (#"{use: "disk", key: {dropQuery: 7}}"#, "cache.key.dropQuery"),
    (#"{use: "disk", key: {drop: ["a"]}}"#, "cache.key.drop"),
    (#"{use: "disk", capacity: "1G"}"#, "cache.capacity"),
    (#"{use: "disk", path: ""}"#, "cache.path"),
    (#"{use: "memory", path: "x"}"#, "cache.path"),
    (#"["memory", "disc"]"#, "cache[1]"),
  ]) func mistakesAreFound(cache: String, place: String) {
    let error = #expect(throws: ConfigurationError.self) { try Self.read("cache: \(cache)") }
    #expect(error?.problems.map(\.path) == [place])
  }

  @Test func theDefaultIsOneTierOnDisk() throws {
    let configuration = try Self.read("")
    #expect(configuration.cache.map(\.name) == ["disk"])
    let disk = try #require(configuration.cache.first?.stage as? DiskCacheStage)
    #expect(disk.path == nil)
    #expect(disk.capacity == ByteCount(1_000_000_000))
    #expect(try Self.read("cache: []").cache.isEmpty)
    let memory = try #require(try Self.read("cache: ['memory', 'disk']").cache.first?.stage as? MemoryCacheStage)
    #expect(memory.capacity == .mebibytes(50))
  }

  @Test func aPathStartsAtTheConfiguration() throws {
    let stage = DiskCacheStage(path: "kept", capacity: .kilobytes(7))
    let cache = try #require(try stage.make(in: StageContext(folder: "/etc/x")) as? DiskCache)
    #expect(cache.path == "/etc/x/kept")
    #expect(cache.capacity == 7000)
  }

  private static func read(_ cache: String) throws -> PipelineConfiguration {
    try PipelineConfiguration(
      text: Array("{input: 'urls.txt', \(cache)}".utf8), file: nil, folder: "", registry: .standard, environment: [:])
  }
}
