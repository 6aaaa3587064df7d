import FetchPipeline

/// How far a run is at one moment, for people and for programs.
struct ProgressState {
  let progress: RunProgress
  /// How many rows there are, as far as that can be told.
  let total: ExpectedRows?
  /// Rows tried in a second; nil where that cannot be told.
  var rate: Double?
  /// The most rows that are tried.
  let limit: Int?

  init(progress: RunProgress, total: ExpectedRows?, rate: Double?, limit: Int?) {
    self.progress = progress
    self.rate = rate
    self.limit = limit
    self.total = total.map { ExpectedRows(count: max($0.count, progress.done), isExact: $0.isExact) }
  }

  /// How long it will take if it goes on like this; nil where that cannot be told.
  var secondsLeft: Double? {
    guard let rate, rate > 0, let total else { return nil }
    let rows = total.count - progress.done
    let tried = limit.map { min(rows, max($0 - progress.attempted, 0)) } ?? rows
    return tried > 0 ? Double(tried) / rate : nil
  }

  /// Rows tried in a second over the whole time.
  func averageRate(over time: Duration) -> Double? {
    time > .zero && progress.attempted > 0 ? Double(progress.attempted) / time.inSeconds : nil
  }

  /// One line of less than `width` columns, so that it can be overwritten.
  func line(width: Int, barWidth: Int, showsColor: Bool) -> String {
    var parts: [(text: String, isRed: Bool)] = []
    parts.append(
      (grouped(progress.done) + (total.map { "/\($0.isExact ? "" : "~")\(grouped($0.count))" } ?? ""), false))
    if let rate {
      parts.append((rate < 10 ? "\(JSONNumber(rate, decimals: 1).text)/s" : "\(Int(rate.rounded()))/s", false))
    }
    if progress.failed > 0 { parts.append(("\(grouped(progress.failed)) failed", true)) }
    if let secondsLeft { parts.append(("\(durationText(secondsLeft)) left", false)) }
    let plain = parts.map(\.text).joined(separator: "  ")
    // Too narrow a terminal would wrap the line.
    guard DisplayText.width(of: plain) < width else { return DisplayText.shortened(plain, to: max(width - 1, 1)) }
    let line = parts.map { showsColor && $0.isRed ? "\u{1b}[31m\($0.text)\u{1b}[0m" : $0.text }.joined(separator: "  ")
    guard barWidth > 0, let total, DisplayText.width(of: plain) + barWidth + 4 < width else { return line }
    return Self.bar(Double(progress.done) / Double(max(total.count, 1)), width: barWidth) + "  " + line
  }

  private static func bar(_ share: Double, width: Int) -> String {
    let eighths = Int((min(max(share, 0), 1) * Double(width * 8)).rounded(.down))
    let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    let full = String(repeating: "█", count: eighths / 8) + partial
    return "▕" + full + String(repeating: " ", count: width - full.count) + "▏"
  }

  /// One object: what cannot be told is null.
  func json(isFinal: Bool) -> JSONValue {
    let number = { (value: Double?) in value.map { JSONValue.number(JSONNumber($0, decimals: 2)) } ?? .null }
    return [
      "done": .integer(progress.done), "total": total.map { .integer($0.count) } ?? .null,
      "totalIsExact": .bool(total?.isExact ?? false), "ok": .integer(progress.ok),
      "skipped": .integer(progress.skipped), "failed": .integer(progress.failed),
      "remembered": .integer(progress.remembered), "inFlight": .integer(progress.inFlight), "rate": number(rate),
      "etaSeconds": isFinal ? .null : number(secondsLeft), "bytesIn": .integer(progress.bytesReceived),
      "bytesOut": .integer(progress.bytesWritten), "final": .bool(isFinal),
    ]
  }
}

/// `1234567` as `1,234,567`.
func grouped(_ number: Int) -> String {
  var digits = String(number.magnitude)
  var position = digits.count - 3
  while position > 0 {
    digits.insert(",", at: digits.index(digits.startIndex, offsetBy: position))
    position -= 3
  }
  return (number < 0 ? "-" : "") + digits
}

/// `1` and "row" as `1 row`, `2` as `2 rows`.
func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
}

/// `75` as `1 min 15 s`.
func durationText(_ seconds: Double) -> String {
  let whole = Int(min(max(seconds, 0), 1e9).rounded(.up))
  if whole < 60 { return "\(whole) s" }
  if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
  return "\(whole / 3600) h \(whole % 3600 / 60) min"
}
