/// Whether the core was built for debugging. A plugin keeps a copy of its own, of the core that it was built against.
@_alwaysEmitIntoClient
public var coreIsDebugBuild: Bool {
  #if DEBUG
  true
  #else
  false
  #endif
}

/// There is one core in a process: a library that brings another one exports this name too, and is refused.
@_cdecl("fetch_pipeline_core")
public func fetchPipelineCore() -> UInt32 { 1 }

extension StageRegistry {
  /// Adds the stages of a plugin: what its `fetch_pipeline_plugin_register` calls with the pointer that it is given.
  public static func register(into host: UnsafeMutableRawPointer, _ body: (inout StageRegistry) -> Void) {
    body(&host.assumingMemoryBound(to: StageRegistry.self).pointee)
  }
}
