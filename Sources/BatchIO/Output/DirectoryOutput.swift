import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Pictures as files of a folder.
///
/// A file is written beside its place and renamed, so that it is there whole or not at all; those of one item appear
/// together. With `durability` none this happens on the caller's thread (some 40 µs), else on one of the output's own,
/// many at a time.
public final class DirectoryOutput: ImageOutput {
  /// The folder.
  public let folder: String
  /// How its files are named.
  public let template: NameTemplate
  /// When files are synced to disk.
  public let durability: Durability

  private let calls: any FileCalls
  private let opened = Lock<Opened?>(nil)

  /// What there is between `prepare` and `shutdown`.
  private struct Opened: Sendable {
    var folder: OutputFolder
    var claims: any PathClaims
    /// Nil where nothing is synced.
    var committer: GroupCommitter<OutputFolder.Group, Void>?
  }

  /// An output to `folder`; nothing is touched before it is prepared.
  public convenience init(
    folder: String, template: NameTemplate = .standard, durability: Durability = .batch
  ) {
    self.init(folder: folder, template: template, durability: durability, calls: SystemFileCalls())
  }

  init(folder: String, template: NameTemplate, durability: Durability, calls: any FileCalls) {
    self.folder = folder
    self.template = template
    self.durability = durability
    self.calls = calls
  }

  /// The folder itself.
  public var stateFolder: String? { folder }

  /// Whether the names say which rendition a file is.
  public var separatesRenditions: Bool { template.namesRendition }

  /// That names may be taken, where the template lets them, or say another format than the file has.
  public func cautions(for formats: [ImageFormat?]) -> [String] {
    var cautions: [String] = []
    if !template.namesHash {
      cautions.append(
        "\"\(template.text)\" lacks {hash}: where two pictures would get one name, the second one gets its hash and "
          + "the flag \"renamed\"")
    }
    if let fixed = template.fixedFormat, let other = formats.first(where: { $0 != fixed }) {
      let what = other.map { "a picture is \($0.rawValue)" } ?? "the format depends on the picture"
      cautions.append("\"\(template.text)\" says \(fixed.rawValue), but \(what): {ext} stands for the right ending")
    }
    return cautions
  }

  /// Makes the folder, removes what dead runs have left, and writes and removes a file.
  ///
  /// - Throws: `disk-full`, `write`.
  public func prepare(claims: any PathClaims) async throws {
    let folder = try reportingAsOutput { try OutputFolder(path: self.folder, calls: calls) }
    let committer = try pace.map { pace in
      try GroupCommitter<OutputFolder.Group, Void>(pace: pace) { groups in
        folder.place(groups, synchronizing: true).map { $0.mapError { $0.asOutputError as any Error } }
      }
    }
    opened.withLock { $0 = Opened(folder: folder, claims: claims, committer: committer) }
  }

  /// Writes the pictures of an item under the names that the template gives.
  ///
  /// - Throws: `disk-full`, `write`, `name-collision`; then none of them is there.
  public func write(_ images: [EncodedImage], for item: OutputItem) async throws -> WrittenImages {
    try await placing(for: item) { names, _ in
      var group = OutputFolder.Group()
      var written = WrittenImages(images: [])
      for image in images {
        let picture = NameTemplate.Picture(rendition: image.rendition, size: image.size, format: image.format)
        let path = try names.take(picture, for: image.bytes)
        group.files.append(.init(path: path, bytes: image.bytes, replaces: names.mayReplace(path)))
        written.images.append(
          StoredImage(
            rendition: image.rendition, recipe: image.recipe, path: path, format: image.format, size: image.size,
            byteCount: image.bytes.count))
      }
      return (group, written)
    }
  }

  /// Whether a regular file of its size is at its path.
  public func stands(_ image: StoredImage) -> Bool {
    guard let opened = opened.withLock({ $0 }) else {
      return OutputFolder.size(of: "\(folder)/\(image.path)", in: AT_FDCWD) == image.byteCount
    }
    return opened.folder.size(of: image.path) == image.byteCount
  }

