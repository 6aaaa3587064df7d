internal import CFetchPipelinePlugin

/// An option that a plugin in C declares.
struct COption: Sendable {
  let name: String
  let meaning: String
  let isRequired: Bool
  let defaultValue: JSONValue
  let kind: Kind

  enum Kind: Sendable {
    case boolean
    case integer(ClosedRange<Int>?)
    case number(ClosedRange<Double>?)
    /// A text: one of some words, or any where there are none.
    case text([String])
  }

  /// nil where the declaration makes no sense.
  init?(_ option: fp_option) {
    guard let name = option.name, let meaning = option.meaning else { return nil }
    self.name = String(cString: name)
    self.meaning = String(cString: meaning)
    isRequired = option.is_required != 0
    let isBounded = option.minimum != 0 || option.maximum != 0
    guard option.minimum <= option.maximum else { return nil }
    let value = option.default_value
    switch Int(option.type) {
    case FP_BOOLEAN:
      kind = .boolean
      defaultValue = .bool(value.integer != 0)
    case FP_INTEGER:
      guard let low = Int(exactly: option.minimum.rounded(.up)), let high = Int(exactly: option.maximum.rounded(.down)),
        low <= high
      else { return nil }
      kind = .integer(isBounded ? low...high : nil)
      defaultValue = value.is_set != 0 ? .integer(Int(value.integer)) : .null
    case FP_NUMBER:
      guard value.number.isFinite else { return nil }
      kind = .number(isBounded ? option.minimum...option.maximum : nil)
      defaultValue = value.is_set != 0 ? value.number.json : .null
    case FP_TEXT:
      var words: [String] = []
      var next = option.choices
      while let word = next?.pointee {
        words.append(String(cString: word))
        next = next?.successor()
      }
      kind = .text(words)
      defaultValue = value.is_set != 0 ? value.text.map { .string(String(cString: $0)) } ?? .null : .null
    default: return nil
    }
  }

  /// The options of a table; nil where one makes no sense.
  static func all(_ options: UnsafePointer<fp_option>?, count: UInt32) -> [COption]? {
    guard count > 0 else { return [] }
    guard let options, count <= 1000 else { return nil }
    let read = UnsafeBufferPointer(start: options, count: Int(count)).compactMap(COption.init)
    return read.count == Int(count) && Set(read.map(\.name)).count == read.count ? read : nil
  }

  /// What it is called, and which JSON it accepts.
  var type: ConfigurationType {
    switch kind {
    case .boolean: Bool.configurationType
    case .integer: Int.configurationType
    case .number: Double.configurationType
    case .text(let words):
      words.isEmpty
        ? String.configurationType
        : ConfigurationType(
          words.map { "\"\($0)\"" }.joined(separator: ", "), schema: ["enum": .array(words.map(JSONValue.string))])
    }
  }

  /// The value that JSON writes; nil after the mistake was noted.
  func read(_ json: JSONValue, in scope: ConfigurationScope) -> JSONValue? {
    switch kind {
    case .boolean: return Bool.read(json, in: scope)?.json
    case .integer(let range): return Int.read(json, in: scope).flatMap { inside(range, $0, in: scope) }
    case .number(let range): return Double.read(json, in: scope).flatMap { inside(range, $0, in: scope) }
    case .text(let words):
      guard let text = String.read(json, in: scope) else { return nil }
      if words.isEmpty || words.contains(text) { return .string(text) }
      scope.report("\"\(text)\" is not known here" + NearestName.hint(for: text, among: words))
      return nil
    }
  }

  private func inside<Value: ConfigurationValue & Comparable>(
    _ range: ClosedRange<Value>?, _ value: Value, in scope: ConfigurationScope
  ) -> JSONValue? {
    guard let range, !range.contains(value) else { return value.json }
    let (low, high) = (range.lowerBound.json.compactText, range.upperBound.json.compactText)
    scope.report("\(value.json.compactText) is not between \(low) and \(high)")
    return nil
  }
}

/// The values of a stage's options as C reads them; the owner of their texts.
// Sendable: written before anyone else has it, and never after.
final class CValues: @unchecked Sendable {
  let pointer: UnsafePointer<fp_value>
  private let values: UnsafeMutablePointer<fp_value>
  private var texts: [UnsafeMutableBufferPointer<CChar>] = []

  init(_ json: [JSONValue], of options: [COption]) {
    // One more than there are, so that there is an address in any case.
    values = .allocate(capacity: json.count + 1)
    values.initialize(repeating: fp_value(), count: json.count + 1)
    pointer = UnsafePointer(values)
    for (index, value) in json.enumerated() {
      values[index].is_set = value == .null ? 0 : 1
      switch value {
      case .bool(let flag): values[index].integer = flag ? 1 : 0
      case .number(let number):
        values[index].integer = number.integer.map(Int64.init) ?? 0
        values[index].number = number.double ?? 0
      case .string(let string):
        let characters = Array(string.utf8CString)
        let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: characters.count)
        _ = text.initialize(from: characters)
        texts.append(text)
        values[index].text = UnsafePointer(text.baseAddress)
      default: break
      }
    }
  }

  deinit {
    for text in texts { text.deallocate() }
    values.deallocate()
  }
}
