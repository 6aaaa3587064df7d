import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An HTTP/1.1 origin on 127.0.0.1 that does what its scripts say, records what it is asked, and counts connections.
///
/// Every connection has a thread of its own. What no script is for is answered with 404.
public final class ScriptedOrigin: Sendable {
  /// The port, chosen by the system.
  public let port: Int
  private let listener: Int32
  private let stop: Latch
  private let receivePause: Duration?
  private let greeting: [UInt8]
  private let state = Lock(State())

  private struct State {
    var scripts: [String: [ScriptedReply]] = [:]
    var requests: [RecordedRequest] = []
    var counts: [String: Int] = [:]
    var open: Set<Int32> = []
    var accepted = 0
    var mostOpen = 0
    var bytesSent = 0
    var threads: [pthread_t] = []
    var finished: [pthread_t] = []
    var isClosed = false
  }

  /// An origin that listens, without scripts yet.
  ///
  /// - Parameters:
  ///   - receivePause: how long to wait after each 16 KiB of requests, so that uploads take their time.
  ///   - greeting: what is sent on each connection at once, as servers of other protocols do.
  public init(receivePause: Duration? = nil, greeting: [UInt8] = []) throws {
    stop = try Latch()
    self.greeting = greeting
    self.receivePause = receivePause
    (listener, port) = try LoopbackSocket.listen(receiveBuffer: receivePause == nil ? nil : 16_384)
    spawn { origin in origin.acceptConnections() }
  }

  deinit {
    close()
  }

  // MARK: Scripts

  /// Answers the first request for `target` with the first reply, and so on; the last one serves all that follow.
  public func on(_ target: String, _ replies: ScriptedReply...) {
    state.withLock { $0.scripts[target] = replies }
  }

  /// The URL of a target on this origin.
  public func url(_ target: String, host: String = "127.0.0.1") -> String {
    "http://\(host):\(port)\(target)"
  }

  // MARK: What has happened

  /// All requests, in the order in which they came.
  public var requests: [RecordedRequest] { state.withLock { $0.requests } }

  /// The requests for a target, in the order in which they came.
  public func requests(for target: String) -> [RecordedRequest] {
    requests.filter { $0.target == target }
  }

  /// The connections accepted so far.
  public var connectionsAccepted: Int { state.withLock { $0.accepted } }

  /// The connections that neither side has closed.
  public var connectionsOpen: Int { state.withLock { Self.open($0) } }

  /// The most connections that were open whenever one was accepted, that one included.
  public var mostConnectionsOpen: Int { state.withLock { $0.mostOpen } }

  /// The bytes that the system has taken for the other sides so far, heads included.
  public var bytesSent: Int { state.withLock { $0.bytesSent } }

  /// Waits until no connection is open, at most `limit`; whether that came.
  public func waitForNoConnections(upTo limit: Duration = .seconds(5)) async -> Bool {
    let end = ContinuousClock.now + limit
    while connectionsOpen > 0 {
      if ContinuousClock.now > end { return false }
      try? await Task.sleep(for: .milliseconds(2))
    }
    return true
  }

  /// Breaks all connections off and stops listening. Returns when all threads have ended.
  public func close() {
    let isFirst = state.withLock { state -> Bool in
      if state.isClosed { return false }
      state.isClosed = true
      for descriptor in state.open { LoopbackSocket.shutDown(descriptor) }
      return true
    }
    guard isFirst else { return }
    stop.open()
    LoopbackSocket.shutDown(listener)
    while let thread = state.withLock({ $0.threads.popLast() }) { pthread_join(thread, nil) }
    systemClose(listener)
  }

  // MARK: Threads

  private func acceptConnections() {
    while let descriptor = LoopbackSocket.accept(listener, waits: true) {
      // The end of one connection and the beginning of the next may arrive on different processors, in any order: before
      // it is believed that more are open than ever, the end gets the time to arrive.
      if state.withLock({ Self.open($0) + 1 > $0.mostOpen }) { usleep(2000) }
      let isOpen = state.withLock { state -> Bool in
        if state.isClosed { return false }
        // What a client has closed counts no more, even if its thread has not come to see that yet.
        state.mostOpen = max(state.mostOpen, Self.open(state) + 1)
        state.open.insert(descriptor)
        state.accepted += 1
        return true
      }
      joinFinished()
      guard isOpen, spawn({ origin in origin.serve(descriptor) }) else {
        systemClose(descriptor)
        return
      }
    }
  }

