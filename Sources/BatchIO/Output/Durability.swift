import FetchPipeline

/// When files are told to reach the disk, so that they survive a power cut. The death of the program they survive always.
public enum Durability: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// Many together, before they get their names: at most about 100 ms after each was written.
  case batch
  /// Whenever the system likes.
  case none
  /// Each by itself.
  case each
}
