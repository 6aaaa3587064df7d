import FetchPipeline
import Testing

/// What a reference means, relative to a URL.
struct URLResolutionTests {
  // RFC 3986, section 5.4; fragments are never sent, so they are left out of the results.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
    ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../", "http://a/"), ("../../g", "http://a/g"),
    // 5.4.2
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("http:g", "http://a/b/c/g"),
  ])
  func referencesOfTheRFC(reference: String, expected: String) throws {
    let base = try ResourceURL("http://a/b/c/d;p?q")
    #expect(try base.resolving(reference)?.description == expected)
  }

  @Test(arguments: [
    ("https://h:1/x", "https://h:1/x"), ("HTTP://H/x", "http://h/x"), ("//h:80/x", "http://h/x"),
    ("  /a b  ", "http://a/a%20b"), ("/图", "http://a/%E5%9B%BE"), ("/%E5%9B%BE", "http://a/%E5%9B%BE"),
    ("\\\\h\\x", "http://h/x"), ("/\\h/x", "http://h/x"), ("\\/h/x", "http://h/x"), ("\\x", "http://a/x"),
    ("..\\x", "http://a/b/x"), ("?", "http://a/b/c/d;p?"), ("?ü", "http://a/b/c/d;p?%C3%BC"),
    ("/\u{301}", "http://a/%CC%81"), ("https:x", nil), ("//", nil), ("http://", nil), ("//h:x/", nil), ("/a\u{0}", nil),
  ])
  func referencesOfRedirects(reference: String, expected: String?) throws {
    let base = try ResourceURL("http://a/b/c/d;p?q")
    #expect((try? base.resolving(reference))?.description == expected)
  }

  @Test(arguments: ["ftp://h/x", "mailto:a@b", "javascript:alert(1)", "file:///etc/passwd", "data:,x"])
  func schemesThatAreNotFetchedAreSaidSo(reference: String) throws {
    let base = try ResourceURL("http://a/")
    let error = #expect(throws: PipelineError.self) { try base.resolving(reference) }
    #expect(error?.code == .unsupportedScheme)
  }

  @Test func credentialsStayWithTheirAuthority() throws {
    let base = try ResourceURL("https://u:p@a:81/b/c?q")
    for reference in ["d", "/d", "?d", "", "https:d"] {
      let url = try #require(try base.resolving(reference))
      #expect(url.authority == "a:81")
      #expect(url.user == "u", "\(reference)")
      #expect(url.password == "p", "\(reference)")
    }
    for reference in ["//a:81/d", "https://a:81/d", "//h/d", "http://a:81/d"] {
      let url = try #require(try base.resolving(reference))
      #expect(url.user == nil, "\(reference)")
      #expect(url.password == nil, "\(reference)")
    }
  }
}
