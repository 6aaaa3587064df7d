import FetchPipeline

/// Shows on standard error what a person should know and what costs no item.
struct Notes: PipelineObserver {
  func observe(_ event: PipelineEvent) {
    guard case .warning(let text) = event else { return }
    Terminal.error.write("pipeline: note: \(text)\n")
  }
}
