import FetchPipeline

/// How progress is shown.
enum ProgressStyle: String, CaseIterable {
  /// A bar on a terminal, else a line every few seconds.
  case auto
  case bar
  case plain
  case none
}

/// Shows how far a run is, on standard error, until the task is cancelled.
struct ProgressDisplay: Sendable {
  let style: ProgressStyle
  let terminal: Terminal
  let current: @Sendable () -> RunProgress
  /// How many rows there are, as far as that can be told.
  let expected: @Sendable () -> ExpectedRows?

  func show() async {
    switch style {
    case .none: return
    case .bar: await showBar()
    case .plain: await showLines()
    case .auto: if terminal.isInteractive { await showBar() } else { await showLines() }
    }
  }

  private func showBar() async {
    var meter = RateMeter()
    while !Task.isCancelled {
      let progress = current()
      meter.note(progress.done)
      let line = Self.line(
        progress, rate: meter.rate, total: total(progress), width: terminal.width, barWidth: 24,
        showsColor: terminal.showsColor)
      terminal.write("\r\u{1b}[K" + line)
      try? await Task.sleep(for: .milliseconds(100))
    }
    terminal.write("\r\u{1b}[K")
  }

  private func showLines() async {
    var meter = RateMeter()
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(5))
      if Task.isCancelled { return }
      let progress = current()
      meter.note(progress.done)
      terminal.write(
        Self.line(progress, rate: meter.rate, total: total(progress), width: 200, barWidth: 0, showsColor: false) + "\n"
      )
    }
  }

  private func total(_ progress: RunProgress) -> ExpectedRows? {
    expected().map { ExpectedRows(count: max($0.count, progress.done), isExact: $0.isExact) }
  }

  static func line(
    _ progress: RunProgress, rate: Double?, total: ExpectedRows?, width: Int, barWidth: Int, showsColor: Bool
  ) -> String {
    var parts: [String] = []
    let share = total.map { Double(progress.done) / Double(max($0.count, 1)) }
    if barWidth > 0, let share { parts.append(bar(share, width: barWidth)) }
    parts.append(grouped(progress.done) + (total.map { "/\($0.isExact ? "" : "~")\(grouped($0.count))" } ?? ""))
    if let rate { parts.append(rate < 10 ? "\(JSONNumber(rate, decimals: 1).text)/s" : "\(Int(rate.rounded()))/s") }
    if progress.failed > 0 {
      let text = "\(grouped(progress.failed)) failed"
      parts.append(showsColor ? "\u{1b}[31m\(text)\u{1b}[0m" : text)
    }
    if let total, let rate, rate > 0, total.count > progress.done {
      parts.append("\(duration(Double(total.count - progress.done) / rate)) left")
    }
    var line = parts.joined(separator: "  ")
    // Too narrow a terminal would wrap the line, and then it could not be overwritten.
    let visible = line.count - (showsColor && progress.failed > 0 ? 9 : 0)
    if visible >= width {
      line = String(
        parts.dropFirst(barWidth > 0 && share != nil ? 1 : 0).joined(separator: "  ").prefix(max(width - 1, 1)))
    }
    return line
  }

  private static func bar(_ share: Double, width: Int) -> String {
    let eighths = Int((min(max(share, 0), 1) * Double(width * 8)).rounded(.down))
    let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    let full = String(repeating: "█", count: eighths / 8) + partial
    return "▕" + full + String(repeating: " ", count: width - full.count) + "▏"
  }

  /// `1234567` as `1,234,567`.
  static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var position = digits.count - 3
    while position > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: position))
      position -= 3
    }
    return digits
  }

  /// `75` as `1 min 15 s`.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded(.up))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}

/// Items a second, over the last half minute.
struct RateMeter {
  private var samples: [(time: ContinuousClock.Instant, count: Int)] = []

  mutating func note(_ count: Int) {
    let now = ContinuousClock.now
    samples.append((now, count))
    while let first = samples.first, samples.count > 2, now - first.time > .seconds(30) { samples.removeFirst() }
  }

  var rate: Double? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let seconds = (last.time - first.time).inSeconds
    return seconds > 0.5 ? Double(last.count - first.count) / seconds : nil
  }
}
