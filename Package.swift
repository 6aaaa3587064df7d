// swift-tools-version: 6.2
import PackageDescription

// The architecture. Arrows point down only: stages know the core and never each other; C libraries live in leaves.
//
//   pipeline (command line)
//      └─ StandardStages ── registers and re-exports ──┐
//           ├─ CurlTransport ── CCurl, CZlib           │
//           ├─ ImageCodecs ── CImageCodecs ── CJPEG, CPNG
//           │      └── CImageKernels, CDeflate, CWebP   │
//           ├─ ImageTransforms ── CImageKernels        ├─ FetchPipeline (the core)
//           ├─ HTTPCache ── SQLiteStore ── CSQLite      │
//           └─ BatchIO ── SQLiteStore ── CSQLite; CZlib│
//   PipelineTesting (the public test kit) ─────────────┤
//   APIClient (typed answers; Foundation) ─────────────┘

// What loads plugins in Swift exports the core to them, and takes the name of the library that they ask for, so that there
// is one core in the process. gold, Debian's default, gives no program a name: lld, which comes with Swift, does.
let hostsPlugins: [LinkerSetting] = [
  .unsafeFlags(
    ["-use-ld=lld", "-Xlinker", "--export-dynamic", "-Xlinker", "-soname=libFetchPipelinePluginAPI.so"],
    .when(platforms: [.linux]))
]

