import CLCMS2
import FetchPipeline

/// Converts pictures to sRGB by their embedded profiles, or by what else they say of their colours, with Little CMS and the perceptual intent.
///
/// Conversions are prepared once for each profile and kind of picture, and then shared by all threads.
public final class LittleCMSConverter: ColorConverter {
  private let cache = Lock(ConversionCache(capacity: 32))

  /// A converter that has prepared nothing yet.
  public init() {}

  /// `image` in sRGB; itself where its profile says nothing else.
  ///
  /// A profile that cannot be read, or that is for another kind of picture than this, is ignored: `icc-invalid`. Grey
  /// pictures stay grey, CMYK ones become RGB. The picture must be literal, not YCbCr, and its colours not multiplied by
  /// alpha.
  public func convertToSRGB(_ image: PixelImage) throws -> (image: PixelImage, flags: Set<ResultFlag>) {
    guard let conversion = conversion(for: image) else { return (image, []) }
    switch conversion {
    case .none:
      var same = image
      same.profile = .sRGB
      return (same, [])
    case .invalid:
      var same = image
      same.profile = .sRGB
      if case .icc = image.profile { return (same, [.iccInvalid]) }
      return (same, [])
    case .transform(let transform):
      if case .icc = image.profile { return (try transform.apply(to: image), [.iccConverted]) }
      return (try transform.apply(to: image), [])
    }
  }

  /// Whether the picture's profile changes no colour by more than a level, or is none for it. Of YCbCr the colours are those
  /// of the RGB that it stands for.
  public func isSRGB(_ image: PixelImage) -> Bool {
    if case .transform? = conversion(for: image) { return false }
    return true
  }

  /// What the picture's profile means for it; nil where it has none.
  private func conversion(for image: PixelImage) -> Conversion? {
    guard image.profile != .sRGB else { return nil }
    let layout = image.layout == .yCbCr ? .rgb : image.layout
    let key = ConversionKey(profile: image.profile, layout: layout, depth: image.depth)
    return cache.withLock { $0[key] } ?? prepare(key)
  }

  private func prepare(_ key: ConversionKey) -> Conversion {
    let conversion = Conversion(key)
    cache.withLock { $0[key] = conversion }
    return conversion
  }
}

/// What a prepared conversion is for.
struct ConversionKey: Hashable {
  let profile: ColorProfile
  let layout: PixelLayout
  let depth: SampleDepth

  func hash(into hasher: inout Hasher) {
    switch profile {
    case .sRGB: break
    case .icc(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .encoding(let encoding): hasher.combine(encoding)
    }
    hasher.combine(layout)
    hasher.combine(depth)
  }
}

/// The conversions used last.
struct ConversionCache {
  private let capacity: Int
  private var entries: [ConversionKey: (conversion: Conversion, use: Int)] = [:]
  private var uses = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  subscript(key: ConversionKey) -> Conversion? {
    mutating get {
      guard let found = entries[key]?.conversion else { return nil }
      uses += 1
      entries[key]?.use = uses
      return found
    }
    set {
      uses += 1
      entries[key] = newValue.map { ($0, uses) }
      guard entries.count > capacity, let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key else { return }
      entries[oldest] = nil
    }
  }
}
