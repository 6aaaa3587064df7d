import FetchPipeline

/// How progress is shown.
enum ProgressStyle: String, CaseIterable {
  /// A bar on a terminal, else a line every few seconds.
  case auto
  case bar
  case plain
  /// An object a line, for another program.
  case json
  case none
}

/// Shows how far a run is, on standard error, until the task is cancelled.
struct ProgressDisplay: Sendable {
  let style: ProgressStyle
  let status: StatusLine
  let terminal: Terminal
  let current: @Sendable () -> RunProgress
  /// How many rows there are, as far as that can be told.
  let expected: @Sendable () -> ExpectedRows?
  /// The most rows that are tried.
  let limit: Int?

  func show() async {
    switch style {
    case .none: return
    case .bar: await showBar()
    case .plain: await showLines(every: .seconds(5)) { $0.line(width: 200, barWidth: 0, showsColor: false) }
    case .json: await showObjects()
    case .auto:
      if terminal.isInteractive {
        await showBar()
      } else {
        await showLines(every: .seconds(5)) { $0.line(width: 200, barWidth: 0, showsColor: false) }
      }
    }
  }

  private func showBar() async {
    var meter = RateMeter()
    while !Task.isCancelled {
      status.show(state(&meter).line(width: terminal.width, barWidth: 24, showsColor: terminal.showsColor))
      try? await Task.sleep(for: .milliseconds(100))
    }
    status.clear()
  }

  private func showLines(every pause: Duration, _ text: (ProgressState) -> String) async {
    var meter = RateMeter()
    while !Task.isCancelled {
      try? await Task.sleep(for: pause)
      if Task.isCancelled { return }
      status.write(text(state(&meter)))
    }
  }

  private func showObjects() async {
    let start = ContinuousClock.now
    await showLines(every: .seconds(1)) { $0.json(isFinal: false).compactText }
    var last = ProgressState(progress: current(), total: expected(), rate: nil, limit: limit)
    last.rate = last.averageRate(over: ContinuousClock.now - start)
    status.write(last.json(isFinal: true).compactText)
  }

  private func state(_ meter: inout RateMeter) -> ProgressState {
    let progress = current()
    meter.note(progress.attempted, at: .now)
    return ProgressState(progress: progress, total: expected(), rate: meter.rate, limit: limit)
  }
}

/// Rows tried in a second, over the last half minute. What is skipped or remembered would only flatter it.
struct RateMeter {
  private var samples: [(time: ContinuousClock.Instant, count: Int)] = []

  mutating func note(_ count: Int, at now: ContinuousClock.Instant) {
    // The time in which nothing was tried yet tells nothing.
    if count == 0 { samples = [] }
    samples.append((now, count))
    while let first = samples.first, samples.count > 2, now - first.time > .seconds(30) { samples.removeFirst() }
  }

  /// Nil as long as there is nothing to tell it from.
  var rate: Double? {
    guard let first = samples.first, let last = samples.last, last.count > first.count else { return nil }
    let seconds = (last.time - first.time).inSeconds
    return seconds > 0.5 ? Double(last.count - first.count) / seconds : nil
  }
}
