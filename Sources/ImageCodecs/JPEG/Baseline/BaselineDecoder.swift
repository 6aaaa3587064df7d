import CImageCodecs
import FetchPipeline

/// Decodes the planes of baseline and extended sequential Huffman JPEGs (ITU-T T.81, annex F) of one scan.
///
/// It stands before libjpeg, which is slower, since it reads coefficients that a scale has no use for like all others. It
/// serves only what is regular, and says `DecoderDeclined` to all else, at any point: what is wrong with a file, and what
/// can be made of it all the same, is for libjpeg to say. Of coefficients that are not needed only the codes are read.
final class BaselineDecoder {
  /// The scales, in eighths, at which it is the faster one. At full size it was a tenth slower: all coefficients are needed,
  /// and libjpeg's transform is vectorised.
  static let scales = [1, 2, 4]

  /// A component's plane.
  struct Plane: Equatable {
    var horizontal: Int
    var vertical: Int
    var blockColumns: Int
    var blockRows: Int
    /// The samples of a block's side.
    var blockSide: Int
  }

  /// The planes that libjpeg would make.
  static func planes(_ header: fp_jpeg_header, _ scaled: fp_jpeg_scaled) -> [Plane] {
    let (horizontal, vertical) = (JPEGGeometry.array(header.horizontal), JPEGGeometry.array(header.vertical))
    let (columns, rows) = (JPEGGeometry.array(header.block_columns), JPEGGeometry.array(header.block_rows))
    let sides = JPEGGeometry.array(scaled.block_side)
    return (0..<Int(header.components)).map { index in
      Plane(
        horizontal: horizontal[index], vertical: vertical[index], blockColumns: columns[index],
        blockRows: rows[index], blockSide: sides[index])
    }
  }

  private let window = EntropyWindow()
  private var tables: [HuffmanTable] = []

  /// The most tables that are kept for the next picture: most pictures have the same. A table takes 8 or 24 kB.
  private static let mostTables = 6

  /// Decodes the planes of `image`, which a picture of `size` with `planes` comes out as.
  ///
  /// Where it throws, the planes' content is undefined. `checkpoint` is asked every few thousand blocks.
  func decode(
    _ file: UnsafeRawBufferPointer, size: PixelSize, planes: [Plane], into image: inout PixelImage,
    checkpoint: DecodeCheckpoint
  ) throws {
    let headers = try BaselineHeaders(file)
    guard headers.width == size.width, headers.height == size.height,
      headers.components.map({ [$0.horizontal, $0.vertical] }) == planes.map({ [$0.horizontal, $0.vertical] }),
      image.planes.count == planes.count,
      zip(image.planes, planes).allSatisfy({ stored, plane in
        stored.size.width >= plane.blockColumns * plane.blockSide
          && stored.size.height >= plane.blockRows * plane.blockSide
      })
    else { throw DecoderDeclined("libjpeg reads the headers in another way") }
    let stored = image.planes
    window.open(file, at: headers.scanOffset)
    defer { window.close() }
    let isRegular = try image.withUnsafeMutableBytes(ofPlane: 0) { first in
      guard let base = first.baseAddress else { return false }
      // All planes lie in one storage, at their offsets from the first.
      let outputs = stored.map { plane in
        (
          base: (base + (plane.offset - stored[0].offset)).assumingMemoryBound(to: UInt8.self),
          stride: plane.bytesPerRow
        )
      }
      let scan = try BaselineScan(headers, planes, outputs) { kind, definition throws(DecoderDeclined) in
        try table(kind, definition)
      }
      return try scan.decode(window, checkpoint: checkpoint)
    }
    guard isRegular else { throw DecoderDeclined("the coded data are irregular") }
  }

  /// The table of a definition: one of those that are kept, or a new one.
  private func table(_ kind: HuffmanTable.Kind, _ definition: [UInt8]) throws(DecoderDeclined) -> HuffmanTable {
    if let index = tables.firstIndex(where: { $0.kind == kind && $0.definition == definition }) {
      let found = tables.remove(at: index)
      tables.append(found)
      return found
    }
    let made = try HuffmanTable(kind, definition)
    if tables.count >= Self.mostTables { tables.removeFirst() }
    tables.append(made)
    return made
  }
}
