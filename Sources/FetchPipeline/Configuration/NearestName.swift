/// Finds what a person may have meant by a name that is not known.
public enum NearestName {
  /// `; did you mean "…"?` where one of `candidates` is near, else a list of them if it is short.
  public static func hint(for name: String, among candidates: [String]) -> String {
    let limit = max(2, name.count / 3)
    // The beginning of one name alone is that name.
    if name.count >= 3 {
      let begun = candidates.filter { $0.lowercased().hasPrefix(name.lowercased()) }
      if begun.count == 1, let only = begun.first { return "; did you mean \"\(only)\"?" }
    }
    let ranked = candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }.sorted { $0.1 < $1.1 }
    if let (nearest, distance) = ranked.first, distance <= limit, distance < nearest.count {
      return "; did you mean \"\(nearest)\"?"
    }
    return candidates.isEmpty || candidates.count > 12 ? "" : "; known: \(candidates.joined(separator: ", "))"
  }

  /// The edits, insertions, removals and swaps of neighbours that turn one into the other (optimal string alignment).
  static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first)
    let b = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
