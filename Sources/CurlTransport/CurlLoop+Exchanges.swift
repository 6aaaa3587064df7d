import CCurl
import FetchPipeline

// The life of an exchange, on the loop's thread: gate, look-up, libcurl, end.

extension CurlLoop {
  /// Begins an exchange, or queues it.
  func start(_ exchange: Exchange) {
    if exchange.isCancelled {
      exchange.end(CancellationError())
    } else if gate.enter(exchange, authority: exchange.request.url.origin) {
      admit([exchange])
    }
  }

  /// Ends an exchange that somebody has given up.
  func cancel(_ exchange: Exchange) {
    if let handle = exchange.handle {
      finish(handle, CancellationError())
    } else {
      // It waits in the gate's queue, or its start is still to come, or it is over.
      exchange.end(CancellationError())
    }
  }

  /// Begins exchanges that the gate has let in.
  private func admit(_ exchanges: [Exchange]) {
    var entering = exchanges[...]
    while let exchange = entering.popFirst() {
      guard !exchange.isCancelled else {
        entering += gate.leave(authority: exchange.request.url.origin)
        continue
      }
      guard let handle = resting.popLast() ?? EasyHandle(loop: self) else {
        exchange.end(PipelineError(.transport, .outOfBudget, "libcurl has no memory for another transfer"))
        entering += gate.leave(authority: exchange.request.url.origin)
        continue
      }
      handle.begin(
        exchange,
        timer: ExchangeTimer(
          attempt: exchange.request.timeout, connect: configuration.connectTimeout, stall: configuration.stallTimeout),
        proxy: configuration.proxies.proxy(for: exchange.request.url))
      handle.activeIndex = active.count
      active.append(handle)
      exchange.handle = handle
      resolve(handle, exchange)
    }
    startLookups()
  }

  // MARK: Names

  private func resolve(_ handle: EasyHandle, _ exchange: Exchange) {
    if handle.proxy != nil, let address = refusedTarget(of: exchange.request.url) {
      return finish(handle, CurlFailure.blocked(address, host: exchange.request.url.host))
    }
    let (host, port) = handle.peer
    if let given = configuration.resolve.addresses(of: host, port: port) { return connect(handle, to: given) }
    if Self.isAddress(host) { return connect(handle, to: []) }
    if let known = NameResolver.wellKnown(host) { return connect(handle, to: known) }
    switch names.ask(host, for: exchange, at: now) {
    case .addresses(let addresses): connect(handle, to: addresses)
    case .noSuchName: connect(handle, to: .noSuchName)
    case .wait(let isRunning): if isRunning { lookupStarted(for: exchange) }
    }
  }

  /// The address that a URL itself names, where the guard would refuse it: behind a proxy nobody else asks it.
  private func refusedTarget(of url: ResourceURL) -> IPAddress? {
    let bare = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
    var addresses = [IPAddress(bare)].compactMap { $0 }
    if case .addresses(let known)? = NameResolver.wellKnown(url.host) { addresses += known }
    return addresses.first { !configuration.policy.permits($0, host: url.host) }
  }

  private func startLookups() {
    while let (name, waiters) = names.nextLookup() {
      for exchange in waiters { lookupStarted(for: exchange) }
      let isStarted = NameResolver.start(name, version: configuration.ipVersion) { [weak self] result in
        _ = self?.post(.resolved(name, result))
      }
      if !isStarted { resolved(name, .failure("there is no thread for the look-up")) }
    }
  }

  private func lookupStarted(for exchange: Exchange) {
    guard let handle = exchange.handle else { return }
    handle.timer.lookupStarted(at: now)
    watch(handle)
  }

  /// Goes on with those who waited for a name.
  func resolved(_ name: String, _ result: LookupResult) {
    let result = names.judged(result)
    for exchange in names.finished(name, result, at: now) {
      if let handle = exchange.handle { connect(handle, to: result) }
    }
    startLookups()
  }

  private func connect(_ handle: EasyHandle, to result: LookupResult) {
    let host = handle.peer.host
    switch result {
    case .addresses(let addresses):
      let usable = addresses.filter(configuration.ipVersion.includes)
      usable.isEmpty ? connect(handle, to: .noSuchName) : connect(handle, to: usable)
    case .noSuchName:
      finish(handle, PipelineError(.transport, .dns, "there is no host named \(host)", isTransient: false))
    case .failure(let reason):
      finish(handle, PipelineError(.transport, .dns, "the name \(host) cannot be looked up: \(reason)"))
    }
  }

