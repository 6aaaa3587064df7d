import Foundation
import PipelineTesting
import StandardStages

/// The plugins of the folder Plugins, as Scripts/build-plugins builds them.
enum BuiltPlugins {
  /// The library of that name beside the test bundle.
  static func path(_ name: String) throws -> String {
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let path = bundle.deletingLastPathComponent().appendingPathComponent(name).path
    guard FileManager.default.fileExists(atPath: path) else { throw Missing(path: path) }
    return path
  }

  struct Missing: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is not there: run `Scripts/build-plugins` before `swift test`" }
  }
}

extension StageRegistry {
  /// The built-in stages, and those of a plugin.
  static func withPlugin(_ path: String) throws -> StageRegistry {
    var registry = StageRegistry.standard
    try registry.loadPlugins(at: path)
    return registry
  }

  /// Why a plugin is not loaded.
  static func refusal(of path: String) -> String? {
    do {
      _ = try withPlugin(path)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
