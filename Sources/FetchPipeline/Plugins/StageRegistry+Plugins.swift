#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension StageRegistry {
  /// Loads a plugin, or all plugins of a folder in the order of their names, and adds their stages.
  ///
  /// A library stays loaded until the process ends. In a folder, libraries that are no plugins are passed over.
  ///
  /// - Throws: `PluginError` where something cannot be loaded; no stage has been added then.
  /// - Returns: what was loaded; of a file that is loaded already, what it brought then.
  @discardableResult
  public mutating func loadPlugins(at path: String) throws(PluginError) -> [Plugin] {
    var registry = self
    let files = try Self.pluginFiles(at: path)
    var loaded: [Plugin] = []
    for file in files {
      let canonical = Self.canonicalPath(file.path)
      if let known = registry.plugins.first(where: { Self.canonicalPath($0.path) == canonical }) {
        loaded.append(known)
        continue
      }
      let before = registry.descriptions
      try file.load(into: &registry)
      if let taken = Self.firstReplaced(of: before, by: registry.descriptions) {
        throw PluginError(
          path: file.path,
          reason:
            "brings a stage \"\(taken.name)\" of \"\(taken.slot)\", and there is one already; give it another name")
      }
      let plugin = Plugin(
        path: file.path, kind: file.kind, stages: Array(registry.descriptions.dropFirst(before.count)))
      guard !plugin.stages.isEmpty else { throw PluginError(path: file.path, reason: "brings no stage") }
      registry.plugins.append(plugin)
      loaded.append(plugin)
    }
    self = registry
    return loaded
  }

  /// A stage that is registered anew moves to the end.
  private static func firstReplaced(
    of before: [StageDescription], by after: [StageDescription]
  ) -> StageDescription? {
    zip(before, after + before).first { ($0.slot, $0.name) != ($1.slot, $1.name) }?.0
  }

  private static func pluginFiles(at path: String) throws(PluginError) -> [PluginFile] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw PluginError(path: path, reason: String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [try PluginFile(path: path)] }
    guard let folder = opendir(path) else { throw PluginError(path: path, reason: String(cString: strerror(errno))) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".so"), !name.hasPrefix(".") { names.append(name) }
    }
    var files: [PluginFile] = []
    for name in names.sorted() {
      let file = path.hasSuffix("/") ? path + name : path + "/" + name
      if let plugin = try PluginFile(ifPluginAt: file) { files.append(plugin) }
    }
    guard !files.isEmpty else { throw PluginError(path: path, reason: "there is no plugin in this folder") }
    return files
  }

  private static func canonicalPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