  /// Whether a host is an address: in brackets, or four numbers, which is the only form a URL ends in a digit with.
  private static func isAddress(_ host: String) -> Bool {
    host.utf8.first == UInt8(ascii: "[")
      || host.utf8.last.map { (0x30...0x39).contains($0) } == true && IPAddress(host) != nil
  }

  // MARK: libcurl

  private func connect(_ handle: EasyHandle, to addresses: [IPAddress]) {
    guard let exchange = handle.exchange else { return }
    handle.addresses = addresses
    do {
      let connectTime = handle.timer.connectStarted(at: now)
      watch(handle)
      try handle.prepare(exchange.request, addresses: addresses, connectTime: connectTime)
      let code = curl_multi_add_handle(multi, handle.curl)
      guard code == CURLM_OK else {
        throw PipelineError(.transport, .outOfBudget, String(cString: curl_multi_strerror(code)))
      }
      handle.isAdded = true
    } catch {
      finish(handle, error)
    }
  }

  /// Ends the exchanges that libcurl is done with.
  func endFinished() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left)?.pointee {
      guard message.msg == CURLMSG_DONE, let handle = message.easy_handle.flatMap(EasyHandle.of) else { continue }
      if handle.startsAgain {
        startAgain(handle)
      } else {
        if message.data.result == CURLE_OK { handle.noteExcess() }
        finish(handle, handle.failure(of: message.data.result))
      }
    }
  }

  /// Sends the request of an exchange once more, of whose answer nothing has been handed on. The attempt goes on, and so
  /// does its time.
  private func startAgain(_ handle: EasyHandle) {
    handle.isAdded = false
    curl_multi_remove_handle(multi, handle.curl)
    handle.clear()
    connect(handle, to: handle.addresses)
  }

  /// Ends an exchange: first its connection is idle again or closed, then those who wait are told, since they may ask
  /// for the next one at once.
  func finish(_ handle: EasyHandle, _ failure: (any Error)?, admitsNext: Bool = true) {
    guard let exchange = handle.exchange else { return }
    if handle.isAdded {
      handle.isAdded = false
      curl_multi_remove_handle(multi, handle.curl)
    }
    if let last = active.popLast(), last !== handle {
      active[handle.activeIndex] = last
      last.activeIndex = handle.activeIndex
    }
    exchange.handle = nil
    handle.rest()
    if resting.count < configuration.connections { resting.append(handle) }
    let next = gate.leave(authority: exchange.request.url.origin)
    exchange.end(failure)
    if admitsNext { admit(next) }
  }

  // MARK: The round

  /// Notes that something has come for the exchange of `handle`.
  func touch(_ handle: EasyHandle) {
    if let exchange = handle.exchange { touch(exchange) }
  }

  /// Notes that the exchange is to be looked after.
  func touch(_ exchange: Exchange) {
    guard !exchange.isTouched else { return }
    exchange.isTouched = true
    touched.append(exchange)
  }

  /// Tells those who wait what has come, and lets the bytes flow or pause.
  func settleTouched() {
    for exchange in touched {
      exchange.isTouched = false
      guard let change = exchange.settle(), let handle = exchange.handle else { continue }
      switch change {
      case .pause:
        handle.timer.paused(at: now)
        curl_easy_pause(handle.curl, CURLPAUSE_RECV)
      case .resume:
        handle.timer.resumed(at: now)
        watch(handle)
        curl_easy_pause(handle.curl, CURLPAUSE_CONT)
      }
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Keeps an eye on a deadline that may now be the next. Deadlines that only move away need no such note.
  func watch(_ handle: EasyHandle) {
    nextDeadline = min(nextDeadline, handle.timer.deadline)
  }

  /// Ends the exchanges whose time is up.
  func enforceDeadlines() {
    now = .now
    guard nextDeadline <= now else { return }
    var late: [(EasyHandle, ExchangeTimer.Expiry)] = []
    for handle in active {
      handle.noteUpload(at: now)
      if let expiry = handle.timer.expiry(at: now) { late.append((handle, expiry)) }
    }
    for (handle, expiry) in late { finish(handle, handle.failure(of: expiry)) }
    nextDeadline = active.reduce(.never) { min($0, $1.timer.deadline) }
  }
}
