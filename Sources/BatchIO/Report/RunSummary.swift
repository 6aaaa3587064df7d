import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a run came to, counted from its results as they pass. Its memory does not depend on how many there are.
public struct RunSummary: Sendable {
  /// How a run ended.
  public enum Ending: String, Sendable, Hashable, CaseIterable {
    /// Every item was worked on.
    case complete
    /// Too many items failed.
    case failureRate = "failure-rate"
    /// It was told to stop.
    case interrupted
    /// Input, output or report could not be read or written.
    case error

    /// How a run ended that has an outcome.
    public init(_ ending: RunOutcome.Ending) {
      self =
        switch ending {
        case .complete: .complete
        case .interrupted: .interrupted
        case .tooManyFailures: .failureRate
        }
    }
  }

  /// Items by their status.
  public private(set) var statuses: [ImageResult.Status: Int] = [:]
  /// Failed items by the code of their error.
  public private(set) var errors: [PipelineError.Code: Int] = [:]
  /// Items by what the cache did for them, where they were fetched in this run.
  public private(set) var cacheUses: [ExchangeDescription.CacheUse: Int] = [:]
  /// The bytes of the sources of pictures made, each counted once, however many rows ask for it.
  public private(set) var bytesIn = 0
  /// The bytes of pictures made, each counted once.
  public private(set) var bytesOut = 0
  private var failuresByHost: [String: Int] = [:]

  /// The most hosts that are counted exactly.
  private static let mostHosts = 10_000
  private static let shownHosts = 20

  /// Nothing counted.
  public init() {}

  /// All items.
  public var items: Int { statuses.values.reduce(0, +) }

  /// The hosts with most failures, at most 20, the most first. Exact as long as no more than 10,000 hosts fail.
  public var failingHosts: [(host: String, failed: Int)] {
    let sorted = failuresByHost.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.prefix(Self.shownHosts).map { ($0.key, $0.value) }
  }

  /// Counts a result.
  public mutating func add(_ result: ImageResult) {
    statuses[result.status, default: 0] += 1
    if let exchange = result.exchange, !result.isRemembered { cacheUses[exchange.cache, default: 0] += 1 }
    switch result.status {
    case .ok where result.isRepeated: break
    case .ok:
      bytesIn += result.source?.byteCount ?? 0
      bytesOut += result.outputs.reduce(0) { $0 + $1.byteCount }
    case .skipped: break
    case .failed:
      if let error = result.error { errors[error.code, default: 0] += 1 }
      if let host = (result.exchange?.url ?? (try? ResourceURL(result.url)))?.host { countFailure(of: host) }
    }
  }

  private mutating func countFailure(of host: String) {
    failuresByHost[host, default: 0] += 1
    guard failuresByHost.count > Self.mostHosts else { return }
    // Those that fail most are among the many that fail often; the others begin anew.
    let kept = failuresByHost.sorted { $0.value > $1.value }.prefix(Self.mostHosts / 2)
    failuresByHost = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }

  /// The object of `summary.json`.
  ///
  /// - Parameters:
  ///   - versions: the versions of the program and of the libraries that it uses, by name.
  ///   - configuration: the hash of the configuration.
  func json(
    run: Int, ending: Ending, seconds: Double, bytesReceived: Int?, versions: [(name: String, version: String)],
    configuration: String
  ) -> JSONValue {
    [
      "run": .integer(run),
      "ending": .string(ending.rawValue),
      "items": .integer(items),
      "status": counts(ImageResult.Status.allCases.map { ($0.rawValue, statuses[$0] ?? 0) }),
      "errors": counts(
        PipelineError.Code.allCases.compactMap { code in errors[code].map { (code.rawValue, $0) } }
          .sorted { ($1.1, $0.0) < ($0.1, $1.0) }),
      "cache": counts(ExchangeDescription.CacheUse.allCases.map { ($0.rawValue, cacheUses[$0] ?? 0) }),
      "hosts": .array(failingHosts.map { ["host": .string($0.host), "failed": .integer($0.failed)] }),
      "bytes": ["in": .integer(bytesReceived ?? bytesIn), "out": .integer(bytesOut)],
      "seconds": .number(JSONNumber(seconds, decimals: 3)),
      "itemsPerSecond": .number(JSONNumber(seconds > 0 ? Double(items) / seconds : 0, decimals: 3)),
      "peakMemory": .integer(Self.peakMemory),
      "versions": .object(JSONObject(versions.map { JSONObject.Member(name: $0.name, value: .string($0.version)) })),
      "configuration": .string(configuration),
    ]
  }

  private func counts(_ counts: [(String, Int)]) -> JSONValue {
    .object(JSONObject(counts.map { JSONObject.Member(name: $0.0, value: .integer($0.1)) }))
  }

  /// The most memory that the program has had resident, in bytes. (What `getrusage` says would count what the program
  /// that started this one had.)
  static var peakMemory: Int {
    guard let file = fopen("/proc/self/status", "re") else { return 0 }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = fread(&buffer, 1, buffer.count, file)
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split { !$0.isNumber }.first.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
  }
}
