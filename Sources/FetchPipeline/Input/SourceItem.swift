/// A row of an input: what identifies it, and what it asks for if it could be understood.
public struct SourceItem: Sendable {
  /// The row's number, from 1; comments and blank lines do not count.
  public var row: Int
  /// The row's own name, or its number.
  public var id: String
  /// The URL as the row writes it.
  public var text: String
  /// The columns that mean nothing to the pipeline; the report gives them back.
  public var fields: JSONObject
  /// The row as it came in, in the form of a row of JSON Lines, so that a list of failed rows can be read again.
  public var original: JSONObject
  /// What the row asks for, or why it cannot be understood.
  public var request: Result<ImageRequest, PipelineError>

  /// A row. `original` defaults to an object with the URL alone.
  public init(
    row: Int, id: String? = nil, text: String, fields: JSONObject = [:], original: JSONObject? = nil,
    request: Result<ImageRequest, PipelineError>
  ) {
    self.row = row
    self.id = id ?? String(row)
    self.text = text
    self.fields = fields
    self.original = original ?? ["url": .string(text)]
    self.request = request
  }
}

/// Where rows come from: an async sequence, read once, as slowly as the pipeline needs.
public protocol ItemSource: AsyncSequence, Sendable where Element == SourceItem, Failure == any Error {
  /// Makes sure, before anything is made, that there is something to read, and that it is what the configuration says, as
  /// far as the beginning shows it. Throws `not-found` where there is nothing, `ConfigurationError` where it is otherwise.
  func check() throws

  /// How many rows there are, as far as that can be told by now.
  var expectedRows: ExpectedRows? { get }
}

extension ItemSource {
  /// Nothing to make sure of.
  public func check() throws {}

  /// Not to be told.
  public var expectedRows: ExpectedRows? { nil }
}

/// How many rows an input has.
public struct ExpectedRows: Sendable, Hashable {
  /// The rows.
  public var count: Int
  /// Whether they have been counted; else they are an estimate.
  public var isExact: Bool

  /// A number of rows.
  public init(count: Int, isExact: Bool) {
    self.count = count
    self.isExact = isExact
  }
}
