/// What a pipeline refuses, and how much it takes for itself.
public struct Limits: Sendable, Hashable {
  /// The most memory for bodies and pixels together; nil for a quarter of what the machine or its control group has, at
  /// most 1 GiB.
  public var memory: ByteCount?
  /// The most bytes of received bodies that wait for a worker; nil for 16 MiB and 4 MiB a worker.
  public var readAhead: ByteCount?
  /// The most pixels of a source.
  public var pixels = 100_000_000
  /// The longest side of a source.
  public var side = 65_500
  /// The most frames that are decoded of a source; the built-in decoders decode one, and flag `animated` where there are
  /// more.
  public var frames = 1
  /// The least columns of a source as displayed; nil for any.
  public var minWidth: Int?
  /// The least rows of a source as displayed; nil for any.
  public var minHeight: Int?
  /// The formats that are taken, by name; nil for all that are decoded.
  public var formats: [String]?
  /// The share of failures among the last hundred items from which on a run stops, 0…1; nil for never.
  public var failureRate: Double?
  /// The most frames of a container.
  public var containerFrames = 10_000
  /// The most scans of a JPEG; a crafted one has thousands, each of which touches every block.
  public var scans = 500
  /// The most CPU time for decoding one picture.
  public var decodeTime = Duration.seconds(30)
  /// The most time for an item, from when something is first done for it.
  public var itemTime = Duration.seconds(120)
  /// The threads that decode, transform and encode; nil for as many as there are cores to use.
  public var workers: Int?

  /// The defaults.
  public init() {}

  /// The limits with what they leave to the machine.
  ///
  /// - Parameter resources: what the machine has.
  public func resolved(on resources: MachineResources) -> Limits {
    var resolved = self
    let count = workers ?? resources.cores
    resolved.workers = count
    resolved.memory = memory ?? ByteCount(min(resources.memory / 4, 1 << 30))
    resolved.readAhead = readAhead ?? ByteCount((16 << 20) + count * (4 << 20))
    return resolved
  }

  /// Throws `unsupported-format` or `too-small` where a source is refused.
  func check(_ probe: ImageProbe) throws {
    if let formats, !formats.contains(probe.format.rawValue) {
      throw PipelineError(
        .decode, .unsupportedFormat, "\(probe.format.rawValue) is not among the formats taken (limits.formats)")
    }
    let size = probe.size
    if size.width < minWidth ?? 0 || size.height < minHeight ?? 0 {
      throw PipelineError(
        .decode, .tooSmall,
        "\(size) is less than \(minWidth.map(String.init) ?? "any")×\(minHeight.map(String.init) ?? "any") "
          + "(limits.minWidth, limits.minHeight)")
    }
  }

  /// Throws `too-many-pixels` where a source of that size is refused; its sides are positive.
  public func check(_ size: PixelSize) throws {
    if size.width > side || size.height > side {
      throw PipelineError(
        .decode, .tooManyPixels, "\(size): a side is longer than the limit of \(side) (limits.side)")
    }
    guard let area = size.area, area <= pixels else {
      throw PipelineError(.decode, .tooManyPixels, "\(size) is more than the limit of \(pixels) pixels (limits.pixels)")
    }
  }
}

extension Limits: ConfigurationGroup {
  /// What the group is called.
  public static let groupName = "limits"

  /// Its options.
  public static let options: [OptionDeclaration<Limits>] = [
    .init(
      "memory", \.memory, in: .mebibytes(16)...ByteCount(1 << 50),
      "the most memory for bodies and pixels; by default a quarter of what there is, at most 1GiB"),
    .init(
      "readAhead", \.readAhead, in: ByteCount(0)...ByteCount(1 << 50),
      "the most bytes of received bodies that wait for a worker; by default 16MiB and 4MiB a worker"),
    .init("pixels", \.pixels, in: 1...10_000_000_000, "the most pixels of a source; more is too-many-pixels"),
    .init("side", \.side, in: 1...1_000_000, "the longest side of a source; more is too-many-pixels"),
    .init("frames", \.frames, in: 1...10_000, "the most frames decoded of a source; more are flagged animated"),
    .init(
      "containerFrames", \.containerFrames, in: 1...10_000_000,
      "the most frames of a container; more is too-many-frames"),
    .init("scans", \.scans, in: 1...1_000_000, "the most scans of a progressive JPEG; more is too-many-scans"),
    .init("minWidth", \.minWidth, in: 1...1_000_000, "the least width of a source as displayed; less is too-small"),
    .init("minHeight", \.minHeight, in: 1...1_000_000, "the least height of a source as displayed; less is too-small"),
    .init("formats", \.formats, "the formats that are taken; others are unsupported-format"),
    .init(
      "failureRate", \.failureRate, in: 0...1,
      "the share of failures among the last 100 items above which the run stops; by default it never does"),
    .init("decodeTime", \.decodeTime, "the most CPU time for decoding one picture; more is decode-timeout"),
    .init(
      "itemTime", \.itemTime,
      "the most time for an item from its first activity, waits for its turn at a host not counted; more is timeout"),
    .init("workers", \.workers, in: 1...1024, "the threads that decode and encode; by default one a core"),
  ]
}
