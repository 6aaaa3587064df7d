import FetchPipeline

/// The names that an item takes for its pictures.
struct NameClaims {
  let claims: any PathClaims
  let template: NameTemplate
  let item: OutputItem
  let folder: OutputFolder
  /// Whether one of them is not the one that the template gives, because that is another's.
  private(set) var isRenamed = false
  /// The names that were claimed, and those that were the item's already.
  private var (claimed, kept): ([String], [String]) = ([], [])
  /// The claimed names under which nothing stood, and which do not say by themselves whose they are.
  private var free: Set<String> = []

  init(claims: any PathClaims, template: NameTemplate, item: OutputItem, folder: OutputFolder) {
    self.folder = folder
    self.claims = claims
    self.template = template
    self.item = item
  }

  /// Takes a name for a picture: the template's, or that with the key's hash where it is taken.
  ///
  /// - Throws: `name-collision` where both are.
  mutating func take(_ picture: NameTemplate.Picture, for bytes: SharedBytes) throws -> String {
    let path = template.path(of: picture, for: item)
    if try take(path, for: bytes, namesKey: template.namesKey) { return path }
    let other = template.path(of: picture, for: item, isRenamed: true)
    guard try take(other, for: bytes, namesKey: true) else {
      throw PipelineError(
        .output, .nameCollision, "the names \(path) and \(other) belong to other files (output.name)")
    }
    isRenamed = true
    return other
  }

  /// The picture that stands under one of the item's own names already; nil where none does.
  ///
  /// - Parameter known: what is known under a path.
  mutating func keep(_ picture: NameTemplate.Picture, _ known: (String) throws -> StoredImage?) throws -> StoredImage? {
    for isOther in [false, true] {
      let path = template.path(of: picture, for: item, isRenamed: isOther)
      guard !kept.contains(path), !claimed.contains(path), let image = try known(path) else { continue }
      kept.append(path)
      if isOther { isRenamed = true }
      return image
    }
    return nil
  }

  /// Whether a file at one of the names that were taken may take another's place. Where nothing stood a moment ago, another
  /// program may have put something by now: another share of the list, with a ledger of its own.
  func mayReplace(_ path: String) -> Bool { !free.contains(path) }

  /// Gives the names up: nothing was written under them.
  mutating func giveUp() {
    for path in claimed { claims.release(path, for: item.key) }
    claimed = []
    free = []
  }

  /// - Parameter namesKey: whether the path says by itself whose it is.
  private mutating func take(_ path: String, for bytes: SharedBytes, namesKey: Bool) throws -> Bool {
    // Two pictures of one item have one key, which the claims cannot tell apart.
    if claimed.contains(path) || kept.contains(path) || StateFileNames.isReserved(path) { return false }
    let standing = folder.standing(at: path)
    if standing == .folder { return false }
    // What no run is known to have made is somebody's: a file of the same bytes is ours, from a run whose ledger is lost
    // or that was killed before it could write it down.
    if standing != .nothing, !namesKey, try !claims.holds(path, for: item.key), !folder.has(bytes, at: path) {
      return false
    }
    guard try claims.claim(path, for: item.key) else { return false }
    claimed.append(path)
    if standing == .nothing, !namesKey { free.insert(path) }
    return true
  }
}
