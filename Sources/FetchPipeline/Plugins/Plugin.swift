/// A plugin that was loaded.
public struct Plugin: Sendable {
  /// The file.
  public let path: String
  /// What it was written for: Swift's or C's boundary.
  public let kind: Kind
  /// The stages that it brought.
  public let stages: [StageDescription]

  /// The boundary that a plugin is written for.
  public enum Kind: String, Sendable {
    /// It registers types that conform to `Stage`.
    case swift
    /// It registers tables of functions.
    case c
  }
}

/// Why a plugin was not loaded, and what to do.
public struct PluginError: Error, Sendable, CustomStringConvertible {
  /// The file or folder.
  public let path: String
  /// What is wrong.
  public let reason: String

  /// `path: reason`.
  public var description: String { "\(path): \(reason)" }
}
