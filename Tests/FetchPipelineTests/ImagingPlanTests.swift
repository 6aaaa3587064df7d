import Testing

@testable import FetchPipeline

/// How little a decode may make, for what is made of it.
struct ImagingPlanTests {
  @Test func aResizeNeedsItsTargetAndAMargin() {
    let plan = plan(4000, 3000, [[Shrink(to: 256)]])
    #expect(plan.scale == 256.0 / 4000 * 1.5)
    #expect(plan.region == nil)
  }

  @Test func theLargestRenditionDecides() {
    #expect(plan(4000, 3000, [[Shrink(to: 256)], [Shrink(to: 1024)]]).scale == 1024.0 / 4000 * 1.5)
  }

  @Test func nothingIsAskedForBeyondTheOriginal() {
    #expect(plan(300, 200, [[Shrink(to: 256)]]).scale == 1)
    #expect(plan(100, 80, [[]]).scale == 1)
  }

  @Test func aCropAsksForItsPart() {
    let plan = plan(4000, 3000, [[Cut(x: 1000, y: 500, width: 2000, height: 1000), Shrink(to: 200)]])
    #expect(plan.region == PixelRect(x: 1000, y: 500, width: 2000, height: 1000))
    #expect(plan.scale == 0.1 * 1.5)
  }

  @Test func severalRenditionsNeedWhatHoldsAllTheirParts() {
    let plan = plan(
      1000, 1000,
      [
        [Cut(x: 100, y: 100, width: 200, height: 200)], [Cut(x: 500, y: 50, width: 100, height: 100)],
      ])
    #expect(plan.region == PixelRect(x: 100, y: 50, width: 500, height: 250))
  }

  /// Displayed 3000×4000, stored 4000×3000 and turned clockwise when shown: the top of what is shown is the left of what
  /// is stored.
  @Test func theRegionIsGivenAsStored() {
    let plan = plan(4000, 3000, [[Cut(x: 0, y: 0, width: 3000, height: 1000)]], orientation: .right)
    #expect(plan.region == PixelRect(x: 0, y: 0, width: 1000, height: 3000))
  }

  @Test func whatCannotBeForeseenNeedsAll() {
    let plan = plan(4000, 3000, [[Trim(), Shrink(to: 256)]])
    #expect(plan.scale == 1)
    #expect(plan.region == nil)
  }

  private func plan(
    _ width: Int, _ height: Int, _ chains: [[any ImageTransform]], orientation: Orientation = .up
  ) -> DecodePlan {
    let probe = ImageProbe(
      format: .jpeg, storedSize: PixelSize(width: width, height: height), orientation: orientation, layout: .yCbCr)
    let renditions = chains.map {
      Rendition(name: "", transforms: $0, encoder: NoEncoder(), decoding: Fingerprint("test").digest())
    }
    return ImagingPlan(probe: probe, renditions: renditions, options: DecodeOptions(), limits: Limits()).decode
  }
}

/// Fits the longer side.
private struct Shrink: ImageTransform {
  let side: Int
  init(to side: Int) { self.side = side }
  var acceptedForm: PixelForm { PixelForm() }
  func outputSize(for input: PixelSize) -> PixelSize? {
    let longest = max(input.width, input.height)
    guard longest > side else { return input }
    return PixelSize(width: input.width * side / longest, height: input.height * side / longest)
  }
  func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    PixelDemand(region: PixelRect(input), scale: min(Double(side) / Double(max(input.width, input.height)), 1))
  }
  func fingerprint(into print: inout Fingerprint) { print.add("side", side) }
  func apply(to image: PixelImage, context: TransformContext) -> PixelImage { image }
}

private struct Cut: ImageTransform {
  let x: Int, y: Int, width: Int, height: Int
  var acceptedForm: PixelForm { PixelForm() }
  func outputSize(for input: PixelSize) -> PixelSize? { PixelSize(width: width, height: height) }
  func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    var region = output.region
    region.x += Double(x)
    region.y += Double(y)
    return PixelDemand(region: region, scale: output.scale)
  }
  func fingerprint(into print: inout Fingerprint) {}
  func apply(to image: PixelImage, context: TransformContext) -> PixelImage { image }
}

/// Its size is in the pixels.
private struct Trim: ImageTransform {
  var acceptedForm: PixelForm { PixelForm() }
  func outputSize(for input: PixelSize) -> PixelSize? { nil }
  func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand { .all(of: input) }
  func fingerprint(into print: inout Fingerprint) {}
  func apply(to image: PixelImage, context: TransformContext) -> PixelImage { image }
}

private struct NoEncoder: ImageEncoder {
  func format(mayBeTransparent: Bool) -> ImageFormat? { .png }
  func acceptedForm(mayBeTransparent: Bool) -> PixelForm { PixelForm() }
  func fingerprint(into print: inout Fingerprint) {}
  func makeSession() -> any ImageEncoderSession { Session() }
  private final class Session: ImageEncoderSession {
    func encode(_ image: PixelImage, checkpoint: DecodeCheckpoint) -> SharedBytes { .empty }
  }
}
