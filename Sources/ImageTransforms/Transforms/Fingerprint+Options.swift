import FetchPipeline

extension Fingerprint {
  /// Adds an integer that may be missing.
  mutating func add(_ name: String, optional value: Int?) {
    if let value { add(name, value) } else { addNone(name) }
  }

  /// Adds a colour that may be missing.
  mutating func add(_ name: String, optional value: Color?) {
    if let value { add(name, value.description) } else { addNone(name) }
  }

  /// Adds a length that may be missing.
  mutating func add(_ name: String, optional value: CropLength?) {
    switch value {
    case .pixels(let count)?: add(name, count)
    case .percentMillionths(let share)?: add(name, Double(share) / 1_000_000)
    case nil: addNone(name)
    }
  }
}
