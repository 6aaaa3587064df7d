import CCurl
import FetchPipeline

/// libcurl's multi interface on a thread of its own: starts exchanges, moves their bytes, ends them.
///
/// Tasks post commands; everything else happens on the thread, which starts with the first command.
// Sendable: `inbox` is locked; `multi` is only woken by others, under that lock and before the loop is closed; all
// other state is touched on the loop's thread alone, and by `init` before and `tearDown` after it.
final class CurlLoop: @unchecked Sendable {
  /// What tasks ask of the loop.
  enum Command {
    /// Begin an exchange.
    case start(Exchange)
    /// End an exchange unless it is over.
    case cancel(Exchange)
    /// Let a paused exchange go on if its consumer has made room.
    case resume(Exchange)
    /// A look-up is done.
    case resolved(String, LookupResult)
  }

  private struct Inbox {
    var commands: [Command] = []
    var isAsleep = false
    var hasThread = false
    var isClosed = false
    var closeWaiters: [CheckedContinuation<Void, Never>] = []
    var isTornDown = false
  }

  /// What the loop keeps to.
  let configuration: CurlConfiguration
  /// libcurl's handle, owned.
  let multi: UnsafeMutableRawPointer
  /// What the handles have in common: TLS sessions, and cookies if they are kept. Owned.
  let share: UnsafeMutableRawPointer
  /// The moment at which the current round began.
  var now = Moment.now
  /// Who may have a connection.
  var gate: ConnectionGate<Exchange>
  /// What is known of names.
  var names = NameCache<Exchange>(limit: CurlLoop.lookupLimit)
  /// The sockets of the connections.
  var sockets = OpenSockets()
  /// The origins that have sent something unasked on a kept connection: none of theirs is kept any more.
  var chatterers: Set<String> = []
  /// The handles with an exchange, in no order.
  var active: [EasyHandle] = []
  /// The handles without one.
  var resting: [EasyHandle] = []
  /// The exchanges that something has come for in this round.
  var touched: [Exchange] = []
  /// No deadline passes before this moment.
  var nextDeadline = Moment.never

  private let inbox = Lock(Inbox())

  /// The most look-ups at a time.
  static let lookupLimit = 16

  /// The error of exchanges that the end of the transport ends.
  static var closedError: PipelineError { PipelineError(.transport, .cancelled, "the transport has been shut down") }

  /// A loop without a thread yet. Throws `out-of-budget` where libcurl cannot be set up.
  init(_ configuration: CurlConfiguration) throws {
    guard Self.isLibraryReady, let multi = curl_multi_init() else { throw Self.setupError }
    guard let share = curl_share_init() else {
      curl_multi_cleanup(multi)
      throw Self.setupError
    }
    self.multi = multi
    self.share = share
    var configuration = configuration
    configuration.connections = OpenFileLimit.connections(atMost: configuration.connections)
    self.configuration = configuration
    gate = ConnectionGate(limit: configuration.connections, limitPerAuthority: configuration.connectionsPerHost)
    // Idle connections count too: where a new one is needed, libcurl closes the oldest idle one for it.
    fp_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.connections)
    fp_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.connections)
    // To libcurl the host of a request through a proxy is the proxy.
    if configuration.proxies == .none {
      fp_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHost)
    }
    // One thread uses the share: no locks are needed.
    fp_curl_share(share, CURL_LOCK_DATA_SSL_SESSION)
    if configuration.keepsCookies { fp_curl_share(share, CURL_LOCK_DATA_COOKIE) }
  }

  private static var setupError: PipelineError {
    PipelineError(.transport, .outOfBudget, "libcurl cannot be set up")
  }

  deinit {
    // Only a loop that never had a thread comes here with its handles.
    guard !inbox.withLock({ $0.isTornDown }) else { return }
    curl_multi_cleanup(multi)
    curl_share_cleanup(share)
  }

  private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  // MARK: Commands

  /// Hands a command over; false where the loop takes none any more.
  func post(_ command: Command) -> Bool {
    inbox.withLock { inbox in
      guard !inbox.isClosed, startThread(&inbox) else { return false }
      inbox.commands.append(command)
      wake(&inbox)
      return true
    }
  }

  /// Ends all exchanges, closes all connections, and returns when that is done.
  func close() async {
    await withCheckedContinuation { continuation in
      let isDone = inbox.withLock { inbox -> Bool in
        inbox.isClosed = true
        guard inbox.hasThread, !inbox.isTornDown else { return true }
        inbox.closeWaiters.append(continuation)
        wake(&inbox)
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  /// Ends all exchanges and closes all connections, soon.
  func closeSoon() {
    inbox.withLock { inbox in
      inbox.isClosed = true
      if inbox.hasThread, !inbox.isTornDown { wake(&inbox) }
    }
  }

  private func startThread(_ inbox: inout Inbox) -> Bool {
    guard !inbox.hasThread else { return true }
    do { try BackgroundThread.start { self.run() } } catch { return false }
    inbox.hasThread = true
    return true
  }

  private func wake(_ inbox: inout Inbox) {
    guard inbox.isAsleep else { return }
    inbox.isAsleep = false
    curl_multi_wakeup(multi)
  }

  // MARK: The thread

  private func run() {
    while true {
      let (commands, isClosed) = inbox.withLock { inbox in
        defer { inbox.commands = [] }
        return (inbox.commands, inbox.isClosed)
      }
      now = .now
      for command in commands { perform(command) }
      if isClosed { return tearDown() }
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      endFinished()
      settleTouched()
      enforceDeadlines()
      let sleeps = inbox.withLock { inbox -> Bool in
        inbox.isAsleep = inbox.commands.isEmpty && !inbox.isClosed
        return inbox.isAsleep
      }
      if sleeps {
        curl_multi_poll(multi, nil, 0, millisecondsToSleep(), nil)
        inbox.withLock { $0.isAsleep = false }
      }
    }
  }

  private func perform(_ command: Command) {
    switch command {
    case .start(let exchange): start(exchange)
    case .cancel(let exchange): cancel(exchange)
    case .resume(let exchange): touch(exchange)
    case .resolved(let name, let result): resolved(name, result)
    }
  }

  /// Until the next deadline, rounded up, at most a minute; libcurl's own deadlines shorten it.
  private func millisecondsToSleep() -> Int32 {
    guard nextDeadline != .never else { return 60_000 }
    return Int32(min(nextDeadline.since(.now) / 1_000_000 + 1, 60_000))
  }

  private func tearDown() {
    for handle in active { finish(handle, CurlLoop.closedError, admitsNext: false) }
    for exchange in gate.removeWaiting() { exchange.end(CurlLoop.closedError) }
    resting.removeAll()
    curl_multi_cleanup(multi)
    curl_share_cleanup(share)
    let waiters = inbox.withLock { inbox in
      inbox.isTornDown = true
      return inbox.closeWaiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
