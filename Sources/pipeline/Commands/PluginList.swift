import FetchPipeline

/// The loaded plugins as a person reads them: each with the stages that it brought.
struct PluginList {
  private let plugins: [Plugin]

  init(_ plugins: [Plugin]) {
    self.plugins = plugins
  }

  /// A line for each plugin and each of its stages; empty where there is none.
  var text: String {
    guard !plugins.isEmpty else { return "" }
    let lines = plugins.flatMap { plugin in
      ["  \(plugin.path)"] + plugin.stages.map { "    \($0.slot)  \($0.name): \($0.summary)" }
    }
    return (["plugins"] + lines).joined(separator: "\n") + "\n"
  }
}
