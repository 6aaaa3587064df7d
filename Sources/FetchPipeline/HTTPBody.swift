/// Where the bytes of a body come from. Transports implement it; a middleware that looks at bodies wraps it.
public protocol HTTPBodySource: Sendable {
  /// Appends bytes to `buffer` until at least `minimum` have been added, the buffer is full, or the body has ended.
  ///
  /// The buffer belongs to the source until the call returns. One call at a time.
  /// - Returns: whether the body has ended; a source says so no later than the call after the last byte.
  /// - Throws: `connection-lost`, `stalled`, `timeout`, `body-truncated` and the like of stage transport.
  func receive(into buffer: ReceiveBuffer, atLeast minimum: Int) async throws -> Bool

  /// Gives the rest up, and returns when the exchange is over, so that its connection no longer counts.
  func cancel() async
}

/// The body of a response: chunks as they come, or all of it in one buffer.
public struct HTTPBody: Sendable {
  /// The length that the head announced for the bytes that `source` delivers; nil where it is not known.
  public let expectedLength: Int?
  private let source: any HTTPBodySource

  /// A body that comes from `source`.
  public init(expectedLength: Int?, source: any HTTPBodySource) {
    self.expectedLength = expectedLength
    self.source = source
  }

  /// A body that is there already.
  public init(_ bytes: SharedBytes) {
    self.init(expectedLength: bytes.count, source: BufferedBody(bytes))
  }

  /// The next bytes, at most `chunkSize` of them; nil at the end.
  public func next(chunkSize: Int = 65_536) async throws -> SharedBytes? {
    let buffer = try ReceiveBuffer(capacity: chunkSize)
    while buffer.count == 0 {
      if try await source.receive(into: buffer, atLeast: 1) { break }
    }
    return buffer.count == 0 ? nil : buffer.freeze()
  }

  /// All bytes in one buffer, sized by the expected length and never copied.
  ///
  /// - Parameters:
  ///   - limit: the most bytes; more is `body-too-large`, without receiving them.
  ///   - memory: what the bytes are charged to, before they are received.
  ///   - inspect: is shown the first bytes, a few hundred of them or the whole body, and ends the exchange by throwing.
  public func collect(
    upTo limit: Int, chargedTo memory: (any BodyMemory)? = nil,
    inspecting inspect: ((SharedBytes) throws -> Void)? = nil
  ) async throws -> SharedBytes {
    if let buffered = source as? BufferedBody { return try buffered.all(upTo: limit) }
    do {
      if let expectedLength, expectedLength > limit { throw Self.tooLarge(limit) }
      // One byte of room behind the last, so that the end is seen in the same call.
      let first = expectedLength ?? min(limit, Self.firstStep)
      try await memory?.grow(to: first)
      let buffer = try ReceiveBuffer(capacity: first + 1)
      var inspect = inspect
      while true {
        let minimum = inspect == nil ? buffer.available : min(512, buffer.available)
        let ended = try await source.receive(into: buffer, atLeast: minimum)
        if let inspection = inspect {
          try inspection(buffer.beginning(512))
          inspect = nil
        }
        if buffer.count > limit { throw Self.tooLarge(limit) }
        if ended {
          memory?.settle(at: buffer.count)
          return buffer.freeze(keeping: memory)
        }
        if buffer.available == 0 {
          // No further than memory goes; what needs more than that is refused there.
          let most = max(memory?.mostBytes ?? limit, buffer.count)
          let larger = min(max(buffer.capacity * 2, Self.firstStep), limit, most)
          try await memory?.grow(to: larger)
          try buffer.grow(to: larger + 1)
        }
      }
    } catch {
      await source.cancel()
      throw error
    }
  }

  /// Gives the body up. The exchange is over when this returns.
  public func cancel() async {
    await source.cancel()
  }

  private static let firstStep = 128 * 1024

  fileprivate static func tooLarge(_ limit: Int) -> PipelineError {
    PipelineError(.transport, .bodyTooLarge, "the body is larger than the limit of \(limit) bytes (transport.maxBytes)")
  }
}

/// What the bytes of a body are charged to while they are held.
public protocol BodyMemory: AnyObject, Sendable {
  /// The most bytes that one body may ever hold.
  var mostBytes: Int { get }

  /// Returns when `bytes` in all may be held. Throws `out-of-budget` where that can never be.
  func grow(to bytes: Int) async throws

  /// The body is complete and holds that many bytes, no more and no fewer from now on.
  func settle(at bytes: Int)
}

extension BodyMemory {
  /// No bound.
  public var mostBytes: Int { .max }
}

/// A body that has been received.
private final class BufferedBody: HTTPBodySource {
  private let bytes: SharedBytes
  private let position = Lock(0)

  init(_ bytes: SharedBytes) {
    self.bytes = bytes
  }

  func receive(into buffer: ReceiveBuffer, atLeast minimum: Int) async throws -> Bool {
    position.withLock { position in
      bytes.slice(from: position, count: bytes.count).withUnsafeBytes { position += buffer.append($0) }
      return position == bytes.count
    }
  }

  func cancel() async {}

  func all(upTo limit: Int) throws -> SharedBytes {
    guard bytes.count <= limit else { throw HTTPBody.tooLarge(limit) }
    return bytes
  }
}
