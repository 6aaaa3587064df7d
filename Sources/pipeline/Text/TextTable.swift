/// Rows of cells, aligned in columns, each cell wrapped within its column.
struct TextTable {
  var rows: [[String]]
  /// The most columns of the terminal that a column of the table takes; the last one takes the rest.
  var most: [Int]
  var indent = 2

  private static let gap = 2
  /// A last column that is narrower goes below the others.
  private static let least = 28

  /// The lines for a terminal of `width` columns.
  func lines(width: Int) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    guard count > 0 else { return [] }
    var widths = (0..<count).map { column in
      rows.map { column < $0.count ? DisplayText.width(of: $0[column]) : 0 }.max() ?? 0
    }
    for column in 0..<(count - 1) where column < most.count { widths[column] = min(widths[column], most[column]) }
    let before = widths.dropLast().reduce(indent) { $0 + $1 + Self.gap }
    let rest = width - before
    if rest < Self.least, widths[count - 1] > rest { return stacked(width: width) }
    widths[count - 1] = max(rest, 1)
    return rows.flatMap { line(of: $0, widths) }
  }

  private func line(of row: [String], _ widths: [Int]) -> [String] {
    let cells = row.enumerated().map { DisplayText.wrapped($0.element, columns: widths[$0.offset]) }
    let height = cells.map(\.count).max() ?? 0
    return (0..<height).map { index in
      var line = String(repeating: " ", count: indent)
      for (column, cell) in cells.enumerated() {
        let text = index < cell.count ? cell[index] : ""
        line += column == cells.count - 1 ? text : DisplayText.padded(text, to: widths[column] + Self.gap)
      }
      return Self.trimmed(line)
    }
  }

  /// For narrow terminals: the first cells in a line, the last one below them.
  private func stacked(width: Int) -> [String] {
    rows.flatMap { row -> [String] in
      let head = row.dropLast().filter { !$0.isEmpty }.joined(separator: "  ")
      let margin = String(repeating: " ", count: indent)
      return DisplayText.wrapped(head, columns: width - indent).map { margin + $0 }
        + DisplayText.wrapped(row.last ?? "", columns: width - indent - 4).map { margin + "    " + $0 }
    }
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}
