internal import CFetchPipelinePlugin

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is a plugin by its exported names, not loaded yet.
struct PluginFile {
  let path: String
  let kind: Plugin.Kind
  private let library: SharedLibraryFile

  private static let describe = "fetch_pipeline_plugin_describe"
  private static let register = "fetch_pipeline_plugin_register"
  private static let stages = "fetch_pipeline_plugin_stages"
  private static let core = "fetch_pipeline_core"
  /// The library that plugins in Swift ask for, and that the program stands in for.
  private static let coreLibrary = "libFetchPipelinePluginAPI.so"

  /// - Throws: `PluginError` where the file is no plugin.
  init(path: String) throws(PluginError) {
    guard let file = try PluginFile(ifPluginAt: path) else {
      throw PluginError(
        path: path, reason: "is no plugin of this program: it does not export \(Self.describe) (see Plugins/README.md)")
    }
    self = file
  }

  /// nil where the file is a library, but no plugin.
  init?(ifPluginAt path: String) throws(PluginError) {
    do {
      library = try SharedLibraryFile(path: path)
    } catch {
      throw PluginError(path: path, reason: error.reason)
    }
    guard library.exported.contains(Self.describe) else { return nil }
    self.path = path
    switch (library.exported.contains(Self.register), library.exported.contains(Self.stages)) {
    case (true, false): kind = .swift
    case (false, true): kind = .c
    case (false, false):
      throw PluginError(
        path: path, reason: "exports neither \(Self.register) (of a plugin in Swift) nor \(Self.stages) (in C)")
    case (true, true):
      throw PluginError(
        path: path, reason: "exports both \(Self.register) and \(Self.stages); a plugin has one of them")
    }
  }

  /// Loads the library and lets it add its stages.
  func load(into registry: inout StageRegistry) throws(PluginError) {
    if library.exported.contains(Self.core) {
      throw failure(
        "has a second core in it; depend on the product FetchPipelinePluginAPI alone, which is linked at run time")
    }
    if kind == .swift { try checkRuntime() }
    // A path without a slash would be looked for in the system's folders. Swift libraries cannot be unloaded.
    let place = path.contains("/") ? path : "./" + path
    guard let handle = dlopen(place, RTLD_NOW | RTLD_LOCAL | Int32(RTLD_NODELETE)) else {
      throw failure("cannot be loaded (\(Self.linkerMessage)); rebuild it with this program: \(rebuilding)")
    }
    var info = fp_plugin_info()
    info.struct_size = UInt32(MemoryLayout<fp_plugin_info>.size)
    typealias Describe = @convention(c) (UnsafeMutablePointer<fp_plugin_info>) -> Void
    try function(Self.describe, in: handle, as: Describe.self)(&info)
    try check(info)
    switch kind {
    case .swift:
      typealias Register = @convention(c) (UnsafeMutableRawPointer) -> Void
      let register = try function(Self.register, in: handle, as: Register.self)
      withUnsafeMutablePointer(to: &registry) { register(UnsafeMutableRawPointer($0)) }
    case .c:
      typealias Stages = @convention(c) (UnsafePointer<fp_host>) -> Int32
      let stages = try function(Self.stages, in: handle, as: Stages.self)
      let result = CPluginHost.collect(into: &registry) { stages($0) }
      if let problem = result.problem { throw failure(problem) }
      guard result.status == FP_OK else {
        throw failure("\(Self.stages) returned \(result.status): it cannot work on this machine")
      }
    }
  }

  /// What would crash if it were loaded is found before.
  private func checkRuntime() throws(PluginError) {
    guard library.needed.contains("libswiftCore.so") else {
      throw failure("has a Swift runtime of its own in it; build it without -static-stdlib")
    }
    let program = dlopen(nil, RTLD_NOW)
    guard dlsym(program, "swift_retain") != nil else {
      throw failure(
        "is written in Swift, and this program has the Swift runtime linked in (-static-stdlib): it loads plugins in C only; one "
          + "installed with RUNTIME=shared loads both"
      )
    }
    // The program itself, where it was linked to load plugins.
    guard let core = dlopen(Self.coreLibrary, RTLD_NOW | Int32(RTLD_NOLOAD)),
      let symbol = dlsym(core, Self.core), symbol == dlsym(program, Self.core)
    else {
      throw failure(
        "is written in Swift, and this program is not linked to load such; link it with -use-ld=lld -Xlinker "
          + "--export-dynamic -Xlinker -soname=\(Self.coreLibrary)")
    }
  }

  private func check(_ info: fp_plugin_info) throws(PluginError) {
    guard info.abi == UInt32(FP_PLUGIN_ABI) else {
      throw failure(
        "is built for number \(info.abi) of the plugin boundary, and this program has \(FP_PLUGIN_ABI); rebuild it with "
          + "this program: \(rebuilding)")
    }
    guard kind == .swift else { return }
    let own = String(cString: fp_compiler())
    let theirs = info.compiler.map { String(cString: $0) } ?? "an unknown compiler"
    guard theirs == own else {
      throw failure(
        "was compiled by \(theirs), and this program by \(own); rebuild both with one toolchain: \(rebuilding)")
    }
    guard (info.is_debug != 0) == coreIsDebugBuild else {
      let (other, mode) = coreIsDebugBuild ? ("release", "debug") : ("debug", "release")
      throw failure("is a \(other) build, and this program a \(mode) build; rebuild it: \(rebuilding)")
    }
    guard info.core == coreFingerprint() else {
      throw failure("was built against another core; rebuild it, or this program, from the same sources: \(rebuilding)")
    }
  }

  private var rebuilding: String {
    kind == .swift
      ? "swift build\(coreIsDebugBuild ? "" : " -c release") --package-path PLUGIN --scratch-path .build"
      : "against its header fetch_pipeline_plugin.h"
  }

  private func function<Function>(
    _ name: String, in handle: UnsafeMutableRawPointer, as type: Function.Type
  ) throws(PluginError) -> Function {
    guard let symbol = dlsym(handle, name) else { throw failure("does not give \(name): \(Self.linkerMessage)") }
    return unsafeBitCast(symbol, to: type)
  }

  private func failure(_ reason: String) -> PluginError { PluginError(path: path, reason: reason) }

  private static var linkerMessage: String { dlerror().map { String(cString: $0) } ?? "no reason was given" }
}
