/// What becomes of a picture of which pixels are missing or broken.
public enum DamagePolicy: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// It fails: `truncated` or `corrupt`.
  case reject
  /// What can still be decoded is kept. Where nothing came, opaque pictures are mid-grey, others transparent. A picture of
  /// which no pixel came fails all the same, and so does one whose headers are broken.
  case salvage
}
