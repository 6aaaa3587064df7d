import StandardStages

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Command {
  static let thumb = Command(
    name: "thumb", summary: "makes one picture, without a list",
    discussion: """
      OUT's ending decides the format: jpg, png or webp; - is standard output. Without OUT the picture goes to the working
      folder, named after its source with "-thumb".

      Without a configuration it is 256×256 inside. Addresses of private networks are refused as everywhere; --allow-host
      or a configuration's transport.allowHosts permits them. The exit status is 1 where the picture cannot be made.
      """,
    arguments: [
      Argument(name: "URL|PATH", meaning: "the source: what has no scheme is a path"),
      Argument(name: "OUT", meaning: "the file to write, or - for standard output", isRequired: false),
    ],
    options: [
      CommandOption(name: "--width", value: "N", meaning: "the width in pixels"),
      CommandOption(name: "--height", value: "N", meaning: "the height in pixels"),
      CommandOption(
        name: "--fit", value: "F", choices: ResizeFit.allCases.map(\.rawValue),
        meaning: "how it fits in there; inside by default"),
      CommandOption(
        name: "--config", value: "CONFIG", meaning: "a configuration, for everything else; its input is not read"),
      CommandOption(
        name: "--allow-host", value: "HOST", isRepeatable: true,
        meaning: "a name, address or CIDR of a private network that may be asked"),
    ],
    examples: [
      Example(line: "pipeline thumb https://example.org/photo.jpg", meaning: "into photo-thumb.jpg"),
      Example(line: "pipeline thumb photo.jpg small.webp --width 320", meaning: "a file, as WebP"),
      Example(
        line: "pipeline thumb photo.jpg - --width 80 --height 80 --fit cover > square.jpg",
        meaning: "to standard output"),
    ]
  ) { arguments in
    try await Thumbnail(arguments).make()
  }
}

/// One picture, from its command line to its file.
private struct Thumbnail {
  private let source: String
  private let target: String?
  private let file: ConfigurationFile
  private let output: Int32?

  init(_ arguments: ParsedArguments) throws {
    source = arguments.words[0]
    target = arguments.words.dropFirst().first
    let format = try Self.format(of: target)
    if target == "-", isatty(StandardOutput.reserved) == 1 {
      throw CommandFailure.usage("a picture is not written to a terminal: name a file, or redirect standard output")
    }
    if target == source { throw CommandFailure.usage("\(source) is the source; it is not written over") }
    output = target == "-" ? StandardOutput.reserved : nil
    var resize: JSONObject = ["use": "resize"]
    for name in ["width", "height"] {
      if let size = try arguments.integer("--\(name)", in: 1...65_500) { resize.append(name, .integer(size)) }
    }
    if let fit = arguments["--fit"] {
      guard resize.members.count > 1 else { throw CommandFailure.usage("--fit needs --width, --height or both") }
      resize.append("fit", .string(fit))
    }
    let hosts = arguments.all("--allow-host")
    let chosen = resize
    file = try ConfigurationFile(path: arguments["--config"]) { written, _ in
      written.set("input", "-")
      Self.takeFirstRendition(of: &written)
      if chosen.members.count > 1 { written.set("transform", .object(chosen)) }
      if let format, !Self.encodes(written["encode"], format) { written.set("encode", .string(format)) }
      if !hosts.isEmpty { Self.allow(hosts, in: &written) }
    }
  }

  func make() async throws -> ExitStatus {
    let pipeline = try file.pipeline(observer: RunLog(StatusLine(.error), isVerbose: false))
    let made: Result<ProcessedImage, PipelineError>
    do {
      made = .success(try await pipeline.image(for: ImageRequest(try location())))
    } catch { made = .failure(PipelineError(error, at: .plugin)) }
    await pipeline.shutdown()
    switch made {
    case .failure(let error):
      let advice = error.code == .blockedAddress ? " (here: --allow-host)" : ""
      Terminal.error.write("pipeline: \(error.code.rawValue): \(DisplayText.escaped(error.message))\(advice)\n")
      return .someFailed
    case .success(let processed):
      guard let picture = processed.images.first else { return .someFailed }
      try write(picture)
      return .success
    }
  }

