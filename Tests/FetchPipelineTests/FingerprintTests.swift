import FetchPipeline
import Testing

/// Fields that are named, typed and framed, so that no two lists of them hash alike.
struct FingerprintTests {
  private func digest(_ purpose: String = "test", _ add: (inout Fingerprint) -> Void) -> Digest {
    var print = Fingerprint(purpose)
    add(&print)
    return print.digest()
  }

  @Test func theFramingIsStable() {
    // "P" 8-byte length "test", "F" length "a", "S" length "b", hashed by another implementation: stored keys depend on it.
    let expected = "1a8afb46f184e49d5aea877c994957c648e60581cc8e1053124cd13e0b6f3256"
    #expect(digest { $0.add("a", "b") }.hex == expected)
  }

  @Test func listsThatLookAlikeDiffer() {
    let digests = [
      digest { _ in },
      digest("other") { _ in },
      digest { $0.add("a", "") },
      digest { $0.addNone("a") },
      digest { $0.add("", "a") },
      digest { $0.add("a", "bc") },
      digest { $0.add("ab", "c") },
      digest {
        $0.add("a", "b"); $0.add("c", "d")
      },
      digest { $0.add("a", "bcd") },
      digest {
        $0.add("c", "d"); $0.add("a", "b")
      },
      digest {
        $0.add("a", "b"); $0.add("a", "b")
      },
      digest { $0.add("a", "b") },
      digest { $0.add("a", SharedBytes(utf8: "b")) },
      digest { $0.add("a", 1) },
      digest { $0.add("a", -1) },
      digest { $0.add("a", 1.0) },
      digest { $0.add("a", true) },
      digest { $0.add("a", false) },
      digest { $0.add("a", "1") },
    ]
    #expect(Set(digests).count == digests.count)
  }

  @Test func theSameFieldsHashAlike() {
    #expect(digest { $0.add("a", "b") } == digest { $0.add("a", "b") })
  }

  @Test func digestsAreReadBack() throws {
    let digest = digest { $0.add("a", "b") }
    #expect(Digest(bytes: digest.bytes) == digest)
    #expect(Digest(bytes: Array(digest.bytes.dropLast())) == nil)
    #expect(digest.hex.utf8.count == 64)
    #expect(digest.hex(16) == String(digest.hex.prefix(16)))
  }
}

/// What names a resource.
struct ResourceKeyTests {
  private func key(
    _ method: HTTPMethod = .get, _ url: String = "http://h/a", _ headers: HTTPFields = [:]
  ) throws -> ResourceKey {
    ResourceKey(HTTPRequest(method, try ResourceURL(url), headers: headers))
  }

  @Test func whatCanChangeTheAnswerCounts() throws {
    let text = HTTPRequestBody(SharedBytes(utf8: "x"), contentType: "text/plain")
    let json = HTTPRequestBody(SharedBytes(utf8: "x"), contentType: "application/json")
    let keys = [
      try key(), try key(.head), try key(.post(text)), try key(.post(json)), try key(.put(text)),
      try key(.post(.empty)),
      try key(.get, "http://h/b"), try key(.get, "https://h/a"), try key(.get, "http://h:81/a"),
      try key(.get, "http://h/a?"),
      try key(.get, "http://u:p@h/a"), try key(.get, "http://u:q@h/a"), try key(.get, "http://up@h/a"),
      try key(.get, "http://h/a", ["Accept": "image/webp"]), try key(.get, "http://h/a", ["Accept": "image/png"]),
      try key(.get, "http://h/a", ["Cookie": "a=b"]),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test func whatCannotDoesNot() throws {
    #expect(try key(.get, "http://h/a", ["User-Agent": "x"]) == key())
    #expect(try key(.get, "http://H:80/b/../a#f") == key())
    #expect(try key(.get, "http://h/a", ["A": "1", "B": "2"]) == key(.get, "http://h/a", ["b": "2", "a": "1"]))
  }

  @Test func variantsAreOfResourceAndRecipe() throws {
    let (one, two) = (try key().digest, try key(.head).digest)
    let variant = VariantKey(resource: try key(), recipe: one)
    #expect(variant == VariantKey(resource: try key(), recipe: one))
    #expect(variant != VariantKey(resource: try key(), recipe: two))
    #expect(variant != VariantKey(resource: try key(.head), recipe: one))
  }
}
