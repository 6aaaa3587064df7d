import CFetchPipelinePlugin
import FetchPipeline

// The two functions that the program looks for; the compiler checks them against the header.

/// Says what this plugin was built against.
@c @implementation
public func fetch_pipeline_plugin_describe(_ info: UnsafeMutablePointer<fp_plugin_info>) {
  fp_describe_swift(info, coreFingerprint(), coreIsDebugBuild ? 1 : 0)
}

/// Adds the stages.
@c @implementation
public func fetch_pipeline_plugin_register(_ registry: UnsafeMutableRawPointer) {
  StageRegistry.register(into: registry) { $0.register(Watermark.self) }
}
