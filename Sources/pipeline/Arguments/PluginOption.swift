import StandardStages

/// The option `--plugin PATH` of commands that show stages.
enum PluginOption {
  static let declaration = CommandOption(
    name: "--plugin", value: "PATH", meaning: "with the stages of a plugin, or of all plugins of a folder")

  /// The built-in stages with those of the configuration or the plugin that the command line names; nil where it names none.
  static func registry(_ arguments: ParsedArguments) throws -> StageRegistry? {
    let configured = try arguments["--config"].map { try ConfigurationFile(path: $0).registry }
    guard let path = arguments[declaration.name] else { return configured }
    var registry = configured ?? .standard
    do {
      try registry.loadPlugins(at: path)
    } catch {
      throw CommandFailure.usage("\(declaration.name): \(error)")
    }
    return registry
  }
}
