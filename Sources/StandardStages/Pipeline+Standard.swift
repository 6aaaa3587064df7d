extension PipelineConfiguration {
  /// What an empty configuration means: 256×256 inside, JPEG or PNG, private addresses refused, answers kept on disk in the
  /// user's cache folder.
  public static func standard() throws -> PipelineConfiguration { try standard(registry: .standard) }
}

extension Pipeline {
  /// Assembles a pipeline from a configuration made in code.
  ///
  /// - Parameter observer: hears what happens.
  public convenience init(
    _ configuration: PipelineConfiguration, observer: some PipelineObserver = SilentObserver()
  ) throws {
    try self.init(configuration, registry: .standard, context: StageContext(observer: observer))
  }

  /// Assembles a pipeline from a configuration file.
  ///
  /// - Parameters:
  ///   - path: the file, JSON5; relative paths in it start from its folder.
  ///   - registry: the stages that it may name.
  ///   - observer: hears what happens.
  /// - Throws: `ConfigurationError` with every mistake, in the order of the file.
  public convenience init(
    contentsOf path: String, registry: StageRegistry = .standard, observer: some PipelineObserver = SilentObserver()
  ) throws {
    try self.init(
      PipelineConfiguration(contentsOf: path, registry: registry), registry: registry,
      context: StageContext(folder: PipelineConfiguration.folder(of: path), observer: observer))
  }
}
