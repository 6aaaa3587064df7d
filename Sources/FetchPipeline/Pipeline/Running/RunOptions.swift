/// How a run over a list deals with what is known, and which rows it takes.
public struct RunOptions: Sendable, Hashable {
  /// Which failures of earlier runs are tried again.
  public var retryFailed = RetryFailed.transient
  /// Whether each origin is asked about what stands, as HTTP requires; what it confirms is skipped.
  public var revalidates = false
  /// Whether everything is made anew, whatever is known of it.
  public var isFresh = false
  /// The share of the rows that is taken; nil for all.
  public var shard: Shard?
  /// The most rows that are tried; what stands, or is remembered to fail, does not count. Nil for all.
  public var limit: Int?
  /// Whether a row that asks for what has failed in this run is tried anew, where that may help: an engine that sends it
  /// again wants that. Rows that were there when it failed are answered by the failure.
  public var triesRepeatedRows = false
  /// Whether nothing is fetched or written, and it is only told what would be.
  public var isDryRun = false

  /// A run over all rows, of which those are tried that do not stand.
  public init() {}

  /// Which failures of earlier runs are tried again.
  public enum RetryFailed: String, Sendable, Hashable, CaseIterable {
    /// Those that may well succeed, and those of which the lifetime is over.
    case transient
    /// All of them.
    case all
    /// None of them.
    case none
  }

  /// A fixed share of the rows: the same ones in every run, and each row in one share.
  public struct Shard: Sendable, Hashable {
    /// Which share, from 0.
    public var index: Int
    /// How many shares there are.
    public var count: Int
    /// What is kept together.
    public var grouping: Grouping

    /// What is kept together.
    public enum Grouping: String, Sendable, Hashable, CaseIterable {
      /// All rows of a host, so that one machine alone asks it.
      case host
      /// Nothing but rows with the same request.
      case item
    }

    /// The share `index` of `count`; nil unless 0 ≤ `index` < `count`.
    public init?(index: Int, count: Int, grouping: Grouping = .host) {
      guard count > 0, (0..<count).contains(index) else { return nil }
      self.index = index
      self.count = count
      self.grouping = grouping
    }

    /// Whether a row is of this share.
    ///
    /// - Parameters:
    ///   - location: where its picture is; nil where the row could not be understood.
    ///   - key: what names its bytes, where that is known.
    ///   - text: the row's URL as written.
    func contains(location: ResourceLocation?, key: ResourceKey?, text: String) -> Bool {
      var print = Fingerprint("shard")
      if grouping == .host, let host = location?.host {
        print.add("host", host)
      } else if let key {
        print.add("key", key.digest)
      } else {
        print.add("text", text)
      }
      let value = print.digest().bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return value % UInt64(count) == UInt64(index)
    }
  }
}