  /// Keeps those pictures that stand under this item's names, and copies the others from where they stand.
  ///
  /// A picture stands where there is a regular file of its size at a path that is known to be its key's.
  public func reuse(_ images: [StoredImage], for item: OutputItem) async throws -> WrittenImages {
    try await placing(for: item) { names, opened in
      var group = OutputFolder.Group()
      var result = WrittenImages(images: [])
      for copies in Self.grouped(images) {
        guard let first = copies.first else { continue }
        let picture = NameTemplate.Picture(rendition: first.rendition, size: first.size, format: first.format)
        func stands(_ image: StoredImage) -> Bool { opened.folder.size(of: image.path) == image.byteCount }
        let kept = try names.keep(picture) { path in
          // Not every name of a picture is among the copies.
          let known = try copies.first { $0.path == path } ?? opened.claims.picture(at: path, of: item.key)
          return known.flatMap { $0.recipe == first.recipe && stands($0) ? $0 : nil }
        }
        if var kept {
          kept.rendition = first.rendition
          result.images.append(kept)
          continue
        }
        // Nothing is claimed for what does not stand anywhere.
        for var copy in copies where stands(copy) {
          guard let bytes = opened.folder.read(copy.path, count: copy.byteCount) else { continue }
          let path = try names.take(picture, for: bytes)
          group.files.append(.init(path: path, bytes: bytes, replaces: names.mayReplace(path)))
          copy.path = path
          result.images.append(copy)
          break
        }
      }
      return (group, result)
    }
  }

  /// Writes what is waiting and removes the folder for files that are being written.
  public func shutdown() async {
    guard
      let last = opened.withLock({ opened in
        defer { opened = nil }
        return opened
      })
    else { return }
    await last.committer?.finish()
    last.folder.finish()
  }

  private func open() throws -> Opened {
    guard let opened = opened.withLock({ $0 }) else {
      throw PipelineError(.output, .cancelled, "the output folder \(folder) is not open")
    }
    return opened
  }

  /// Has names taken for files, and writes these; once more, where another program was faster with a name.
  private func placing(
    for item: OutputItem, _ choose: (inout NameClaims, Opened) throws -> (OutputFolder.Group, WrittenImages)
  ) async throws -> WrittenImages {
    let opened = try open()
    var attempt = 1
    while true {
      var names = NameClaims(claims: opened.claims, template: template, item: item, folder: opened.folder)
      do {
        var (group, result) = try choose(&names, opened)
        result.isRenamed = names.isRenamed
        if !group.files.isEmpty { try await place(group, opened) }
        return result
      } catch {
        names.giveUp()
        let isTaken = ((error as? PipelineError)?.underlying as? FileError)?.number == EEXIST
        // Under its second name nothing else has a reason to stand.
        guard isTaken, attempt < 3 else { throw error }
        attempt += 1
      }
    }
  }

  private func place(_ group: OutputFolder.Group, _ opened: Opened) async throws {
    if let committer = opened.committer {
      try await committer.commit(group)
    } else {
      for result in opened.folder.place([group], synchronizing: false) { try reportingAsOutput { try result.get() } }
    }
  }

  /// When what is to be synced is; nil where nothing is.
  private var pace: GroupCommitter<OutputFolder.Group, Void>.Pace? {
    switch durability {
    case .none: nil
    case .each: .init(largest: 1, quiet: .zero, longest: .zero)
    case .batch: .init(largest: Self.largestBatch, quiet: .milliseconds(10), longest: .milliseconds(100))
    }
  }

  /// A batch's files are open at the same time, beside connections and others.
  private static let largestBatch: Int = {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return 64 }
    return Int(min(max(limit.rlim_cur / 8, 8), 256))
  }()

  /// Copies of one picture together, in order of their first.
  private static func grouped(_ images: [StoredImage]) -> [[StoredImage]] {
    var groups: [[StoredImage]] = []
    for image in images {
      if let index = groups.firstIndex(where: {
        $0.first?.recipe == image.recipe && $0.first?.rendition == image.rendition
      }) {
        groups[index].append(image)
      } else {
        groups.append([image])
      }
    }
    return groups
  }
}
