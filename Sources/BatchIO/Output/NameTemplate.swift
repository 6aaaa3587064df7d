import FetchPipeline

/// How the files of a folder are named: text with tokens in braces, `{name}-{hash}{rendition}.{ext}`.
///
/// Its value for a picture is a relative path whose components are safe, not empty and at most 255 bytes long.
public struct NameTemplate: Sendable, Hashable {
  /// The template as it was written.
  public let text: String
  /// The parts of each component of the path.
  let components: [[Part]]

  enum Part: Sendable, Hashable {
    case literal(String)
    case id
    case name
    case host
    /// That many hexadecimal digits of the key.
    case hash(Int)
    case row
    case rendition
    case width
    case height
    case ext

    /// What may be cut where a component is too long, and in which order.
    var cutOrder: Int? {
      switch self {
      case .name: 0
      case .id: 1
      case .host: 2
      case .rendition: 3
      default: nil
      }
    }
  }

  /// The name of a picture, but for its key and where it comes from.
  struct Picture {
    var rendition: String
    var size: PixelSize
    var format: ImageFormat
  }

  /// The default: every picture has a name of its own that people can read.
  public static let standard = NameTemplate(
    text: "{name}-{hash}{rendition}.{ext}",
    components: [[.name, .literal("-"), .hash(16), .rendition, .literal("."), .ext]])

  init(text: String, components: [[Part]]) {
    self.text = text
    self.components = components
  }

  /// Whether renditions of one picture get names of their own.
  public var namesRendition: Bool { components.joined().contains(.rendition) }

  /// Whether pictures get names of their own whatever their URLs are called.
  public var namesHash: Bool {
    components.joined().contains { part in
      if case .hash = part { return true }
      return false
    }
  }

  /// The format that every name says its file has, whatever it is; nil where none is said.
  var fixedFormat: ImageFormat? {
    guard case .literal(let text)? = components.last?.last, let dot = text.lastIndex(of: ".") else { return nil }
    switch text[text.index(after: dot)...].lowercased() {
    case "jpg", "jpeg", "jpe", "jfif": return .jpeg
    case "png": return .png
    case "webp": return .webp
    default: return nil
    }
  }

  /// Whether a path says so much of the key that no other file has it by chance: a file of that name that no ledger
  /// knows is one of this key from an earlier ledger.
  var namesKey: Bool {
    components.joined().contains { part in
      if case .hash(let digits) = part { return digits >= 8 }
      return false
    }
  }

  /// The path of a picture of an item.
  ///
  /// - Parameter isRenamed: whether the path without this is taken; then the key's hash stands before the extension.
  func path(of picture: Picture, for item: OutputItem, isRenamed: Bool = false) -> String {
    let suffix = isRenamed ? "-" + item.key.digest.hex(16) : ""
    var names: [String] = []
    for (index, parts) in components.enumerated() {
      let isLast = index == components.count - 1
      let limit = SafeFileName.maximumLength - (isLast ? suffix.utf8.count : 0)
      let name = Self.component(parts.map { ($0, value(of: $0, of: picture, for: item)) }, limit: limit)
      // A component of tokens alone, such as `{rendition}`, may have nothing to say.
      if !name.isEmpty || isLast { names.append(name.isEmpty ? Self.unnamed : name) }
    }
    if names.count > 1, StateFileNames.isReserved(names[0]) {
      names[0] = SafeFileName.prefix("_" + names[0], length: SafeFileName.maximumLength)
    }
    return SafeFileName.inserting(suffix, into: names.joined(separator: "/"))
  }

  private static let unnamed = "image"

  private static func component(_ values: [(part: Part, text: String)], limit: Int) -> String {
    var values = values
    var excess = values.reduce(-limit) { $0 + $1.text.utf8.count }
    for order in 0...3 where excess > 0 {
      for index in values.indices where excess > 0 && values[index].part.cutOrder == order {
        let length = values[index].text.utf8.count
        values[index].text = SafeFileName.prefix(values[index].text, length: length - excess)
        excess -= length - values[index].text.utf8.count
      }
    }
    let name = SafeFileName.prefix(values.map(\.text).joined(), length: limit)
    return name == "." || name == ".." ? "_" : name
  }

  private func value(of part: Part, of picture: Picture, for item: OutputItem) -> String {
    switch part {
    case .literal(let text): return text
    case .id: return SafeFileName.part(item.id)
    case .name:
      let name = SafeFileName.part(Self.withoutExtension(item.location.fileName))
      return name.isEmpty ? Self.unnamed : name
    case .host: return SafeFileName.part(item.location.host ?? "local")
    case .hash(let digits): return item.key.digest.hex(digits)
    case .row: return String(item.row)
    case .rendition: return picture.rendition.isEmpty ? "" : "-" + SafeFileName.part(picture.rendition)
    case .width: return String(picture.size.width)
    case .height: return String(picture.size.height)
    case .ext: return SafeFileName.part(picture.format.fileExtension)
    }
  }

  private static func withoutExtension(_ name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}
