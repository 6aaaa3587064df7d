import FetchPipeline

extension DecodePlan {
  /// The fraction of the stored size to average areas down to.
  ///
  /// An area's mean is a poorer filter than a JPEG's transform at a smaller scale: with as many samples as that needs,
  /// thumbnails were half a decibel (WebP) to two decibels (PNG) off; with a third more they are as good, and the resize
  /// behind takes a fiftieth of the decode's time more.
  var areaScale: Double { min(scale * 4 / 3, 1) }
}
