import FetchPipeline
import Foundation
import StandardStages
import Testing

/// Configurations that between them use every slot, every stage and every option; each runs, is shown by `check`, and is
/// accepted by the schema.
@Suite struct EveryOptionTests {
  /// What ORIGIN stands for is the port of the server.
  private static let configurations: [(name: String, text: String)] = [
    (
      "catalogue",
      """
      {
        version: 1,
        input: {use: "list", path: "products.csv", format: "csv", urlField: "picture", idField: "sku", header: true,
                schemes: ["http", "https", "data", "path", "file"]},
        request: [
          {use: "http", method: "GET", headers: {Accept: "image/*", "X-Token": "${CATALOGUE_TOKEN}"}, query: {v: "1"},
           timeout: "20s", userAgent: "catalogue/1.0", cache: "default"},
        ],
        cache: [{use: "memory", capacity: "8MiB"},
                {use: "disk", path: "cache", capacity: "200MB", key: {dropQuery: ["signature"]}}],
        middleware: ["log"],
        transport: {use: "curl", connections: 16, connectionsPerHost: 3, requestsPerSecondPerHost: 200, maxBytes: "10MB",
          redirects: 3, retry: {attempts: 2, backoff: "100ms", maxBackoff: "1s"}, negativeLifetime: "10m",
          connectTimeout: "5s", stallTimeout: "5s", privateAddresses: "deny", allowHosts: ["127.0.0.0/8", "::1"],
          resolve: ["pictures.example:ORIGIN:127.0.0.1"], proxy: "", caFile: "authority.pem",
          clientCertificate: {file: "client.pem", key: "client.key", password: "${CATALOGUE_TOKEN}"},
          netrc: true, cookies: true, ipVersion: 4},
        decode: [{use: "webp", margin: 2, onDamage: "salvage"}, {use: "png", margin: 1.5, onDamage: "reject"},
                 {use: "jpeg", margin: 1.25, onDamage: "salvage"}],
        renditions: [
          {name: "small", transform: [{use: "resize", width: 96, height: 96, fit: "inside", enlarge: true,
            kernel: "mitchell"}], encode: {use: "jpeg", quality: 70, progressive: true, subsampling: "4:4:4",
            background: "#eee"}},
          {name: "square", transform: [
            {use: "resize", width: 64, height: 64, fit: "cover", position: "entropy"},
            {use: "sharpen", sigma: 0.8, amount: 0.5, threshold: 2}], encode: {use: "webp", quality: 60, lossless: false,
            effort: 2}},
          {name: "icon", transform: [{use: "resize", width: 32, height: 32, fit: "contain", background: "#12345678"}],
           encode: {use: "png", compression: 9}},
        ],
        output: {use: "directory", path: "out", name: "{host}/{id}-{hash:8}{rendition}.{ext}", durability: "each"},
        state: "state",
        limits: {memory: "256MiB", readAhead: "16MiB", pixels: 40000000, side: 20000, frames: 1, containerFrames: 100,
          scans: 100, decodeTime: "10s", itemTime: "1m", minWidth: 2, minHeight: 2, formats: ["jpeg", "png", "webp"],
          workers: 2, failureRate: 0.9},
        report: {path: "reports/catalogue.jsonl", headers: true},
      }
      """
    ),
    (
      "transforms",
      """
      {
        input: "urls.txt",
        cache: {use: "disk", path: "cache", key: {keepQuery: ["v"]}},
        transport: {allowHosts: ["127.0.0.1"], privateAddresses: "allow", clientCertificate: "client.pem", ipVersion: "any"},
        transform: [
          {use: "crop", left: 2, top: "5%", width: "90%", height: 200}, {use: "crop", aspect: "4:3", position: "left top"},
          {use: "rotate", angle: 90}, {use: "flip", axis: "horizontal"}, {use: "resize", width: 80},
          {use: "blur", sigma: 0.7}, "grayscale", {use: "background", color: "white"},
        ],
        encode: {use: "auto", quality: 75, progressive: false, subsampling: "4:2:0", background: "black", compression: 1},
        output: {use: "directory", path: "grey", name: "{row}-{width}x{height}-{hash}.{ext}"},
      }
      """
    ),
    (
      "posting",
      """
      {
        input: {use: "list", path: "remote.txt"},
        request: {use: "http", method: "POST", body: {size: "large"}, cache: "no-store"},
        cache: [], transport: {use: "curl", proxy: "http://127.0.0.1:ORIGIN", connections: 2},
        output: "posted",
      }
      """
    ),
  ]

  private static let environment = ["CATALOGUE_TOKEN": "s3cr3t-token"]

  @Test func everyConfigurationRunsAndIsShown() async throws {
    let folder = try WorkingFolder()
    try Python.makePictures(in: folder.path("origin"), "mixed 12")
    let nginx = try await NginxOrigin(folder, locations: "error_page 405 =200 $uri;")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).sorted()
    try folder.write(names.map(nginx.url).joined(separator: "\n"), to: "urls.txt")
    // Through a proxy: what looks the name up is the proxy.
    try folder.write(names.map { "http://pictures.example/\($0)" }.joined(separator: "\n"), to: "remote.txt")
    let rows = names.enumerated().map {
      "a-\($0 + 1),\"http://pictures.example:\(nginx.port)/\($1)?signature=\($0)\",red"
    }
    try folder.write("sku,picture,colour\n" + rows.joined(separator: "\n") + "\n", to: "products.csv")
    for name in ["authority.pem", "client.pem", "client.key"] { try folder.write(Self.certificate, to: name) }
    let schema = try await BuiltProgram.run(["schema"], in: folder)
    #expect(schema.status == 0)
    try folder.write(schema.output, to: "schema.json")

