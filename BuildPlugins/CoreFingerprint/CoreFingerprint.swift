import Foundation
import PackagePlugin

/// Writes the fingerprint of the sources of the core and of the plugins' boundary into the core, so that a plugin that was built against others is refused.
@main
struct CoreFingerprint: BuildToolPlugin {
  private static let script = """
    set -eu
    cd "$2"
    digest=$(find . ../CFetchPipelinePlugin -name '*.[sh]*' -type f | LC_ALL=C sort | tr '\\n' '\\0' | xargs -0 sha256sum | sha256sum | cut -c1-16)
    cat > "$1" <<END
    /// The fingerprint of the core's sources and of the plugins' boundary. A plugin keeps a copy of its own, of the core that it was built against.
    ///
    /// It is a default value, and so part of the interface: an incremental build sees that it has changed.
    @_alwaysEmitIntoClient public func coreFingerprint(_ value: UInt64 = 0x$digest) -> UInt64 { value }
    END
    """

  func createBuildCommands(context: PluginContext, target: Target) async throws -> [Command] {
    guard let target = target.sourceModule else { return [] }
    let boundary = target.directoryURL.appendingPathComponent("../CFetchPipelinePlugin/include/fetch_pipeline_plugin.h")
    let output = context.pluginWorkDirectoryURL.appendingPathComponent("CoreFingerprint.swift")
    return [
      .buildCommand(
        displayName: "Fingerprint of the core", executable: URL(fileURLWithPath: "/bin/sh"),
        arguments: ["-c", Self.script, "sh", output.path, target.directoryURL.path],
        inputFiles: target.sourceFiles.filter { $0.type == .source && $0.url != output }.map(\.url)
          + [boundary.standardizedFileURL],
        outputFiles: [output])
    ]
  }
}
