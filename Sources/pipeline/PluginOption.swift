import StandardStages

/// The option `--plugin PATH` of commands that show stages.
enum PluginOption {
  static let declaration = CommandOption(
    name: "--plugin", value: "PATH", meaning: "with the stages of a plugin, or of all plugins of a folder")

  /// The built-in stages, and those of the plugin that the command line names.
  static func registry(_ arguments: ParsedArguments) throws -> StageRegistry {
    var registry = StageRegistry.standard
    guard let path = arguments[declaration.name] else { return registry }
    do {
      try registry.loadPlugins(at: path)
    } catch {
      throw CommandFailure.usage("\(declaration.name): \(error)")
    }
    return registry
  }
}
