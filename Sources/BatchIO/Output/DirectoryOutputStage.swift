import FetchPipeline

/// The stage `directory` of the slot `output`: files in a folder.
public struct DirectoryOutputStage: Stage {
  /// It is an output.
  public typealias Slot = OutputSlot
  /// What configurations call it.
  public static let name = "directory"
  /// What it does.
  public static let summary = "writes each picture to a file of a folder, whole or not at all"

  /// The folder.
  public var path = "thumbnails"
  /// How its files are named.
  public var template = NameTemplate.standard
  /// When files are told to reach the disk.
  public var durability = Durability.batch

  /// The defaults.
  public init() {}

  /// Files in a folder, which is made where there is none.
  public init(path: String) {
    self.path = path
  }

  /// Its options.
  public static let options: [OptionDeclaration<DirectoryOutputStage>] = [
    .init("path", \.path, "the folder; made where there is none") { $0.isEmpty ? "a folder is expected" : nil },
    .init(
      "name", \.template,
      "the names of files; tokens: id, name, host, hash (hash:N), row, rendition, width, height, ext; / makes folders"),
    .init(
      "durability", \.durability,
      "when files are synced to disk, to survive a power cut: many together, whenever the system likes, or each"),
  ]

  /// The output; nothing is touched before it is prepared.
  public func make(in context: StageContext) throws -> any ImageOutput {
    DirectoryOutput(folder: context.resolving(path), template: template, durability: durability)
  }
}