    for (name, template) in Self.configurations {
      let text = template.replacing("ORIGIN", with: "\(nginx.port)")
      try folder.write(text, to: "\(name).json")
      let checked = try await BuiltProgram.run(["check", "\(name).json"], in: folder, environment: Self.environment)
      #expect(checked.status == 0, "\(name): \(checked.errors)")
      #expect(!(checked.output + checked.errors).contains("s3cr3t"), "\(name): \(checked.output)")
      #expect(checked.output.contains("\(name).json is valid"))
      let outcome = try await BuiltProgram.run(["run", "\(name).json"], in: folder, environment: Self.environment)
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
      // In strict JSON, as other people's tools read it.
      let strict = try JSONReader.value(of: Array(text.utf8), dialect: .json5).compactText
      try folder.write(strict, to: "\(name)-strict.json")
      #expect(
        try Python.run("validate_configurations.py", [folder.path("schema.json"), folder.path("\(name)-strict.json")])
          == "yes\n")
    }
    let report = try Report(folder, "reports/catalogue.jsonl")
    #expect(report.statuses == ["ok": names.count])
    #expect(report["a-1"]?.object("fields")?.text("colour") == "red")
    if case .array(let headers)? = report["a-1"]?.object("http")?["headers"] {
      #expect(!headers.isEmpty)
    } else {
      Issue.record("no header fields in the report")
    }
    #expect(try folder.pictures(in: "out").count == 3 * names.count)
    #expect(try folder.pictures(in: "grey").count == names.count)
    #expect(try folder.pictures(in: "posted").count == names.count)
    #expect(folder.exists("state/summary.json") && !folder.exists("out/summary.json"))
  }

  /// A new option is used here, or this fails.
  @Test func nothingIsLeftOut() throws {
    var used: Set<String> = []
    for (_, text) in Self.configurations {
      guard case .object(let root) = try JSONReader.value(of: Array(text.utf8), dialect: .json5) else { continue }
      Self.collect(root, into: &used)
    }
    var known = Set(PipelineConfiguration.slotDescriptions.map(\.name))
    known.remove("plugins")
    for stage in StageRegistry.standard.descriptions {
      known.insert("\(stage.slot):\(stage.name)")
      for option in stage.options { known.insert("\(stage.slot):\(stage.name).\(option.name)") }
    }
    for option in Limits.optionDescriptions { known.insert("limits.\(option.name)") }
    for option in ReportOptions.optionDescriptions { known.insert("report.\(option.name)") }
    for option in RetryPolicy.optionDescriptions { known.insert("retry.\(option.name)") }
    for option in RenditionConfiguration.optionDescriptions { known.insert("renditions.\(option.name)") }
    #expect(known.subtracting(used).sorted() == [])
    for value in ["inside", "cover", "contain"] { #expect(Self.configurations.contains { $0.text.contains(value) }) }
  }

  private static let slots: Set = [
    "input", "request", "cache", "middleware", "transport", "decode", "transform", "encode", "output",
  ]

  private static func collect(_ object: JSONObject, into used: inout Set<String>, isRendition: Bool = false) {
    for member in object.members {
      used.insert(isRendition ? "renditions.\(member.name)" : member.name)
      if slots.contains(member.name) {
        for stage in elements(member.value) { collect(stage, slot: member.name, into: &used) }
      } else if member.name == "renditions" {
        for case .object(let rendition) in elements(member.value) {
          collect(rendition, into: &used, isRendition: true)
        }
      } else if case .object(let group) = member.value {
        for option in group.members { used.insert("\(member.name).\(option.name)") }
      }
    }
  }

  private static func collect(_ stage: JSONValue, slot: String, into used: inout Set<String>) {
    let bare = ["input": "list", "output": "directory", "transport": "curl"]
    switch stage {
    case .string(let text):
      used.insert("\(slot):\(slot == "input" || slot == "output" ? bare[slot] ?? "" : text)")
    case .object(let object):
      var name = bare[slot] ?? ""
      if case .string(let text)? = object["use"] { name = text }
      used.insert("\(slot):\(name)")
      for option in object.members where option.name != "use" {
        used.insert("\(slot):\(name).\(option.name)")
        if option.name == "retry", case .object(let retry) = option.value {
          for option in retry.members { used.insert("retry.\(option.name)") }
        }
      }
    default: break
    }
  }

  private static func elements(_ value: JSONValue) -> [JSONValue] {
    if case .array(let elements) = value { elements } else { [value] }
  }

  /// Something in PEM; these servers do not speak TLS.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBszCCAVmgAwIBAgIUTTs=
    -----END CERTIFICATE-----
    """
}
