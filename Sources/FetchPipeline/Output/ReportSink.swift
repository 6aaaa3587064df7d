/// Where results go: one line each, in the order in which items finish.
public protocol ReportSink: Sendable {
  /// Writes a result. Called after everything that it tells of has been committed.
  ///
  /// - Throws: where the report cannot be written; the run stops.
  func write(_ result: ImageResult) async throws
}
