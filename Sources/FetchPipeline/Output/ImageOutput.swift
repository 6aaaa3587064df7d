/// Where finished pictures go.
public protocol ImageOutput: Sendable {
  /// The folder beside which a run keeps its state, where the output has one.
  var stateFolder: String? { get }

  /// Whether pictures of one item that differ in rendition alone get names of their own.
  var separatesRenditions: Bool { get }

  /// What a person who checks a configuration should know, a sentence each.
  ///
  /// - Parameter formats: what the renditions become; nil where only the pixels of a picture tell.
  func cautions(for formats: [ImageFormat?]) -> [String]

  /// Makes sure, before anything is fetched, that pictures can be written, and clears what a dead run has left.
  ///
  /// - Parameter claims: says which names are taken.
  func prepare(claims: any PathClaims) async throws

  /// Writes the pictures of an item: all of them, or none. Each appears whole, under its final name, or not at all;
  /// doing it again gives the same. What is returned will survive the program.
  ///
  /// - Throws: `disk-full`, `write`, `name-collision`.
  func write(_ images: [EncodedImage], for item: OutputItem) async throws -> WrittenImages

  /// What an item has of the pictures that were written earlier for its resource: where one stands under another name
  /// than this item's, it is copied. What no longer stands is left out.
  ///
  /// - Parameter images: each with the rendition that it is wanted as; those that share rendition and recipe are copies
  ///   of one picture, of which one is enough.
  func reuse(_ images: [StoredImage], for item: OutputItem) async throws -> WrittenImages

  /// Whether a picture that was written earlier still stands. May be asked before the output is prepared.
  func stands(_ image: StoredImage) -> Bool

  /// Writes everything and gives up files. Nothing is called afterwards.
  func shutdown() async
}

extension ImageOutput {
  /// It is believed to.
  public func stands(_ image: StoredImage) -> Bool { true }

  /// Names of their own, where nothing else is said.
  public var separatesRenditions: Bool { true }

  /// Nothing to know.
  public func cautions(for formats: [ImageFormat?]) -> [String] { [] }
}

/// What names the files of an item.
public struct OutputItem: Sendable {
  /// The row's name.
  public var id: String
  /// The row's number.
  public var row: Int
  /// Where the picture is.
  public var location: ResourceLocation
  /// What names its bytes.
  public var key: ResourceKey

  /// An item.
  public init(id: String, row: Int, location: ResourceLocation, key: ResourceKey) {
    self.id = id
    self.row = row
    self.location = location
    self.key = key
  }
}

/// A picture that is ready to be written.
public struct EncodedImage: Sendable {
  /// The rendition's name; empty where there is one without a name.
  public var rendition: String
  /// The fingerprint of what made it.
  public var recipe: Digest
  /// The format.
  public var format: ImageFormat
  /// The size in pixels.
  public var size: PixelSize
  /// The bytes of the file.
  public var bytes: SharedBytes

  /// A picture.
  public init(rendition: String, recipe: Digest, format: ImageFormat, size: PixelSize, bytes: SharedBytes) {
    self.rendition = rendition
    self.recipe = recipe
    self.format = format
    self.size = size
    self.bytes = bytes
  }
}

/// A picture that stands somewhere.
public struct StoredImage: Sendable, Hashable {
  /// The rendition's name; empty where there is one without a name.
  public var rendition: String
  /// The fingerprint of what made it.
  public var recipe: Digest
  /// Where it is; for a folder, the path in it.
  public var path: String
  /// The format.
  public var format: ImageFormat
  /// The size in pixels.
  public var size: PixelSize
  /// The bytes of the file.
  public var byteCount: Int

  /// A picture.
  public init(
    rendition: String, recipe: Digest, path: String, format: ImageFormat, size: PixelSize, byteCount: Int
  ) {
    self.rendition = rendition
    self.recipe = recipe
    self.path = path
    self.format = format
    self.size = size
    self.byteCount = byteCount
  }
}

/// The pictures of an item, and whether a name was taken.
public struct WrittenImages: Sendable {
  /// Where the pictures are.
  public var images: [StoredImage]
  /// Whether one has another name than the template gives, because that was taken.
  public var isRenamed: Bool

  /// The pictures of an item.
  public init(images: [StoredImage], isRenamed: Bool = false) {
    self.images = images
    self.isRenamed = isRenamed
  }
}
