/// Where the samples of a target lie along one axis of a source plane.
struct AxisMapping: Hashable, Sendable {
  /// The samples of the target.
  var count: Int
  /// The source coordinate of the left edge of target sample 0.
  var start: Double
  /// The source samples to a target sample.
  var step: Double
  /// The edges of the picture in the source: what lies beyond has no weight, what is cut by an edge weighs as much as
  /// lies inside.
  var lower: Double
  /// See `lower`.
  var upper: Double
  /// The samples of the source; a window that reaches beyond them sees the outermost ones again.
  var limit: Int

  /// The mapping of a window of the source to a picture of `length` pixels that are stored `factor` to a sample.
  ///
  /// Where `length` is no multiple of `factor`, the last sample covers more than is left of the picture (the first one
  /// does, if the axis is stored `mirrored`). So samples stay where they belong.
  init(
    windowStart: Double, windowLength: Double, limit: Int, length: Int, factor: Int, mirrored: Bool
  ) {
    count = (length + factor - 1) / factor
    let pixel = windowLength / Double(length)
    step = pixel * Double(factor)
    start = mirrored ? windowStart - pixel * Double(count * factor - length) : windowStart
    lower = windowStart
    upper = windowStart + windowLength
    self.limit = limit
  }

  /// A mapping that uses all of the source.
  init(count: Int, start: Double, step: Double, limit: Int) {
    self.count = count
    self.start = start
    self.step = step
    lower = 0
    upper = Double(limit)
    self.limit = limit
  }

  /// The first source sample of a mapping that takes samples as they are; nil where it does not.
  var identityOffset: Int? {
    guard step == 1, start == start.rounded(), start >= 0, start + Double(count) <= Double(limit) else { return nil }
    return Int(start)
  }
}
