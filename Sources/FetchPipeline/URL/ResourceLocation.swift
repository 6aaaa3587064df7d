#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a picture is.
public enum ResourceLocation: Sendable, Hashable {
  /// At a URL that is fetched.
  case url(ResourceURL)
  /// In a file, by its path from the working folder or from the root.
  case file(String)
  /// In the row itself.
  case data(DataURL)

  /// The host that is asked; nil where none is.
  public var host: String? {
    if case .url(let url) = self { url.host } else { nil }
  }

  /// The name of the file that is asked for, as far as there is one.
  public var fileName: String {
    switch self {
    case .url(let url): url.lastPathComponent
    case .file(let path):
      String(path.utf8.split(separator: UInt8(ascii: "/")).last.map { Substring($0) } ?? "")
    case .data: "data"
    }
  }
}

extension ResourceKey {
  /// The key of a picture that is not fetched: what it says is its own name.
  public init(local location: ResourceLocation) {
    var print = Fingerprint("local")
    switch location {
    case .url(let url): print.add("url", url.description)
    case .file(let path): print.add("file", Self.fullPath(of: path))
    case .data(let data): print.add("data", data.bytes)
    }
    self.init(digest: print.digest())
  }

  /// The path from the root, so that a file is the same from whichever folder it is named: that of its folder without links
  /// and dots, and its name.
  private static func fullPath(of path: String) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
    let folder = slash.map { String(path[...$0]) } ?? "."
    guard let full = realpath(folder, nil) else { return path }
    defer { free(full) }
    let text = String(cString: full)
    return text == "/" ? "/\(name)" : "\(text)/\(name)"
  }
}

extension ResourceLocation: CustomStringConvertible {
  /// The URL without its password, or the path; of what is in the row itself only what it is.
  public var description: String {
    switch self {
    case .url(let url): ResourceURL.redacted(url.description)
    case .file(let path): path
    case .data(let data): "data: (\(data.bytes.count) bytes)"
    }
  }
}
