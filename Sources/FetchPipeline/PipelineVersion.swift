/// The version of this package.
public enum PipelineVersion {
  /// The release (semver.org).
  public static let release = "0.1.0"
  /// What requests name in User-Agent.
  public static let product = "fetch-pipeline/\(release)"
  /// Counts up whenever the same recipe begins to make other pixels or bytes: part of every recipe.
  public static let codecRevision = 4
}
