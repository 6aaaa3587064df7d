import FetchPipeline
import Testing

/// How URLs are read: by the rules of the WHATWG URL standard, as far as http and https go.
struct ResourceURLTests {
  @Test(arguments: [
    ("http://example.org", "http://example.org/"),
    ("  HTTP://EXAMPLE.org/A  \r\n", "http://example.org/A"),
    ("https://example.org:443/a", "https://example.org/a"),
    ("http://example.org:80/a", "http://example.org/a"),
    ("http://example.org:0080/a", "http://example.org/a"),
    ("http://example.org:/a", "http://example.org/a"),
    ("http://example.org:443/a", "http://example.org:443/a"),
    ("https://example.org:65535/a", "https://example.org:65535/a"),
    ("http://example.org?q", "http://example.org/?q"),
    ("http://example.org#f", "http://example.org/"),
    ("http://example.org/a?", "http://example.org/a?"),
    ("http://example.org/a?b?c#d#e", "http://example.org/a?b?c"),
    ("http://example.org/a#b?c", "http://example.org/a"),
    ("http://example.org./a", "http://example.org./a"),
    ("http://a_b.example/", "http://a_b.example/"),
    ("http://ex%61mple.org/", "http://example.org/"),
    // A backslash is a slash, as browsers have it.
    ("http:\\\\example.org\\a\\b", "http://example.org/a/b"),
    ("http://example.org\\@evil.example/", "http://example.org/@evil.example/"),
    ("http://example.org/a?b\\c", "http://example.org/a?b\\c"),
  ])
  func urlsAreBroughtIntoOneForm(written: String, expected: String) throws {
    #expect(try ResourceURL(written).description == expected)
  }

  @Test(arguments: [
    ("/./a", "/a"), ("/a/.", "/a/"), ("/a/./b", "/a/b"), ("/a/..", "/"), ("/a/../b", "/b"), ("/a/b/..", "/a/"),
    ("/..", "/"), ("/../../a", "/a"), ("/a/%2e%2E/b", "/b"), ("/a/.%2e/b", "/b"), ("/a/%2e/b", "/a/b"),
    ("/a/...", "/a/..."), ("/a/..b", "/a/..b"), ("/a/b..", "/a/b.."), ("//", "//"), ("/a//b", "/a//b"),
    ("/a/..//b", "//b"), ("/a%2F..%2Fb", "/a%2F..%2Fb"),
  ])
  func dotSegmentsGo(written: String, expected: String) throws {
    #expect(try ResourceURL("http://h" + written).path == expected)
  }

  @Test(arguments: [
    ("/a b", "/a%20b"), ("/a%20b", "/a%20b"), ("/100%25", "/100%25"), ("/100%", "/100%"), ("/%zz", "/%zz"),
    ("/图", "/%E5%9B%BE"), ("/%E5%9b%BE", "/%E5%9b%BE"), ("/\"<>`{}^", "/%22%3C%3E%60%7B%7D%5E"),
    ("/!$&'()*+,-.:;=@[]_|~", "/!$&'()*+,-.:;=@[]_|~"), ("/\u{301}", "/%CC%81"), ("/😀", "/%F0%9F%98%80"),
  ])
  func pathsAreEncodedOnce(written: String, expected: String) throws {
    #expect(try ResourceURL("http://h" + written).path == expected)
  }

  @Test(arguments: [
    ("a b", "a%20b"), ("a%20b+c", "a%20b+c"), ("q=ü", "q=%C3%BC"), ("\"<>'", "%22%3C%3E%27"),
    ("`{}^|?/[]", "`{}^|?/[]"), ("u=../..", "u=../.."),
  ])
  func queriesAreEncodedOnce(written: String, expected: String) throws {
    #expect(try ResourceURL("http://h/?" + written).query == expected)
  }

