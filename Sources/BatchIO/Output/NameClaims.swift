import FetchPipeline

/// The names that an item takes for its pictures.
struct NameClaims {
  let claims: any PathClaims
  let template: NameTemplate
  let item: OutputItem
  /// Whether one of them is not the one that the template gives, because that is another's.
  private(set) var isRenamed = false
  private var taken: [String] = []

  init(claims: any PathClaims, template: NameTemplate, item: OutputItem) {
    self.claims = claims
    self.template = template
    self.item = item
  }

  /// Takes a name for a picture: the template's, or that with the key's hash where it is taken.
  ///
  /// - Throws: `name-collision` where both are.
  mutating func take(_ picture: NameTemplate.Picture) throws -> String {
    let path = template.path(of: picture, for: item)
    if try take(path) { return path }
    let other = template.path(of: picture, for: item, isRenamed: true)
    guard try take(other) else {
      throw PipelineError(
        .output, .nameCollision, "the names \(path) and \(other) belong to other pictures (output.name)")
    }
    isRenamed = true
    return other
  }

  /// Gives the names up: nothing was written under them.
  mutating func giveUp() {
    for path in taken { claims.release(path, for: item.key) }
    taken = []
  }

  private mutating func take(_ path: String) throws -> Bool {
    // Two pictures of one item have one key, which the claims cannot tell apart.
    if taken.contains(path) || StateFileNames.isReserved(path) { return false }
    guard try claims.claim(path, for: item.key) else { return false }
    taken.append(path)
    return true
  }
}
