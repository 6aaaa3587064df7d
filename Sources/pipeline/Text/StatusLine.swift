import FetchPipeline

/// Standard error during a run: lines that stay, and below them one that is overwritten.
final class StatusLine: Sendable {
  private let terminal: Terminal
  private let shown = Lock("")
  /// Whether a machine reads it, so that every line is a JSON object.
  let isJSON: Bool

  init(_ terminal: Terminal, isJSON: Bool = false) {
    self.terminal = terminal
    self.isJSON = isJSON
  }

  /// Shows a line in place of the one shown.
  func show(_ line: String) {
    shown.withLock { shown in
      terminal.write("\r\u{1b}[K" + line)
      shown = line
    }
  }

  /// Takes the line away.
  func clear() {
    shown.withLock { shown in
      if !shown.isEmpty { terminal.write("\r\u{1b}[K") }
      shown = ""
    }
  }

  /// Writes a line that stays.
  func write(_ line: String) {
    shown.withLock { shown in
      terminal.write((shown.isEmpty ? "" : "\r\u{1b}[K") + line + "\n" + shown)
    }
  }

  /// Tells what happens.
  func log(_ text: String) {
    write(isJSON ? JSONValue.object(["log": .string(text)]).compactText : text)
  }

  /// Tells what a person should know.
  func note(_ text: String) {
    if isJSON {
      write(JSONValue.object(["note": .string(text)]).compactText)
    } else {
      write("pipeline: note: " + DisplayText.escaped(text))
    }
  }
}