  private func location() throws -> ResourceLocation {
    switch ResourceURL.schemeName(of: source) {
    case "http", "https": return .url(try ResourceURL(source))
    case "data": return .data(try DataURL(source))
    case "file": return try ResourceLocation(fileURL: source)
    case nil: return .file(source)
    case let scheme?:
      throw PipelineError(.input, .unsupportedScheme, "\(scheme): URLs are not read: http, https, data, or a path")
    }
  }

  private func write(_ picture: EncodedImage) throws {
    let bytes = picture.bytes.array()
    guard target != "-" else {
      guard let output else {
        throw CommandFailure(status: .inputOutput, message: "there is no standard output")
      }
      do throws(FileError) {
        try picture.bytes.withUnsafeBytes { (bytes) throws(FileError) in
          try SystemFileCalls().writeAll(bytes, to: output, path: "standard output")
        }
      } catch { throw CommandFailure(status: .inputOutput, message: "\(error)") }
      return
    }
    let path = try target ?? defaultName(picture.format)
    let temporary = "\(path).\(getpid()).tmp"
    do throws(FileError) {
      let calls = SystemFileCalls()
      let file = try calls.open(temporary, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL)
      defer { close(file) }
      do throws(FileError) {
        try picture.bytes.withUnsafeBytes { (bytes) throws(FileError) in
          try calls.writeAll(bytes, to: file, path: path)
        }
        try calls.rename(temporary, in: AT_FDCWD, to: path, in: AT_FDCWD)
      } catch {
        unlink(temporary)
        throw error
      }
    } catch { throw CommandFailure(status: .inputOutput, message: "\(error.about(path))") }
    Terminal.error.write(
      "\(DisplayText.escaped(path)): \(picture.format.rawValue), \(picture.size), \(grouped(bytes.count)) bytes\n")
  }

  /// The source's name without its ending, made safe.
  private func defaultName(_ format: ImageFormat) throws -> String {
    let name = try location().fileName
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    let safe = String(
      stem.unicodeScalars.map { $0.value < 0x20 || $0 == "/" || $0.value == 0x7f ? "_" : Character($0) })
    let short = String(decoding: Array(safe.utf8.prefix(200)), as: UTF8.self)
    return
      "\(short.isEmpty ? "picture" : short.hasPrefix("-") || short.hasPrefix(".") ? "_" + short : short)-thumb.\(format.fileExtension)"
  }

  // MARK: The configuration

  /// The encoder that a file's ending asks for; nil where the configuration decides.
  private static func format(of target: String?) throws -> String? {
    guard let target, target != "-" else { return nil }
    let name = target.split(separator: "/").last.map(String.init) ?? target
    switch name.lastIndex(of: ".").map({ name[name.index(after: $0)...].lowercased() }) {
    case "jpg", "jpeg": return "jpeg"
    case "png": return "png"
    case "webp": return "webp"
    default: throw CommandFailure.usage("\(target): the ending says the format: .jpg, .png or .webp")
    }
  }

  private static func encodes(_ written: JSONValue?, _ format: String) -> Bool {
    switch written {
    case .string(let name): name == format
    case .object(let stage): stage["use"] == .string(format)
    default: false
    }
  }

  /// Of several pictures the first one is made.
  private static func takeFirstRendition(of written: inout JSONObject) {
    guard let renditions = written["renditions"] else { return }
    let first = if case .array(let elements) = renditions { elements.first } else { Optional(renditions) }
    guard case .object(let rendition)? = first, written["transform"] == nil, written["encode"] == nil else { return }
    written.members.removeAll { $0.name == "renditions" }
    for slot in ["transform", "encode"] { if let stage = rendition[slot] { written.set(slot, stage) } }
  }

  private static func allow(_ hosts: [String], in written: inout JSONObject) {
    var transport: JSONObject = ["use": "curl"]
    if case .object(let object)? = written["transport"] { transport = object }
    var allowed: [JSONValue] = hosts.map { .string($0) }
    switch transport["allowHosts"] {
    case .array(let known)?: allowed = known + allowed
    case let known?: allowed = [known] + allowed
    case nil: break
    }
    transport.set("allowHosts", .array(allowed))
    written.set("transport", .object(transport))
  }
}
