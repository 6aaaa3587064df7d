/// What names a resource's bytes: method, URL, body and the headers that can change the answer.
///
/// Not interchangeable with `VariantKey`, which names pixels made of those bytes.
public struct ResourceKey: Hashable, Sendable {
  /// The hash of the canonical request.
  public let digest: Digest

  /// The key of a digest read back from storage.
  public init(digest: Digest) {
    self.digest = digest
  }

  /// The key of a request as it is sent.
  ///
  /// All headers count but `User-Agent`: who asks does not name what is asked for.
  public init(_ request: HTTPRequest) {
    var print = Fingerprint("resource")
    print.add("method", request.method.name)
    print.add("url", request.url.description)
    // Sent as a header field, though the URL as sent is without them.
    if let user = request.url.user { print.add("user", user) }
    if let password = request.url.password { print.add("password", password) }
    if let body = request.method.body {
      print.add("body", body.bytes)
      print.add("type", body.contentType ?? "")
    } else {
      print.addNone("body")
    }
    let headers = request.headers.map { ($0.name.lowercased(), $0.value) }
      .filter { $0.0 != "user-agent" }
      .sorted { $0 < $1 }
    for (name, value) in headers { print.add(name, value) }
    digest = print.digest()
  }
}

/// What names a picture made of a resource: its bytes and the recipe.
public struct VariantKey: Hashable, Sendable {
  /// The resource.
  public let resource: ResourceKey
  /// The fingerprint of decode, transform and encode options, and of our codec revision.
  public let recipe: Digest

  /// The variant of `resource` that `recipe` makes.
  public init(resource: ResourceKey, recipe: Digest) {
    self.resource = resource
    self.recipe = recipe
  }
}
