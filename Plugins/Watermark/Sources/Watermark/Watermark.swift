import FetchPipeline

/// Stamps a small mark, drawn with characters, into a corner of the picture.
public struct Watermark: Stage, ImageTransform {
  /// The slot `transform`.
  public typealias Slot = TransformSlot
  /// What a configuration calls it.
  public static let name = "watermark"
  /// What it does, in a sentence.
  public static let summary = "stamps a small mark into the picture"

  /// The mark: rows of characters, of which all but `.` and space are painted.
  public var mark = ["..#..", ".###.", "##.##", ".###.", "..#.."]
  /// The longer side of the mark as a share of the picture's shorter side.
  public var size = 0.2
  /// The colour; its alpha counts too.
  public var color = Color.white
  /// 0 is invisible, 1 covers what is below.
  public var opacity = 0.5
  /// Where the mark stands.
  public var position = Position.bottomRight
  /// The distance to the edges as a share of the picture's shorter side.
  public var margin = 0.05

  /// The defaults.
  public init() {}

  /// A place for the mark.
  public enum Position: String, CaseIterable, ConfigurationValue {
    case topLeft = "top left"
    case topRight = "top right"
    case bottomLeft = "bottom left"
    case bottomRight = "bottom right"
    case center
  }

  /// Its options.
  public static let options: [OptionDeclaration<Watermark>] = [
    .init("mark", \.mark, "the mark: rows of characters, of which all but \".\" and space are painted") { rows in
      rows.contains { !$0.allSatisfy { ". ".contains($0) } } ? nil : "nothing of this mark is painted"
    },
    .init("size", \.size, in: 0.01...1, "its longer side, as a share of the picture's shorter side"),
    .init("color", \.color, "its colour"),
    .init("opacity", \.opacity, in: 0...1, "0 is invisible, 1 covers what is below"),
    .init("position", \.position, "where it stands"),
    .init("margin", \.margin, in: 0...0.5, "its distance to the edges, as a share of the picture's shorter side"),
  ]

  /// Itself: it keeps nothing between pictures.
  public func make(in context: StageContext) -> any ImageTransform { self }

  /// Pictures to the letter, in layouts with a sample for each colour.
  public var acceptedForm: PixelForm {
    PixelForm(
      layouts: [.rgb, .rgba, .gray, .grayAlpha], depths: [.eight], isLiteral: true, alpha: [.opaque, .straight])
  }

  /// The picture with the mark.
  public func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    var result = image
    let stamp = Stamp(self, on: image.size)
    let paint = Paint(color: color, opacity: opacity, layout: image.layout)
    let bytesPerRow = image.planes[0].bytesPerRow
    try result.withUnsafeMutableBytes(ofPlane: 0) { samples in
      for y in stamp.rows {
        for x in stamp.columns where stamp.isPainted(x, y) {
          paint.apply(to: samples, at: y * bytesPerRow + x * image.layout.channels)
        }
      }
    }
    return result
  }
}
