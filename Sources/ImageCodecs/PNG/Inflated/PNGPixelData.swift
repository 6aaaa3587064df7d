import FetchPipeline

/// What the chunks of a PNG hold for its pixels, where their order is the usual one, all have the right checksum and none
/// is unknown that matters.
struct PNGPixelData {
  /// The zlib stream of the rows (PNG, third edition, 10.1).
  let stream: UnsafeRawBufferPointer
  /// The palette (11.2.2), and the alpha of its entries (11.3.1.1).
  let palette: UnsafeRawBufferPointer?
  let transparency: UnsafeRawBufferPointer?

  /// Collects them from a file whose chunks before the first IDAT have been judged.
  ///
  /// - Parameter joined: where the contents of several IDAT chunks are put together.
  /// - Throws: `DecoderDeclined` for all that is unusual from the first IDAT to IEND, and what `checkpoint` throws.
  init(
    _ file: UnsafeRawBufferPointer, of container: PNGContainer, joined: ScratchMemory, checkpoint: DecodeCheckpoint
  ) throws {
    let isSplit = container.pixelChunkCount > 1
    guard
      let join = isSplit
        ? joined.reserve(container.pixelByteCount) : UnsafeMutableRawBufferPointer(start: nil, count: 0)
    else { throw DecoderDeclined("no memory") }
    var (palette, transparency): (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?)
    var whole = UnsafeRawBufferPointer(join)
    var (joinedCount, seen, wereThereOthers, isWhole) = (0, 0, false, false)
    var chunks = PNGChunks(file)
    var count = 0
    while !isWhole, let chunk = chunks.next() {
      count += 1
      if count % Self.chunksBetweenCheckpoints == 0 { try checkpoint() }
      switch chunk.type {
      case "IDAT":
        guard !wereThereOthers, !chunk.data.isEmpty, chunk.hasRightChecksum else { throw Self.unusual }
        seen += 1
        if isSplit {
          guard joinedCount + chunk.data.count <= join.count else { throw Self.unusual }
          UnsafeMutableRawBufferPointer(rebasing: join[joinedCount...]).copyMemory(from: chunk.data)
          joinedCount += chunk.data.count
        } else {
          whole = chunk.data
        }
      case "IEND":
        guard chunk.data.isEmpty, chunk.hasRightChecksum else { throw Self.unusual }
        isWhole = true
      case "PLTE" where seen == 0: palette = chunk.data
      case "tRNS" where seen == 0:
        // libpng heeds one of two.
        guard transparency == nil else { throw Self.unusual }
        transparency = chunk.data
      case _ where seen == 0: break
      default:
        // Those two libpng reads, and notices that they come too late.
        let isRead = chunk.type == "tRNS" || chunk.type == "iCCP"
        guard !chunk.isCritical, !isRead, chunk.data.count <= Self.largestChunk, chunk.hasRightChecksum else {
          throw Self.unusual
        }
        wereThereOthers = true
      }
    }
    guard isWhole, seen == container.pixelChunkCount, joinedCount == join.count else { throw Self.unusual }
    (stream, self.palette, self.transparency) = (whole, palette, transparency)
  }

  /// A file of empty chunks has many.
  private static let chunksBetweenCheckpoints = 4096
  /// What libpng takes of one (`largest_chunk` in png_reader.c).
  private static let largestChunk = 4 << 20

  private static let unusual = DecoderDeclined("chunks that are not as usual")
}
