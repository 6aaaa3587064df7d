/// Why an item failed: where, a code from a closed set, and what a person should know.
public struct PipelineError: Error, Sendable {
  /// The step at which the item failed.
  public var stage: Stage
  /// What went wrong; others rely on these names.
  public var code: Code
  /// What went wrong in words, with secrets redacted.
  public var message: String
  /// Whether another attempt, later, may well succeed.
  public var isTransient: Bool
  /// The status of the response, where there was one.
  public var httpStatus: Int?
  /// The error that caused this one.
  public var underlying: (any Error)?
  /// Whether it is not one of the item: every other item would fail as well, and the run ends.
  public var endsRun: Bool

  /// An error at `stage`. `isTransient` defaults to what the code usually means, `endsRun` to false but for `disk-full`
  /// and `cancelled`.
  public init(
    _ stage: Stage, _ code: Code, _ message: String, isTransient: Bool? = nil, httpStatus: Int? = nil,
    underlying: (any Error)? = nil, endsRun: Bool? = nil
  ) {
    self.stage = stage
    self.code = code
    self.message = message
    self.isTransient = isTransient ?? code.isUsuallyTransient
    self.httpStatus = httpStatus
    self.underlying = underlying
    self.endsRun = endsRun ?? (code == .diskFull || code == .cancelled)
  }

  /// `error` as it is where it is one of ours; anything else as `fallback` of `stage`.
  public init(_ error: any Error, at stage: Stage, as fallback: Code = .plugin) {
    if let known = error as? PipelineError {
      self = known
    } else if error is CancellationError {
      self.init(stage, .cancelled, "cancelled", underlying: error)
    } else {
      self.init(stage, fallback, String(describing: error), underlying: error)
    }
  }

  /// The steps an item goes through, in order.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    case input, request, cache, transport, decode, transform, encode, output, plugin
  }

  /// The closed set of error codes.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    // Usually transient.
    case dns
    case connect
    case timeout
    case stalled
    case connectionLost = "connection-lost"
    case `protocol`
    case httpStatus = "http-status"
    case hostUnavailable = "host-unavailable"
    case bodyTruncated = "body-truncated"
    case diskFull = "disk-full"
    case outOfBudget = "out-of-budget"
    case cancelled
    // Permanent.
    case invalidInput = "invalid-input"
    case unsupportedScheme = "unsupported-scheme"
    case blockedAddress = "blocked-address"
    case tls
    case disallowed
    case redirectLimit = "redirect-limit"
    case redirectBlocked = "redirect-blocked"
    case bodyTooLarge = "body-too-large"
    case contentEncoding = "content-encoding"
    case responseDecoding = "response-decoding"
    case notCached = "not-cached"
    case notFound = "not-found"
    case notAnImage = "not-an-image"
    case unsupportedFormat = "unsupported-format"
    case unsupportedFeature = "unsupported-feature"
    case tooSmall = "too-small"
    case corrupt
    case truncated
    case tooManyPixels = "too-many-pixels"
    case tooManyFrames = "too-many-frames"
    case tooManyScans = "too-many-scans"
    case decodeTimeout = "decode-timeout"
    case transform
    case encode
    case write
    case nameCollision = "name-collision"
    case plugin

    /// What the code means where nothing else is known. `dns` of a name that does not exist and `http-status` of most
    /// 4xx are permanent all the same.
    public var isUsuallyTransient: Bool {
      switch self {
      case .dns, .connect, .timeout, .stalled, .connectionLost, .protocol, .httpStatus, .hostUnavailable,
        .bodyTruncated, .diskFull, .outOfBudget, .cancelled:
        true
      default: false
      }
    }
  }
}

extension PipelineError: CustomStringConvertible {
  /// `stage: code: message`.
  public var description: String { "\(stage.rawValue): \(code.rawValue): \(message)" }
}

extension PipelineError.Code: CustomStringConvertible {
  /// As reports write it.
  public var description: String { rawValue }
}
