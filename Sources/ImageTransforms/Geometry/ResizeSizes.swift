import FetchPipeline

/// The sizes of a resize, in exact arithmetic.
///
/// With the source w×h as displayed and the target W×H, of which one may be missing and its term is then left out:
/// inside and contain scale by min(W/w, H/h), cover and outside by max(W/w, H/h), by at most 1 unless it may enlarge; a side
/// is rounded half up and at least 1. Cover is then cut to at most W×H, contain padded to W×H. Fill is W×H, or
/// min(W, w)×min(H, h) unless it may enlarge.
struct ResizeSizes: Hashable {
  /// All of the source, scaled.
  let scaled: PixelSize
  /// What is kept of it: smaller only under `cover`.
  let kept: PixelSize
  /// The result: larger than what is kept only under `contain`.
  let result: PixelSize

  /// nil where a side of the source is not positive, or of anything is above 2³¹ − 1.
  init?(of source: PixelSize, width: Int?, height: Int?, fit: ResizeFit, enlarge: Bool) {
    let sides = [source.width, source.height, width ?? 1, height ?? 1]
    guard sides.allSatisfy({ (1...Ratio.most).contains($0) }) else { return nil }
    if fit == .fill {
      func side(_ source: Int, _ target: Int?) -> Int {
        guard let target else { return source }
        return enlarge ? target : min(target, source)
      }
      scaled = PixelSize(width: side(source.width, width), height: side(source.height, height))
      kept = scaled
      result = scaled
      return
    }
    let ratios = [
      width.map { Ratio(numerator: $0, denominator: source.width) },
      height.map { Ratio(numerator: $0, denominator: source.height) },
    ].compactMap { $0 }
    let scale = (fit == .cover || fit == .outside ? ratios.max() : ratios.min()) ?? .one
    let allowed = enlarge ? scale : min(scale, .one)
    guard let scaledWidth = allowed.scaling(source.width), let scaledHeight = allowed.scaling(source.height) else {
      return nil
    }
    scaled = PixelSize(width: scaledWidth, height: scaledHeight)
    switch fit {
    case .cover:
      kept = PixelSize(
        width: min(scaledWidth, width ?? scaledWidth), height: min(scaledHeight, height ?? scaledHeight))
      result = kept
    case .contain:
      kept = scaled
      result = PixelSize(width: width ?? scaledWidth, height: height ?? scaledHeight)
    case .inside, .outside, .fill:
      kept = scaled
      result = scaled
    }
  }

  /// The part of the source, in its pixels, that is kept where the cut begins at `left`, `top` of the scaled picture.
  func keptRegion(of source: PixelSize, left: Int, top: Int) -> PixelRect {
    // Products first: exact where nothing is scaled, so that pixels are then taken as they are.
    func along(_ position: Int, _ source: Int, _ scaled: Int) -> Double {
      Double(position) * Double(source) / Double(scaled)
    }
    return PixelRect(
      x: along(left, source.width, scaled.width), y: along(top, source.height, scaled.height),
      width: along(kept.width, source.width, scaled.width), height: along(kept.height, source.height, scaled.height))
  }
}
