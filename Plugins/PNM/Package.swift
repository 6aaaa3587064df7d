// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "PNM",
  products: [.library(name: "PNM", type: .dynamic, targets: ["PNM"])],
  dependencies: [.package(name: "fetch-pipeline", path: "../..")],
  targets: [
    // A header is all that a plugin in C needs.
    .target(name: "PNM", dependencies: [.product(name: "CFetchPipelinePlugin", package: "fetch-pipeline")])
  ]
)