  @Test func partsAreToldApart() throws {
    let url = try ResourceURL("https://us%65r:p%40ss:w@Example.ORG:8443/a/b%20c.jpg?x=1#f")
    #expect(url.scheme == .https)
    #expect(url.user == "user")
    #expect(url.password == "p@ss:w")
    #expect(url.host == "example.org")
    #expect(url.explicitPort == 8443)
    #expect(url.port == 8443)
    #expect(url.path == "/a/b%20c.jpg")
    #expect(url.query == "x=1")
    #expect(url.authority == "example.org:8443")
    #expect(url.origin == "https://example.org:8443")
    #expect(url.target == "/a/b%20c.jpg?x=1")
    #expect(url.lastPathComponent == "b c.jpg")
    #expect(url.description == "https://example.org:8443/a/b%20c.jpg?x=1")
  }

  @Test(arguments: [
    ("http://user@h/", "user", nil), ("http://user:@h/", "user", ""), ("http://:pw@h/", "", "pw"),
    ("http://a@b@h/", "a@b", nil), ("http://h/@", nil, nil), ("http://h?u@v", nil, nil),
  ])
  func credentialsStandBeforeTheLastAt(written: String, user: String?, password: String?) throws {
    let url = try ResourceURL(written)
    #expect(url.user == user)
    #expect(url.password == password)
    #expect(url.host == "h")
  }

  @Test(arguments: [
    "", "a", "/a", "//h/a", "http:", "http:/h", "http:h", "http://", "http:///a", "http://?q", "http://#f",
    "http://:80/",
    "http://@/", "http://h:65536/", "http://h:99999999999999999999/", "http://h:-1/", "http://h:a/", "http://h:1:2/",
    "http://a b/", "http://a<b/", "http://a^b/", "http://a|b/", "http://a%00b/", "http://a%2fb/", "http://a%b/",
    "http://[::1/", "http://::1/", "http://[::1]x/", "http://[]/", "http://[1.2.3.4]/", "http://[fe80::1%25eth0]/",
    "http://h/\u{0}", "http://h/a\nb", "http://h/\u{7f}", "1http://h/",
    // Longer than a name can be.
    "http://" + String(repeating: "a.", count: 127) + "org/",
  ])
  func whatDoesNotParseIsInvalid(written: String) {
    #expect(error(of: written)?.code == .invalidInput, "\(written)")
  }

  @Test(arguments: ["ftp://h/", "file:///etc/passwd", "data:,x", "mailto:a@b", "javascript:1", "c:\\a.jpg", "h:80"])
  func otherSchemesAreNotFetched(written: String) {
    #expect(error(of: written)?.code == .unsupportedScheme, "\(written)")
  }

  @Test func errorsDoNotTellPasswords() {
    #expect(error(of: "http://user:secret@h:x/")?.message.contains("secret") == false)
  }

  @Test(arguments: [
    ("https://user:secret@h/a?b", "https://user:***@h/a?b"), ("https://u:s@cr@t@h/", "https://u:***@h/"),
    ("HTTP://u:s@h", "HTTP://u:***@h"), ("https://user@h/", "https://user@h/"), ("https://h/a:b@c", "https://h/a:b@c"),
    ("no url: a@b", "no url: a@b"), ("https://u:s@h:x/", "https://u:***@h:x/"),
  ])
  func passwordsAreRedacted(written: String, expected: String) {
    #expect(ResourceURL.redacted(written) == expected)
  }

  @Test func aQueryCanBeReplaced() throws {
    let url = try ResourceURL("http://u:p@h:81/a?b=1")
    #expect(url.replacing(query: "c=ü d").description == "http://h:81/a?c=%C3%BC%20d")
    #expect(url.replacing(query: nil).description == "http://h:81/a")
    #expect(url.replacing(query: nil).user == "u")
  }

  @Test(arguments: [("/a/b.jpg", "b.jpg"), ("/a/", ""), ("/", ""), ("/%E5%9B%BE.jpg", "图.jpg"), ("/a%2Fb", "a/b")])
  func theLastComponentIsDecoded(path: String, expected: String) throws {
    #expect(try ResourceURL("http://h" + path).lastPathComponent == expected)
  }

  private func error(of written: String) -> PipelineError? {
    do {
      _ = try ResourceURL(written)
      return nil
    } catch {
      return error as? PipelineError
    }
  }
}
