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
    let scale = demands.map(\.scale).max() ?? 1
    decode = DecodePlan(
      scale: min(scale * max(options.margin, 1), 1),
      region: region == whole ? nil : probe.orientation.stored(region, displayed: size),
      layouts: Self.layouts(renditions.map { $0.firstForm(of: probe).layouts }), onDamage: options.onDamage,
      limits: limits)
    workingBytes = renditions.map { Self.workingBytes(of: $0.transforms, on: size) }.max() ?? 0
  }

  /// What a chain needs of a picture of `size`: sizes go forward, demands come back.
  static func demand(of transforms: [any ImageTransform], on size: PixelSize) -> PixelDemand {
    var sizes = [size]
    for transform in transforms {
      guard let last = sizes.last, let next = transform.outputSize(for: last) else { break }
      sizes.append(next)
    }
    guard let end = sizes.last else { return .all(of: size) }
    // Behind a transform whose result cannot be foreseen, all of that is needed.
    var demand = PixelDemand.all(of: end)
    if sizes.count <= transforms.count {
      demand = transforms[sizes.count - 1].demand(on: end, for: demand)
    }
    for index in stride(from: sizes.count - 2, through: 0, by: -1) {
      demand = transforms[index].demand(on: sizes[index], for: demand)
    }
    return demand
  }

  /// The size of what a chain makes, where it can be foreseen.
  static func outputSize(of transforms: [any ImageTransform], on size: PixelSize) -> PixelSize? {
    transforms.reduce(Optional(size)) { size, transform in size.flatMap { transform.outputSize(for: $0) } }
  }

  private static func clamp(_ rect: PixelRect, to size: PixelSize) -> PixelRect {
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

  /// Four 16-bit channels, as source and result of each step.
  private static func workingBytes(of transforms: [any ImageTransform], on size: PixelSize) -> Int {
    let area = outputSize(of: transforms, on: size)?.area ?? size.area ?? 0
    let (bytes, overflow) = area.multipliedReportingOverflow(by: 16)
    return overflow ? Int.max : bytes
  }
}
