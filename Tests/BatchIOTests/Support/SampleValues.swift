import FetchPipeline

/// A digest of 32 equal bytes.
func digest(_ byte: UInt8) -> Digest {
  guard let digest = Digest(bytes: [UInt8](repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
  return digest
}

/// A key of 32 equal bytes: its hash in names is that byte, eight times.
func key(_ byte: UInt8) -> ResourceKey { ResourceKey(digest: digest(byte)) }

/// A picture that stands at `path`.
func stored(
  _ path: String, recipe: UInt8 = 0xee, rendition: String = "", format: ImageFormat = .jpeg, width: Int = 192,
  height: Int = 256, bytes: Int = 9120
) -> StoredImage {
  StoredImage(
    rendition: rendition, recipe: digest(recipe), path: path, format: format,
    size: PixelSize(width: width, height: height), byteCount: bytes)
}

/// What was made of a resource.
func receipt(
  _ key: ResourceKey, run: Int = 1, digest: UInt64? = 0xfeed_0000_0000_beef, images: [StoredImage]
) -> Receipt {
  Receipt(
    key: key, run: run,
    source: SourceDescription(
      format: .jpeg, size: PixelSize(width: 3000, height: 4000), byteCount: 2_154_123, orientation: .right),
    digest: digest.map(ContentDigest.init), exchange: nil, flags: [], images: images)
}
