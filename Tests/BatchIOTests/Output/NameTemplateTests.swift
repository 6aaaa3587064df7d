import FetchPipeline
import Testing

@testable import BatchIO

@Suite struct NameTemplateTests {
  static func path(
    _ template: String, url: String = "https://img.example.org/a/photo.big.jpeg?x=1", id: String = "42", row: Int = 7,
    rendition: String = "", format: ImageFormat = .jpeg, renamed: Bool = false
  ) throws -> String {
    let item = OutputItem(id: id, row: row, location: .url(try ResourceURL(url)), key: key(0xab))
    return try NameTemplate(template).path(
      of: NameTemplate.Picture(rendition: rendition, size: PixelSize(width: 192, height: 256), format: format),
      for: item, isRenamed: renamed)
  }

  @Test(arguments: [
    ("{name}-{hash}{rendition}.{ext}", "photo.big-abababababababab.jpg"),
    ("{id}.{ext}", "42.jpg"),
    ("{row}/{width}x{height}.{ext}", "7/192x256.jpg"),
    ("{host}/{name}.{ext}", "img.example.org/photo.big.jpg"),
    ("{hash:1}/{hash:3}", "a/aba"),
    ("{hash:64}", String(repeating: "ab", count: 32)),
    ("{hash}", "abababababababab"),
    ("x", "x"),
    ("{rendition}/{name}.{ext}", "photo.big.jpg"),
    ("{rendition}", "image"),
    ("a-.{rendition}.{ext}", "a-..jpg"),
    (".{rendition}", "_"),
  ])
  func eachTokenHasItsValue(template: String, expected: String) throws {
    #expect(try Self.path(template) == expected)
  }

  @Test func aNamedRenditionIsSaid() throws {
    #expect(try Self.path("{name}{rendition}.{ext}", rendition: "small") == "photo.big-small.jpg")
    #expect(try Self.path("{rendition}/{name}", rendition: "s/../x") == "-s_.._x/photo.big")
    #expect(try Self.path("{name}.{ext}", format: .png) == "photo.big.png")
    #expect(try Self.path("{name}.{ext}", format: ImageFormat(rawValue: "../x")) == "photo.big.___x")
  }

  @Test(arguments: [
    ("https://h.org/", "image"),
    ("https://h.org", "image"),
    ("https://h.org/a/", "image"),
    ("https://h.org/.jpg", "_jpg"),
    ("https://h.org/..%2f..%2fetc%2fpasswd", "___."),
    ("https://h.org/..%2f..%2fetc%2fpasswd.jpg", "___.._etc_passwd"),
    ("https://h.org/a%00b%0ac%7f.jpg", "a_b_c_"),
    ("https://h.org/%3Ca%3E%3A%22%7C%3F%2A%5C.jpg", "_a_______"),
    ("https://h.org/%E5%9B%BE%20x.jpg", "图 x"),
    ("https://h.org/%FF%FE.jpg", "\u{fffd}\u{fffd}"),
    ("https://h.org/a%E2%80%AEgpj.exe", "a_gpj"),
    ("https://h.org/a%C2%85b", "a_b"),
    ("https://h.org/-rf.jpg", "-rf"),
  ])
  func namesAreMadeSafe(url: String, expected: String) throws {
    #expect(try Self.path("{name}", url: url) == expected)
  }

  @Test func idsAndHostsAreMadeSafe() throws {
    #expect(try Self.path("{id}/{host}", url: "http://[::1]/", id: "../../a\u{0}") == "___.._a_/[__1]")
    #expect(try Self.path("{id}", id: "") == "image")
    #expect(try Self.path("{id}", id: ".") == "_")
    #expect(try Self.path("{id}", id: "...") == "___")
  }

  @Test func aLongNameIsCutAndHashAndExtensionStay() throws {
    let long = String(repeating: "n", count: 300)
    let path = try Self.path("{name}-{hash}{rendition}.{ext}", url: "http://h.org/\(long).jpg", rendition: "small")
    // 255 bytes less "-", 16 digits, "-small" and ".jpg".
    #expect(path == String(repeating: "n", count: 228) + "-abababababababab-small.jpg")
    #expect(path.utf8.count == 255)
    let renamed = try Self.path("{name}.{ext}", url: "http://h.org/\(long).jpg", renamed: true)
    #expect(renamed == String(repeating: "n", count: 234) + "-abababababababab.jpg")
    #expect(renamed.utf8.count == 255)
  }

  @Test func aNameIsCutBetweenCharacters() throws {
    // 100 characters of 3 bytes, and 255 - 4 - 1 is not a multiple of 3.
    let long = String(repeating: "%E5%9B%BE", count: 100)
    let path = try Self.path("x{name}.{ext}", url: "http://h.org/\(long).jpg")
    #expect(path == "x" + String(repeating: "图", count: 83) + ".jpg")
  }

