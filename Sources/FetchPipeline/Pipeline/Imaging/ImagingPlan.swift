/// The smallest decode that serves all renditions of a source: a pure function of its headers and the configuration.
///
/// It depends on every configured rendition, never on which of them are still missing, so that a picture made later has
/// the bytes it would have had.
struct ImagingPlan: Sendable, Hashable {
  let decode: DecodePlan
  /// The bytes that transforms and conversions take beside the decode, at most.
  let workingBytes: Int

  init(probe: ImageProbe, renditions: [Rendition], options: DecodeOptions, limits: Limits) {
    let size = probe.size
    let demands = renditions.map { Self.demand(of: $0.transforms, on: size) }
    let whole = PixelRect(size)
    let region = demands.map { Self.clamp($0.region, to: size) }.reduce(nil) { $0?.union($1) ?? $1 } ?? whole
    // What is no number asks for everything.
    let scale = demands.map { $0.scale.isFinite ? $0.scale : 1 }.max() ?? 1
    decode = DecodePlan(
      scale: min(scale * max(options.margin, 1), 1),
      region: region == whole ? nil : probe.orientation.stored(region, displayed: size),
      layouts: Self.layouts(renditions.map { $0.firstForm(of: probe).layouts }), onDamage: options.onDamage,
      limits: limits)
    let decodedScale = decode.scale
    workingBytes = renditions.map { Self.workingBytes(of: $0.transforms, on: size, decodedAt: decodedScale) }.max() ?? 0
  }

  /// What a chain needs of a picture of `size`: sizes go forward, demands come back.
  static func demand(of transforms: [any ImageTransform], on size: PixelSize) -> PixelDemand {
    let sizes = sizes(of: transforms, on: size)
    let last = sizes[sizes.count - 1]
    // Behind a transform whose result cannot be foreseen, all of that is needed.
    var demand = PixelDemand.all(of: last)
    if sizes.count <= transforms.count {
      demand = transforms[sizes.count - 1].demand(on: last, for: demand)
    }
    for index in stride(from: sizes.count - 2, through: 0, by: -1) {
      demand = transforms[index].demand(on: sizes[index], for: demand)
    }
    return demand
  }

  /// The size of the source and of each transform's result, as far as they can be foreseen.
  private static func sizes(of transforms: [any ImageTransform], on size: PixelSize) -> [PixelSize] {
    var sizes = [size]
    for transform in transforms {
      guard let last = sizes.last, let next = transform.outputSize(for: last) else { break }
      sizes.append(next)
    }
    return sizes
  }

  private static func clamp(_ rect: PixelRect, to size: PixelSize) -> PixelRect {
    guard rect.x.isFinite, rect.y.isFinite, rect.width.isFinite, rect.height.isFinite else { return PixelRect(size) }
    let left = min(max(rect.x, 0), Double(size.width))
    let top = min(max(rect.y, 0), Double(size.height))
    let right = min(max(rect.x + rect.width, left), Double(size.width))
    let bottom = min(max(rect.y + rect.height, top), Double(size.height))
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The layouts that all can take, in the order of the first; all of them where there is none.
  private static func layouts(_ lists: [[PixelLayout]]) -> [PixelLayout] {
    guard let first = lists.first else { return PixelLayout.allCases }
    let common = first.filter { layout in lists.allSatisfy { $0.contains(layout) } }
    return common.isEmpty ? PixelLayout.allCases : common
  }

  /// Four 16-bit channels, as source and result of each step: of the largest picture that the chain makes, which has no more
  /// samples than the one before, unless it is larger.
  private static func workingBytes(
    of transforms: [any ImageTransform], on size: PixelSize, decodedAt scale: Double
  ) -> Int {
    var input = Double(size.width) * Double(size.height)
    var stored = input * scale * scale
    var most = transforms.isEmpty ? stored : 0
    for result in sizes(of: transforms, on: size).dropFirst() {
      let area = Double(result.width) * Double(result.height)
      stored = area > input ? area : min(area, stored)
      input = area
      most = max(most, stored)
    }
    return Int(exactly: (most * 16).rounded(.up)) ?? Int.max
  }
}