  private func serve(_ descriptor: Int32) {
    var bytes: [UInt8] = []
    var isOver = !send(greeting[...], to: descriptor)
    while !isOver {
      while true {
        if let (request, length) = RecordedRequest.parse(bytes) {
          bytes.removeFirst(length)
          isOver = !perform(reply(to: request), on: descriptor)
          break
        }
        let isOpen = LoopbackSocket.receive(into: &bytes, from: descriptor)
        if isOpen, let receivePause { _ = wait(on: descriptor, upTo: receivePause) }
        if !isOpen {
          isOver = true
          break
        }
      }
    }
    state.withLock { state in
      state.open.remove(descriptor)
      state.finished.append(pthread_self())
    }
    systemClose(descriptor)
  }

  /// Frees the stacks of the threads that have ended or are about to.
  private func joinFinished() {
    let threads = state.withLock { state -> [pthread_t] in
      state.threads.removeAll { thread in state.finished.contains { pthread_equal($0, thread) != 0 } }
      defer { state.finished = [] }
      return state.finished
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  private func reply(to request: RecordedRequest) -> ScriptedReply {
    state.withLock { state in
      state.requests.append(request)
      let index = state.counts[request.target, default: 0]
      state.counts[request.target] = index + 1
      guard let replies = state.scripts[request.target], let last = replies.last else { return .response(404) }
      return index < replies.count ? replies[index] : last
    }
  }

  /// Runs the steps; whether the connection goes on.
  private func perform(_ reply: ScriptedReply, on descriptor: Int32) -> Bool {
    for step in reply.steps {
      switch step {
      case .send(let bytes):
        if !send(bytes[...], to: descriptor) { return false }
      case .drip(let bytes, let count, let pause):
        var rest = bytes[...]
        while !rest.isEmpty {
          if !send(rest.prefix(max(count, 1)), to: descriptor) { return false }
          rest = rest.dropFirst(max(count, 1))
          if !wait(on: descriptor, upTo: pause) { return false }
        }
      case .repeatForever(let bytes):
        while send(bytes[...], to: descriptor) {}
        return false
      case .pause(let duration):
        if !wait(on: descriptor, upTo: duration) { return false }
      case .wait(let latch):
        if !wait(on: descriptor, for: latch.descriptor) { return false }
      case .hang:
        _ = wait(on: descriptor)
        return false
      case .close: return false
      case .reset:
        LoopbackSocket.reset(descriptor)
        return false
      }
    }
    return true
  }

  private func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    guard LoopbackSocket.send(bytes, to: descriptor) else { return false }
    state.withLock { $0.bytesSent += bytes.count }
    return true
  }

  /// Waits for the time, or for `other` to be readable; false where the connection or the origin ends before.
  private func wait(on descriptor: Int32, for other: Int32 = -1, upTo limit: Duration? = nil) -> Bool {
    var entries = [
      pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: LoopbackSocket.peerClosed, revents: 0),
      pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = limit.map { Int32(clamping: Int64(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
    while true {
      let count = poll(&entries, nfds_t(entries.count), milliseconds)
      if count >= 0 || errno != EINTR { return entries[0].revents == 0 && entries[1].revents == 0 }
    }
  }

  private static func open(_ state: State) -> Int {
    state.open.count { !LoopbackSocket.isClosedByPeer($0) }
  }

  @discardableResult
  private func spawn(_ body: @escaping @Sendable (ScriptedOrigin) -> Void) -> Bool {
    // The thread does not keep the origin alive: `close` joins it before the origin goes.
    let work = Unmanaged.passRetained(Work(origin: Unmanaged.passUnretained(self), body: body))
    return state.withLock { state -> Bool in
      withUnsafeTemporaryAllocation(of: pthread_t.self, capacity: 1) { thread -> Bool in
        guard let thread = thread.baseAddress else { return false }
        let code = pthread_create(
          thread, nil,
          { argument in
            guard let argument else { return nil }
            let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
            work.origin._withUnsafeGuaranteedRef { work.body($0) }
            return nil
          }, work.toOpaque())
        guard code == 0 else {
          work.release()
          return false
        }
        state.threads.append(thread.pointee)
        return true
      }
    }
  }

  // Sendable: written before its thread exists and read only there.
  private final class Work: @unchecked Sendable {
    let origin: Unmanaged<ScriptedOrigin>
    let body: @Sendable (ScriptedOrigin) -> Void

    init(origin: Unmanaged<ScriptedOrigin>, body: @escaping @Sendable (ScriptedOrigin) -> Void) {
      self.origin = origin
      self.body = body
    }
  }
}

// The name that `ScriptedOrigin.close` hides.
private func systemClose(_ descriptor: Int32) {
  _ = close(descriptor)
}
