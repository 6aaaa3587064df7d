// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Watermark",
  products: [.library(name: "Watermark", type: .dynamic, targets: ["Watermark"])],
  // In a package elsewhere: .package(url: …, exact: …), the release that the program was built from.
  dependencies: [.package(name: "fetch-pipeline", path: "../..")],
  targets: [
    // This product alone: the program stands in for it, so that there is one core in the process.
    .target(name: "Watermark", dependencies: [.product(name: "FetchPipelinePluginAPI", package: "fetch-pipeline")])
  ],
  swiftLanguageModes: [.v6]
)
