/// A body that has been received, until it has been decoded.
final class ReceivedBody: Sendable {
  /// Content-Type, where there was one.
  let contentType: String?
  /// Whether the transport could tell that the body is complete.
  let isKnownComplete: Bool
  private let content: Lock<SharedBytes>
  private let account: BodyAccount?

  init(_ bytes: SharedBytes, contentType: String?, isKnownComplete: Bool, account: BodyAccount?) {
    content = Lock(bytes)
    self.contentType = contentType
    self.isKnownComplete = isKnownComplete
    self.account = account
  }

  /// The bytes; none after `release`.
  var bytes: SharedBytes { content.withLock { $0 } }

  /// What stands for the bytes. Reads all of them; not after `release`.
  var digest: ContentDigest { ContentDigest(of: bytes) }

  /// A worker has begun: the body no longer counts as read ahead.
  func begin() { account?.begin() }

  /// The same bytes for another one, who gives them up by itself. Not after `release`.
  func shared() -> ReceivedBody {
    ReceivedBody(bytes, contentType: contentType, isKnownComplete: isKnownComplete, account: account)
  }

  /// Gives the bytes up, though others may still hold this object.
  func release() { content.withLock { $0 = .empty } }
}
