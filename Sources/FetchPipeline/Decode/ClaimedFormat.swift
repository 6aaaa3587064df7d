/// What a Content-Type or a file name claims that a picture is.
enum ClaimedFormat: Equatable {
  /// A picture format, by its lower-case name, whether it is decoded here or not.
  case picture(String)
  /// Anything else, such as a page.
  case other

  /// Whether bytes of `format` are something else than is claimed.
  func contradicts(_ format: ImageFormat) -> Bool { self != .picture(format.rawValue) }

  /// The claim of a Content-Type; nil for those that servers send when they do not know.
  init?(contentType: String) {
    let type = contentType.prefix { $0 != ";" && $0 != "," }.lowercased()
    let parts = type.split(separator: "/", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
    guard parts.count == 2, !Self.unknownTypes.contains(parts.joined(separator: "/")) else { return nil }
    guard parts[0] == "image" else {
      if parts[0] == "binary" || parts[0] == "multipart" { return nil }
      self = .other
      return
    }
    let name = parts[1]
    self = .picture(Self.namesOfSubtypes[name] ?? (name.hasPrefix("x-") ? String(name.dropFirst(2)) : name))
  }

  /// The claim of a file name; nil where its extension is none of a picture, as with `.php`.
  init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: "."),
      let name = Self.namesOfExtensions[fileName[fileName.index(after: dot)...].lowercased()]
    else { return nil }
    self = .picture(name)
  }

  private static let unknownTypes: Set<String> = [
    "application/octet-stream", "application/x-octet-stream", "application/download", "application/x-download",
    "application/force-download", "application/x-unknown-content-type", "application/unknown", "unknown/unknown",
    "image/*", "*/*",
  ]

  private static let namesOfSubtypes = [
    "jpg": "jpeg", "pjpeg": "jpeg", "x-citrix-jpeg": "jpeg", "apng": "png", "vnd.mozilla.apng": "png",
    "x-citrix-png": "png", "svg+xml": "svg", "tiff-fx": "tiff", "vnd.microsoft.icon": "ico", "x-icon": "ico",
    "x-ms-bmp": "bmp", "heif": "heic", "heic-sequence": "heic", "heif-sequence": "heic", "avif-sequence": "avif",
    "vnd.adobe.photoshop": "psd",
  ]

  private static let namesOfExtensions = [
    "jpg": "jpeg", "jpeg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "pjpeg": "jpeg", "pjp": "jpeg", "png": "png",
    "apng": "png", "webp": "webp", "gif": "gif", "avif": "avif", "tif": "tiff", "tiff": "tiff", "bmp": "bmp",
    "dib": "bmp", "heic": "heic", "heif": "heic", "jxl": "jxl", "jp2": "jp2", "svg": "svg", "svgz": "svg", "ico": "ico",
    "psd": "psd",
  ]
}
