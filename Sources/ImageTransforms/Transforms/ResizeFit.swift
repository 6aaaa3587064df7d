import FetchPipeline

/// How a picture is fitted into a target of another shape.
public enum ResizeFit: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// As large as it fits into the target.
  case inside
  /// As small as it covers the target, and then cut to it.
  case cover
  /// As large as it fits into the target, and then padded to it.
  case contain
  /// The target's shape, whatever the picture's.
  case fill
  /// As small as it covers the target; not cut.
  case outside
}