let package = Package(
  name: "fetch-pipeline",
  products: [
    .library(
      name: "StandardStages",
      targets: [
        "StandardStages", "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms", "ColorManagement",
        "BatchIO", "HTTPCache",
      ]),
    .library(name: "FetchPipeline", targets: ["FetchPipeline"]),
    // What a plugin links: in Swift the core, as a library that the loading program stands in for; in C a header.
    .library(name: "FetchPipelinePluginAPI", type: .dynamic, targets: ["FetchPipeline"]),
    .library(name: "CFetchPipelinePlugin", targets: ["CFetchPipelinePlugin"]),
    // Beside StandardStages, not in it: the program starts faster without Foundation.
    .library(name: "APIClient", targets: ["APIClient"]),
    .library(name: "PipelineTesting", targets: ["PipelineTesting"]),
    .executable(name: "pipeline", targets: ["pipeline"]),
  ],
  targets: [
    // MARK: The core: values, stage protocols, configuration, engine. No C library; CI checks its imports.
    .target(name: "FetchPipeline", dependencies: ["CFetchPipelinePlugin"], plugins: ["CoreFingerprint"]),
    // The boundary to plugins: a header and no code.
    .target(name: "CFetchPipelinePlugin"),
    .plugin(name: "CoreFingerprint", capability: .buildTool(), path: "BuildPlugins/CoreFingerprint"),

    // MARK: System libraries: a module map and a header each, nothing else.
    .systemLibrary(
      name: "CCurl", path: "modulemaps/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "CJPEG", path: "modulemaps/CJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
    .systemLibrary(name: "CPNG", path: "modulemaps/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(
      name: "CDeflate", path: "modulemaps/CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    .systemLibrary(
      name: "CWebP", path: "modulemaps/CWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(
      name: "CLCMS2", path: "modulemaps/CLCMS2", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
    .systemLibrary(
      name: "CSQLite", path: "modulemaps/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", path: "modulemaps/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // The C library's own allocator settings.
    .systemLibrary(name: "CMalloc", path: "modulemaps/CMalloc"),

    // MARK: Leaves: each joins one kind of C library to Swift.
    // libjpeg and libpng report errors by longjmp, which must not cross Swift frames: it stays inside these C functions.
    .target(name: "CImageCodecs", dependencies: ["CJPEG", "CPNG"]),
    // The inner loops of resampling, in C for the processor's multiply-and-add of pairs, and of PNG's filters, for vectors
    // of four samples. No library behind it.
    .target(name: "CImageKernels"),
    // The one place that speaks SQLite. Knows nothing of pipelines.
    .target(name: "SQLiteStore", dependencies: ["CSQLite"]),

    // MARK: Stages: each knows the core and its own leaf.
    .target(name: "CurlTransport", dependencies: ["FetchPipeline", "CCurl", "CZlib"]),
    .target(
      name: "ImageCodecs", dependencies: ["FetchPipeline", "CImageCodecs", "CImageKernels", "CDeflate", "CWebP"]),
    .target(name: "ColorManagement", dependencies: ["FetchPipeline", "CLCMS2"]),
    .target(name: "ImageTransforms", dependencies: ["FetchPipeline", "CImageKernels"]),
    .target(name: "BatchIO", dependencies: ["FetchPipeline", "SQLiteStore", "CZlib"]),
    .target(name: "HTTPCache", dependencies: ["FetchPipeline", "SQLiteStore"]),

    // MARK: What embedders import, and the program.
    .target(
      name: "StandardStages",
      dependencies: [
        "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms", "ColorManagement", "BatchIO", "HTTPCache",
      ]),
    // Modules that come in by re-export are named as well: a build does not see changes in them otherwise.
    .executableTarget(
      name: "pipeline",
      dependencies: [
        "StandardStages", "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms", "ColorManagement",
        "BatchIO", "HTTPCache", "CMalloc",
      ],
      linkerSettings: hostsPlugins),

    // What asks JSON APIs over the core's `HTTPClient`, in and out by Codable: the one module that imports Foundation, of
    // which the core and the program know nothing.
    .target(name: "APIClient", dependencies: ["FetchPipeline"]),

    // MARK: The test kit, public so that others can test their stages with it, and the tests.
    .target(name: "PipelineTesting", dependencies: ["FetchPipeline"]),
    .testTarget(name: "FetchPipelineTests", dependencies: ["FetchPipeline", "PipelineTesting"]),
    // Loads the plugins of the folder Plugins, which Scripts/build-plugins builds beside it.
    .testTarget(
      name: "PluginTests",
      dependencies: [
        "StandardStages", "FetchPipeline", "CFetchPipelinePlugin", "CurlTransport", "ImageCodecs", "ImageTransforms",
        "ColorManagement", "BatchIO", "PipelineTesting",
      ],
      linkerSettings: hostsPlugins),
    .testTarget(name: "ColorManagementTests", dependencies: ["ColorManagement", "FetchPipeline", "CLCMS2"]),
    .testTarget(
      name: "StandardStagesTests",
      dependencies: [
        "StandardStages", "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms", "ColorManagement",
        "BatchIO", "HTTPCache", "APIClient", "PipelineTesting",
      ]),
    .testTarget(
      name: "APIClientTests",
      dependencies: [
        "APIClient", "StandardStages", "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms",
        "ColorManagement", "BatchIO", "HTTPCache", "PipelineTesting",
      ]),
    .testTarget(name: "CurlTransportTests", dependencies: ["CurlTransport", "FetchPipeline", "PipelineTesting"]),
    .testTarget(
      name: "ImageCodecsTests", dependencies: ["ImageCodecs", "FetchPipeline", "PipelineTesting", "CDeflate"]),
    .testTarget(name: "ImageTransformsTests", dependencies: ["ImageTransforms", "FetchPipeline", "PipelineTesting"]),
    .testTarget(
      name: "pipelineTests",
      dependencies: [
        "pipeline", "StandardStages", "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms",
        "ColorManagement", "BatchIO", "HTTPCache", "PipelineTesting",
      ]),
    // Runs the built program against a real nginx and a scripted origin.
    .testTarget(
      name: "Acceptance",
      dependencies: [
        "StandardStages", "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms", "ColorManagement",
        "BatchIO", "HTTPCache", "PipelineTesting", "pipeline",
      ], exclude: ["Scripts"]),
    .testTarget(
      name: "HTTPCacheTests", dependencies: ["HTTPCache", "FetchPipeline", "SQLiteStore", "PipelineTesting"]),
    .testTarget(
      name: "BatchIOTests", dependencies: ["BatchIO", "FetchPipeline", "SQLiteStore", "CZlib", "PipelineTesting"]),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzers (`make fuzz`) have the entry point of libFuzzer and none of their own: only its build can link them.
if Context.environment["PIPELINE_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "StandardStages", "FetchPipeline", "CurlTransport", "ImageCodecs", "ImageTransforms", "ColorManagement",
        "BatchIO",
      ],
      path: "Fuzz", swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}
