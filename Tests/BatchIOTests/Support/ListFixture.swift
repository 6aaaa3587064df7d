import BatchIO
import FetchPipeline
import PipelineTesting

/// Reads a list that stands in a file of that name.
func rows(
  _ bytes: some Sequence<UInt8>, name: String = "list", _ change: (inout ListInputStage) -> Void = { _ in }
) async throws -> [SourceItem] {
  let (rows, error) = try await rowsAndError(bytes, name: name, change)
  if let error { throw error }
  return rows
}

/// Reads a list of text.
func rows(
  _ text: String, name: String = "list", _ change: (inout ListInputStage) -> Void = { _ in }
) async throws -> [SourceItem] {
  try await rows(text.utf8, name: name, change)
}

/// Reads a list until it ends or fails.
func rowsAndError(
  _ bytes: some Sequence<UInt8>, name: String = "list", _ change: (inout ListInputStage) -> Void = { _ in }
) async throws -> (rows: [SourceItem], error: PipelineError?) {
  let folder = try TemporaryFolder()
  try writeFile(folder(name), bytes)
  return try await rowsAndError(path: folder(name), change)
}

/// Reads the list at a path until it ends or fails.
func rowsAndError(
  path: String, _ change: (inout ListInputStage) -> Void = { _ in }
) async throws -> (rows: [SourceItem], error: PipelineError?) {
  var options = ListInputStage()
  change(&options)
  var rows: [SourceItem] = []
  do {
    for try await row in ListSource(options, path: path) { rows.append(row) }
    return (rows, nil)
  } catch let error as PipelineError {
    return (rows, error)
  }
}

extension SourceItem {
  /// The URL that is asked for, as it is sent, or what it is instead, or the code of the error.
  var outcome: String {
    switch request {
    case .success(let request):
      switch request.location {
      case .url(let url): url.description
      case .file: "a path"
      case .data: "data"
      }
    case .failure(let error): error.code.rawValue
    }
  }

  var failure: PipelineError? {
    if case .failure(let error) = request { error } else { nil }
  }

  var success: ImageRequest? { try? request.get() }
}
