import StandardStages

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Command {
  static let cache = Command(
    name: "cache", summary: "shows what the cache of a configuration holds, tidies it up, or empties it",
    discussion: """
        stats   how many answers there are, how many of them are fresh, their bytes, and when they were used
        prune   removes what cannot be read, what exceeds the capacity, and files that dead programs have left
        clear   removes everything

      Runs may go on meanwhile. Configurations without a path of their own share one cache: clearing it clears it for all.
      """,
    arguments: [
      Argument(name: "ACTION", meaning: "what is done", choices: CacheAction.allCases.map(\.rawValue)),
      Argument(name: "CONFIG", meaning: "the configuration, JSON5"),
    ], options: [],
    examples: [
      Example(line: "pipeline cache stats config.json", meaning: "how much it holds, and of what age"),
      Example(line: "pipeline cache clear config.json", meaning: "so that the next run fetches everything"),
    ]
  ) { arguments in
    guard let action = CacheAction(rawValue: arguments.words[0]) else {
      throw CommandFailure.usage("cache \(arguments.words[0]): expected stats, prune or clear")
    }
    let pipeline = try ConfigurationFile(path: arguments.words[1]).pipeline(
      observer: RunLog(StatusLine(.error), isVerbose: false))
    let tiers = pipeline.cache.maintainable
    if tiers.isEmpty { Terminal.output.write("this configuration has no cache\n") }
    let result: Result<Void, any Error>
    do {
      for tier in tiers { Terminal.output.write(try await action.perform(on: tier)) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await pipeline.shutdown()
    do { try result.get() } catch {
      throw CommandFailure(status: .inputOutput, message: "the cache cannot be used: \(error)")
    }
    return .success
  }
}

/// What can be done about a cache.
enum CacheAction: String, CaseIterable {
  case stats, prune, clear

  /// Does it, and says what came of it.
  func perform(on tier: any MaintainableCache) async throws -> String {
    switch self {
    case .stats: return Self.text(of: try await tier.statistics())
    case .prune: return Self.text(of: try await tier.prune(), at: try await tier.statistics().place)
    case .clear: return Self.text(of: try await tier.clear(), at: try await tier.statistics().place)
    }
  }

  static func text(of statistics: CacheStatistics) -> String {
    let share = Double(statistics.bytes) / Double(max(statistics.capacity, 1)) * 100
    var lines = [
      statistics.place,
      "  answers   \(grouped(statistics.entries)), \(grouped(statistics.freshEntries)) of them fresh",
      "  size      \(bytes(statistics.bytes)) of \(bytes(statistics.capacity)) (\(JSONNumber(share, decimals: 1).text) %)",
    ]
    if let oldest = statistics.oldestUse, let newest = statistics.newestUse {
      lines.append("  last use  from \(moment(oldest)) to \(moment(newest))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func text(of removal: CacheRemoval, at place: String) -> String {
    let answers = removal.entries == 1 ? "1 answer" : "\(grouped(removal.entries)) answers"
    let files = removal.strayFiles == 1 ? "1 stray file" : "\(grouped(removal.strayFiles)) stray files"
    return "\(place)\n  removed \(answers) (\(bytes(removal.bytes))) and \(files)\n"
  }

  /// `12.3 MB`.
  private static func bytes(_ count: Int) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
    guard let (unit, factor) = units.first(where: { Double(count) >= $0.1 }) else { return "\(count) bytes" }
    return "\(JSONNumber(Double(count) / factor, decimals: 1).text) \(unit)"
  }

  /// A time as `2026-01-31 12:30:00 UTC`.
  private static func moment(_ seconds: Double) -> String {
    guard let whole = Int(exactly: seconds.rounded(.down)) else { return "?" }
    var (time, parts) = (time_t(whole), tm())
    gmtime_r(&time, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, "%Y-%m-%d %H:%M:%S UTC", &parts)
    return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
