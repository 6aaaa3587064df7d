extension PipelineConfiguration {
  /// Reads a configuration's text (JSON5).
  ///
  /// - Parameters:
  ///   - text: the bytes of the file.
  ///   - file: what the file is called in errors.
  ///   - folder: the folder that relative paths in it start from.
  ///   - registry: the stages that it may name.
  ///   - environment: what `${NAME}` stands for.
  ///   - adjust: changes what is written before it is read: what a command line says in its place, for example.
  /// - Throws: `ConfigurationError` with every mistake, in the order of the file.
  public init(
    text: some Collection<UInt8>, file: String?, folder: String, registry: StageRegistry,
    environment: [String: String], adjusting adjust: (inout JSONObject) -> Void = { _ in }
  ) throws {
    let json: JSONValue
    do {
      json = try JSONReader.value(of: text, dialect: .json5)
    } catch {
      throw ConfigurationError(
        file: file.map { "\($0):\(error.line):\(error.column)" },
        problems: [ConfigurationProblem(path: "", message: error.message)])
    }
    var scope = ConfigurationScope(registry: registry, folder: folder, environment: environment)
    guard case .object(var object) = json else {
      throw ConfigurationError(
        file: file,
        problems: [ConfigurationProblem(path: "", message: "a configuration is an object, not \(json.kind)")])
    }
    adjust(&object)
    let plugins = Self.loadPlugins(of: object, in: &scope)
    self = Self.read(object, in: scope, owner: "a configuration") { $0 == "plugins" }
    self.plugins = plugins
    self.registry = scope.registry
    scope.sortProblems(from: 0, by: object.members.map(\.name))
    fillDefaults(besides: object, in: scope)
    if object["renditions"] != nil {
      for name in ["transform", "encode"] where object[name] != nil {
        scope.member("renditions").report("stands beside \"\(name)\": it is one or the other")
      }
      noteProblemsOfRenditions(in: scope)
    }
    guard scope.problems.isEmpty else { throw ConfigurationError(file: file, problems: scope.problems) }
  }

  /// Loads the plugins that a configuration names into the scope's registry; notes those that cannot be.
  private static func loadPlugins(of object: JSONObject, in scope: inout ConfigurationScope) -> [String] {
    guard let json = object["plugins"] else { return [] }
    let place = scope.member("plugins")
    guard let paths = place.expanding(json).flatMap({ [String].read($0, in: place) }) else { return [] }
    let context = StageContext(folder: scope.folder)
    for (index, path) in paths.enumerated() {
      do {
        try scope.registry.loadPlugins(at: context.resolving(path))
      } catch {
        scope.lacksPlugins = true
        if case .array = json {
          place.element(index).report("\(error)")
        } else {
          place.report("\(error)")
        }
      }
    }
    return paths
  }

  /// Holds options that were set in code to the rules of a file.
  ///
  /// - Throws: `ConfigurationError` with every mistake.
  func check(registry: StageRegistry, folder: String) throws {
    let scope = ConfigurationScope(registry: registry, folder: folder, environment: nil)
    noteProblemsOfOptions(in: scope)
    noteProblemsOfRenditions(in: scope)
    guard scope.problems.isEmpty else { throw ConfigurationError(file: nil, problems: scope.problems) }
  }

  /// Holds the renditions of a request to the same rules; only one of several needs a name.
  static func check(_ renditions: [RenditionConfiguration], folder: String) throws {
    let scope = ConfigurationScope(registry: StageRegistry(), folder: folder, environment: nil)
    let place = scope.member("renditions")
    if renditions.isEmpty { place.report("there is none") }
    for (index, rendition) in renditions.enumerated() {
      let place = place.element(index)
      rendition.transform.noteProblems(in: place.member("transform"))
      rendition.encode.noteProblems(in: place.member("encode"))
    }
    noteRepeatedNames(in: renditions, at: place)
    guard scope.problems.isEmpty else { throw ConfigurationError(file: nil, problems: scope.problems) }
  }

  private static func noteRepeatedNames(in renditions: [RenditionConfiguration], at place: ConfigurationScope) {
    var names: Set<String> = []
    for (index, rendition) in renditions.enumerated() where !names.insert(rendition.name).inserted {
      place.element(index).member("name").report("there is another rendition \"\(rendition.name)\"")
    }
  }

  private func noteProblemsOfRenditions(in scope: ConfigurationScope) {
    Self.noteRepeatedNames(in: renditions, at: scope.member("renditions"))
    // An output does nothing before it is prepared.
    let context = StageContext(folder: scope.folder)
    if !renditions.isEmpty, let output = try? output?.stage.make(in: context), !output.separatesRenditions {
      scope.member("output").member("name").report("lacks {rendition}, so that renditions would have one name")
    }
  }

  /// A pipeline of the default stages, as an empty configuration describes it.
  public static func standard(registry: StageRegistry) throws -> PipelineConfiguration {
    let scope = ConfigurationScope(registry: registry, folder: "", environment: [:])
    var configuration = PipelineConfiguration()
    configuration.fillDefaults(besides: [:], in: scope)
    guard scope.problems.isEmpty else { throw ConfigurationError(file: nil, problems: scope.problems) }
    return configuration
  }

  private mutating func fillDefaults(besides object: JSONObject, in scope: ConfigurationScope) {
    let isReplaced = { (name: String) in ["transform", "encode"].contains(name) && object["renditions"] != nil }
    for member in Self.defaults.members where object[member.name] == nil && !isReplaced(member.name) {
      // A pipeline without stages that keep answers keeps none.
      if member.name == "cache", scope.registry.stages(in: CacheSlot.self).isEmpty { continue }
      guard let option = Self.options.first(where: { $0.name == member.name }) else { continue }
      option.read(member.value, &self, scope.member(member.name))
    }
  }
}
