internal import CFetchPipelinePlugin
import PipelineTesting
import StandardStages
import Testing

@testable import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What would crash or go wrong is refused before it runs, and the message says what to do.
struct PluginRefusalTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// What a plugin in Swift says of itself, written in C so that each word can be wrong.
  private struct Description {
    var abi = Int(FP_PLUGIN_ABI)
    var core = coreFingerprint()
    var isDebug = coreIsDebugBuild
    var compiler = String(cString: fp_compiler())
    var more = ""

    var source: String {
      """
      #include "fetch_pipeline_plugin.h"
      void fetch_pipeline_plugin_describe(fp_plugin_info *info) {
        info->abi = \(abi);
        info->core = \(core)ull;
        info->is_debug = \(isDebug ? 1 : 0);
        info->compiler = "\(compiler)";
      }
      void fetch_pipeline_plugin_register(void *registry) {}
      \(more)
      """
    }
  }

  private func refusal(of description: Description, withRuntime: Bool = true) throws -> String? {
    let path = folder("plugin.so")
    let runtime = try #require(CompiledPlugin.loadedLibrary("libswiftCore.so"))
    try CompiledPlugin.make(
      description.source, at: path, arguments: withRuntime ? ["-Wl,--no-as-needed", runtime] : [])
    return StageRegistry.refusal(of: path)
  }

  @Test func aDescriptionThatIsRightIsAccepted() throws {
    #expect(try refusal(of: Description()) == "\(folder("plugin.so")): brings no stage")
  }

  @Test func anotherNumberOfTheBoundary() throws {
    let text = try #require(try refusal(of: Description(abi: 77)))
    #expect(text.contains("number 77 of the plugin boundary") && text.contains("rebuild"), "\(text)")
  }

  @Test func anotherCompiler() throws {
    let text = try #require(try refusal(of: Description(compiler: "99.0 (other)")))
    #expect(text.contains("was compiled by 99.0 (other)") && text.contains("one toolchain"), "\(text)")
  }

  @Test func anotherCore() throws {
    let text = try #require(try refusal(of: Description(core: coreFingerprint() ^ 1)))
    #expect(text.contains("built against another core; rebuild it"), "\(text)")
  }

  @Test func anotherBuildMode() throws {
    let text = try #require(try refusal(of: Description(isDebug: !coreIsDebugBuild)))
    #expect(text.contains(coreIsDebugBuild ? "is a release build" : "is a debug build"), "\(text)")
  }

  @Test func aSecondCoreInIt() throws {
    let second = Description(more: "unsigned fetch_pipeline_core(void) { return 1; }")
    let text = try #require(try refusal(of: second))
    #expect(text.contains("second core") && text.contains("FetchPipelinePluginAPI"), "\(text)")
  }

  @Test func aRuntimeOfItsOwn() throws {
    let text = try #require(try refusal(of: Description(), withRuntime: false))
    #expect(text.contains("-static-stdlib"), "\(text)")
  }

  @Test func aSymbolThatThisProgramDoesNotHave() throws {
    let missing = Description(more: "extern int nowhere(void); int ask(void) { return nowhere(); }")
    let text = try #require(try refusal(of: missing))
    #expect(text.contains("nowhere") && text.contains("rebuild it with this program"), "\(text)")
  }

  @Test func noPlugin() throws {
    #expect(StageRegistry.refusal(of: folder("nowhere.so")) == "\(folder("nowhere.so")): No such file or directory")
    try CompiledPlugin.make("int other(void) { return 1; }", at: folder("other.so"))
    let other = try #require(StageRegistry.refusal(of: folder("other.so")))
    #expect(other.contains("does not export fetch_pipeline_plugin_describe"), "\(other)")
    try CompiledPlugin.make(
      """
      #include "fetch_pipeline_plugin.h"
      void fetch_pipeline_plugin_describe(fp_plugin_info *info) { fp_describe_c(info); }
      """, at: folder("half.so"))
    let half = try #require(StageRegistry.refusal(of: folder("half.so")))
    #expect(half.contains("exports neither fetch_pipeline_plugin_register"), "\(half)")
    let source = folder("other.so.c")
    #expect(StageRegistry.refusal(of: source) == "\(source): is not a shared library (64-bit ELF)")
  }

  @Test func aFolderWithoutPlugins() throws {
    try CompiledPlugin.make("int other(void) { return 1; }", at: folder("other.so"))
    #expect(StageRegistry.refusal(of: folder.path) == "\(folder.path): there is no plugin in this folder")
  }

  @Test func aNameThatIsTaken() throws {
    try CompiledPlugin.make(CPluginSource.transform(name: "resize"), at: folder("plugin.so"))
    let text = try #require(StageRegistry.refusal(of: folder("plugin.so")))
    #expect(text.contains(#"brings a stage "resize" of "transform", and there is one already"#), "\(text)")
  }

  @Test func aTableThatLacksAFunction() throws {
    try CompiledPlugin.make(CPluginSource.transform(name: "nothing", apply: "0"), at: folder("plugin.so"))
    let text = try #require(StageRegistry.refusal(of: folder("plugin.so")))
    #expect(text.contains(#"the transform "nothing" lacks apply"#), "\(text)")
  }

  @Test func damagedLibrariesAreReadWithoutACrash() throws {
    try CompiledPlugin.make(CPluginSource.transform(name: "other"), at: folder("plugin.so"))
    let library = try bytes(of: folder("plugin.so"))
    let whole = try library.withUnsafeBytes { try SharedLibraryFile($0) }
    #expect(whole.exported.contains("fetch_pipeline_plugin_stages") && whole.needed == ["libc.so.6"])
    for length in stride(from: 0, to: library.count, by: 61) {
      _ = library.withUnsafeBytes { bytes in
        try? SharedLibraryFile(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
      }
    }
    var numbers = SystemRandomNumberGenerator()
    let sections = Int(library.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 40, as: UInt64.self) })
    for _ in 0..<5000 {
      // In the header and in the table of sections, which is what is read.
      var damaged = library
      for _ in 0..<4 {
        let place = Bool.random() ? Int.random(in: 16..<64) : Int.random(in: sections..<library.count, using: &numbers)
        damaged[place] = UInt8.random(in: 0...255, using: &numbers)
      }
      _ = damaged.withUnsafeBytes { try? SharedLibraryFile($0) }
    }
  }

  private func bytes(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }
}
