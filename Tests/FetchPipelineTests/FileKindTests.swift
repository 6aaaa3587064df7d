import Testing

@testable import FetchPipeline

/// What is said of bytes that no decoder takes.
@Suite struct FileKindTests {
  @Test(arguments: [
    ("GIF89a..", "GIF"), ("II*\u{0}....", "TIFF"), ("MM\u{0}*....", "TIFF"),
    ("\u{0}\u{0}\u{0}\u{0c}JXL \r\n", "JPEG XL"),
    ("\u{0}\u{0}\u{0}\u{1c}ftypavif\u{0}\u{0}\u{0}\u{0}mif1miaf", "AVIF"),
    ("\u{0}\u{0}\u{0}\u{20}ftypmif1\u{0}\u{0}\u{0}\u{0}mif1avifmiafMA1B", "AVIF"),
    ("\u{0}\u{0}\u{0}\u{18}ftypheic\u{0}\u{0}\u{0}\u{0}mif1heic", "HEIC"), ("8BPS\u{0}\u{1}", "Photoshop"),
    ("<svg xmlns='http://www.w3.org/2000/svg'>", "SVG"),
    ("\u{feff}<?xml version='1.0'?>\n<!-- drawn -->\n<!DOCTYPE svg><svg>", "SVG"),
    ("BM\u{10}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}6\u{0}\u{0}\u{0}\u{28}\u{0}\u{0}\u{0}", "BMP"),
    ("\u{0}\u{0}\u{1}\u{0}\u{1}\u{0}  \u{0}\u{0}            ", "ICO"),
  ]) func picturesOfOtherFormats(text: String, name: String) {
    #expect(FileKind(Array(text.utf8)) == .picture(name))
    let error = FormatSniffer.error(for: SharedBytes(Array(text.utf8)), contentType: nil, length: 7)
    #expect(error.code == .unsupportedFormat)
    #expect(error.message.hasPrefix("\(name) is not a format"), "\(error.message)")
  }

  @Test(arguments: [
    ("", "an empty body"), (" \r\n\t", "nothing but space"), ("%PDF-1.4", "a PDF document"),
    ("PK\u{3}\u{4}", "a zip archive"), ("  <!DOCTYPE html><p>", "an HTML page"), ("<HTML>", "an HTML page"),
    ("<!-- hello --><html lang=en>", "an HTML page"), ("<?xml version='1.0'?><Error>", "an XML document"),
    ("<html><body><svg></svg>", "an HTML page"), ("{\"error\": 1}", "JSON"), ("[1]", "JSON"), ("Not Found", "text"),
    ("BMW is no bitmap, nor is this text", "text"), ("\u{0}\u{1}\u{2}", "no kind of file that is known here"),
    ("\u{0}\u{0}\u{0}\u{18}ftypisom\u{0}\u{0}\u{2}\u{0}isommp41", "a video or audio file"),
  ]) func whatIsNoPicture(text: String, kind: String) {
    #expect(FileKind(Array(text.utf8)) == .other(kind))
    #expect(FormatSniffer.error(for: SharedBytes(Array(text.utf8)), contentType: nil, length: 0).code == .notAnImage)
  }

  @Test func bytesThatAreNotText() {
    #expect(FileKind([0x1f, 0x8b, 8, 0]) == .other("gzip data"))
    #expect(FileKind([0xff, 0xfe] + "<html>".utf8.flatMap { [$0, 0] }) == .other("an HTML page"))
    #expect(FileKind([0xfe, 0xff] + "{}".utf8.flatMap { [0, $0] }) == .other("JSON"))
    #expect(FileKind([0xff, 0x0a, 1, 2]) == .picture("JPEG XL"))
    // A brand list that says to reach beyond the bytes.
    #expect(FileKind([0, 0, 0xff, 0xff] + Array("ftypqt  ".utf8)) == .other("a video or audio file"))
  }

  @Test func theMessageSaysHowItCameAndHowItBegins() {
    let page = SharedBytes(Array("<html>\n\t<b>no</b>".utf8))
    let error = FormatSniffer.error(for: page, contentType: "image/jpeg\u{1b}[2J", length: 17)
    #expect(
      error.message
        == #"an HTML page (17 bytes, Content-Type image/jpeg\x1b[2J, starting with "<html>\n\t<b>no</b>")"#)
    let unknown = FormatSniffer.error(for: SharedBytes([0, 1, 0xfe]), contentType: nil, length: nil)
    #expect(unknown.message == "no kind of file that is known here (length unknown, starting with 00 01 fe)")
  }

  // MARK: Claims

  @Test(arguments: [
    ("image/jpeg", "jpeg", false), ("IMAGE/JPG; q=1", "jpeg", false), ("image/pjpeg", "jpeg", false),
    ("image/png", "jpeg", true), ("image/x-png", "png", false), ("image/apng", "png", false),
    ("image/webp", "webp", false), ("image/webp", "png", true), ("text/html; charset=utf-8", "png", true),
    ("application/json", "webp", true), ("image/avif", "jpeg", true), ("image/svg+xml", "png", true),
    ("image/gif", "gif", false),
  ]) func contentTypes(type: String, format: String, lies: Bool) throws {
    let claim = try #require(ClaimedFormat(contentType: type))
    #expect(claim.contradicts(ImageFormat(rawValue: format)) == lies)
  }

  @Test(arguments: [
    "", "application/octet-stream", "binary/octet-stream", "image/*", "nonsense", "Application/X-Download",
  ])
  func typesThatClaimNothing(type: String) {
    #expect(ClaimedFormat(contentType: type) == nil)
  }

  @Test(arguments: [
    ("a.jpg", "jpeg", false), ("a.b.JPEG", "jpeg", false), ("a.jpg", "png", true), ("a.webp", "webp", false),
    ("a.tif", "tiff", false), ("a.svg", "png", true),
  ]) func fileNames(name: String, format: String, lies: Bool) throws {
    let claim = try #require(ClaimedFormat(fileName: name))
    #expect(claim.contradicts(ImageFormat(rawValue: format)) == lies)
  }

  @Test(arguments: ["", "a", "a.", "photo.php", "page.html", ".", "a.jpg.bak"])
  func namesThatClaimNothing(name: String) {
    #expect(ClaimedFormat(fileName: name) == nil)
  }
}