  @Test func whatElseIsLongIsCutAfterTheName() throws {
    let path = try Self.path(
      "{id}{name}-{hash}", url: "http://h.org/\(String(repeating: "n", count: 90))",
      id: String(repeating: "i", count: 400))
    #expect(path == String(repeating: "i", count: 238) + "-abababababababab")
    let twice = try Self.path("{name}{name}", url: "http://h.org/\(String(repeating: "n", count: 300))")
    #expect(twice == String(repeating: "n", count: 255))
  }

  @Test func aFourThousandCharacterQueryGivesAShortStableUniqueName() throws {
    func name(_ signature: String) throws -> String {
      let url = try ResourceURL("https://cdn.example.org/p/photo.jpg?sig=\(signature)")
      let item = OutputItem(id: "1", row: 1, location: .url(url), key: ResourceKey(HTTPRequest(.get, url)))
      return NameTemplate.standard.path(
        of: NameTemplate.Picture(rendition: "", size: PixelSize(width: 1, height: 1), format: .jpeg), for: item)
    }
    let long = String(repeating: "0123456789", count: 400)
    let first = try name(long + "a")
    #expect(first.utf8.count == "photo-".utf8.count + 16 + ".jpg".utf8.count)
    #expect(first.hasPrefix("photo-") && first.hasSuffix(".jpg"))
    #expect(try name(long + "a") == first)
    #expect(try name(long + "b") != first)
  }

  @Test func aTakenNameGetsTheHashBeforeItsExtension() throws {
    #expect(try Self.path("{id}.{ext}", renamed: true) == "42-abababababababab.jpg")
    #expect(try Self.path("a.b/{id}", renamed: true) == "a.b/42-abababababababab")
    #expect(try Self.path("{id}/.{ext}", renamed: true) == "42/.jpg-abababababababab")
  }

  @Test(arguments: [
    ("", "a name is expected"),
    ("{nmae}.jpg", "\"{nmae}\" is not a token of names; did you mean \"name\"?"),
    (
      "{zzzzzzz}",
      "\"{zzzzzzz}\" is not a token of names; known: id, name, host, hash, row, rendition, width, height, ext"
    ),
    ("{hash:0}", "\"{hash:0}\": a number of digits from 1 to 64 is expected after \"hash:\""),
    ("{hash:65}", "\"{hash:65}\": a number of digits from 1 to 64 is expected after \"hash:\""),
    ("{hash:}", "\"{hash:}\": a number of digits from 1 to 64 is expected after \"hash:\""),
    ("{id:3}", "\"{id:3}\": \"id\" takes no number"),
    ("a{id", "\"a{id\": \"{\" without \"}\""),
    ("a}", "\"a}\": \"}\" without \"{\""),
    ("/a", "\"/a\": a name is expected before and after each \"/\"; it is a path in the output folder"),
    ("a//b", "\"a//b\": a name is expected before and after each \"/\"; it is a path in the output folder"),
    ("a/", "\"a/\": a name is expected before and after each \"/\"; it is a path in the output folder"),
    ("../{id}", "\"..\" leaves the output folder's own names"),
    ("./{id}", "\".\" leaves the output folder's own names"),
    (".pipeline.tmp/{id}", "\".pipeline.tmp\": names that start with \".pipeline\" are the run's own"),
    ("a\u{1}b", "a control character stands in the name"),
  ])
  func mistakesAreSaidWhenTheTemplateIsRead(template: String, expected: String) {
    let error = #expect(throws: NameTemplateError.self) { try NameTemplate(template) }
    #expect(error?.description == expected)
  }

  @Test func fixedTextThatLeavesNoRoomIsAMistake() {
    #expect(throws: NameTemplateError.self) { try NameTemplate(String(repeating: "x", count: 161)) }
    #expect(throws: NameTemplateError.self) { try NameTemplate("{hash:64}{hash:64}{hash:64}") }
    #expect(throws: Never.self) { try NameTemplate(String(repeating: "x", count: 160)) }
  }

  @Test func itKnowsWhatItTellsApart() throws {
    #expect(NameTemplate.standard == (try NameTemplate("{name}-{hash}{rendition}.{ext}")))
    #expect(try NameTemplate("{id}").namesRendition == false)
    #expect(try NameTemplate("a/{rendition}/{id}").namesRendition)
    #expect(try NameTemplate("{id}").namesHash == false)
    #expect(try NameTemplate("{hash:4}").namesHash)
  }
}
