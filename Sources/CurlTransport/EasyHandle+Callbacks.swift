import CCurl
import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// libcurl calls these on the loop's thread, from within `curl_multi_perform`, with the handle that it was given.

private func handle(_ user: UnsafeMutableRawPointer?) -> EasyHandle? {
  user.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
}

/// A header line. Anything but its length as the answer ends the transfer.
let headerCallback: fp_curl_data_callback = { data, size, count, user in
  guard let handle = handle(user), let exchange = handle.exchange else { return 0 }
  handle.noteProgress()
  switch handle.head.add(UnsafeRawBufferPointer(start: data, count: size * count)) {
  case .incomplete: break
  case .complete: return handle.takeHead() ? size * count : 0
  case .tooLarge:
    exchange.abort(
      PipelineError(.transport, .protocol, "the header of the answer is larger than \(HeadAssembler.limit) bytes"))
    return 0
  }
  return size * count
}

/// Bytes of the body. Anything but their number as the answer ends the transfer.
let bodyCallback: fp_curl_data_callback = { data, size, count, user in
  guard let handle = handle(user), let exchange = handle.exchange else { return 0 }
  handle.noteProgress()
  let chunk = UnsafeRawBufferPointer(start: data, count: size * count)
  guard let decoder = handle.decoder else { return exchange.received(chunk) ? chunk.count : 0 }
  do {
    return try decoder.decode(chunk) { exchange.received($0) } ? chunk.count : 0
  } catch {
    exchange.abort(error)
    return 0
  }
}

/// Makes the socket for a connection, if the address may be connected to.
let openSocketCallback: curl_opensocket_callback = { user, _, address in
  guard let handle = handle(user), let address else { return CURL_SOCKET_BAD }
  return handle.openSocket(for: address)
}

/// A socket of the loop's is to be closed, whichever handle has used it.
let closeSocketCallback: curl_closesocket_callback = { user, socket in
  guard let user else { return close(socket) }
  Unmanaged<CurlLoop>.fromOpaque(user).takeUnretainedValue().sockets.closed(socket)
  return close(socket)
}

/// There is a connection, and the request is about to be sent.
let connectedCallback: curl_prereq_callback = { user, remote, local, remotePort, localPort in
  guard let handle = handle(user), let remote, let local else { return CURL_PREREQFUNC_ABORT }
  let ends = OpenSockets.Ends(
    local: String(cString: local), localPort: localPort, remote: String(cString: remote), remotePort: remotePort)
  guard handle.mayUse(ends) else { return CURL_PREREQFUNC_ABORT }
  handle.isConnected = true
  handle.timer.connected(at: handle.loop.now)
  handle.loop.watch(handle)
  return CURL_PREREQFUNC_OK
}

/// How much has been transferred, encoded as it is. Anything but 0 as the answer ends the transfer.
let progressCallback: curl_xferinfo_callback = { user, _, received, _, _ in
  guard let handle = handle(user), let exchange = handle.exchange else { return 0 }
  let limit = handle.loop.configuration.maximumBytes
  guard received > limit else { return 0 }
  exchange.abort(ExchangeState.tooLarge(limit))
  return 1
}

extension EasyHandle {
  /// Something has come.
  fileprivate func noteProgress() {
    timer.progressed(at: loop.now)
    loop.touch(self)
  }

  fileprivate func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    guard let exchange else { return CURL_SOCKET_BAD }
    let target = address.pointee
    let permitted = withUnsafePointer(to: &address.pointee.addr) { raw -> Bool in
      // Neither version 4 nor 6: refused.
      guard let ip = IPAddress(raw, length: Int(target.addrlen)) else { return false }
      if proxy != nil || loop.configuration.policy.permits(ip, host: exchange.request.url.host) { return true }
      refused.append(ip)
      return false
    }
    guard permitted else { return CURL_SOCKET_BAD }
    let opened = socket(target.family, target.socktype | closeOnExec, target.protocol)
    openedSockets.append(opened)
    return opened
  }

  /// Whether the request may be sent on a connection: one that is new, or one that was kept and on which nothing has come
  /// since.
  ///
  /// Bytes that nobody asked for would be taken for the answer to this request, and libcurl (7.88) does not look for them.
  /// Such a connection is closed, the exchange begins again on a new one, and no connection to that origin is kept any more.
  /// So it is where the bytes wait within TLS: in the kernel there is nothing good on an idle connection (session tickets
  /// are read with the first answer).
  ///
  /// Bytes that arrive after this look, while the request is on its way, cannot be told from the answer in HTTP/1.1. The
  /// true answer then comes too late, and is what gives the origin away when the connection is looked at next.
  fileprivate func mayUse(_ ends: OpenSockets.Ends) -> Bool {
    connection = ends
    if !openedSockets.isEmpty {
      loop.sockets.connected(ends, oneOf: openedSockets)
      return true
    }
    let silence = loop.sockets.silence(on: ends)
    let isBroken = silence == .broken || hasBufferedTLS
    if silence == .kept, !isBroken { return true }
    if isBroken, let exchange { loop.chatterers.insert(exchange.request.url.origin) }
    needsNewConnection = true
    startsAgain = true
    return false
  }

  /// Notes where an answer that is complete had more behind it: libcurl then closes a connection that the answer left open,
  /// which it does for nothing else.
  func noteExcess() {
    guard leavesConnectionOpen, proxy == nil, let exchange, let connection, !loop.sockets.isOpen(connection) else {
      return
    }
    loop.chatterers.insert(exchange.request.url.origin)
  }

  /// Hands the head on that is complete now; false where the transfer is to be ended.
  fileprivate func takeHead() -> Bool {
    guard let exchange else { return false }
    let block = head.takeBlock()
    let status = ResponseHead.status(ofBlock: block) ?? 0
    if !BodyFraming.isBodiless(status: status, isHead: exchange.request.method == .head) {
      let framing = BodyFraming(block: block)
      if !framing.isChunked, let flaw = framing.flaw {
        let host = exchange.request.url.host
        exchange.abort(PipelineError(.transport, .protocol, "\(host): the answer's end cannot be told: \(flaw)"))
        return false
      }
      leavesConnectionOpen = !framing.endsConnection && (framing.isChunked || framing.length != nil)
      if !framing.codings.isEmpty, !usesLibraryDecoders {
        if (200..<300).contains(status), exchange.request.method.isIdempotent,
          !ContentDecoder.foreign.isDisjoint(with: framing.codings)
        {
          usesLibraryDecoders = true
          startsAgain = true
          return false
        }
        decoder = ContentDecoder(codings: framing.codings)
        isCloseDelimited = !framing.isChunked && framing.length == nil
      }
    }
    exchange.headArrived(block)
    return true
  }
}

/// `SOCK_CLOEXEC` as an integer; the C libraries declare it differently.
#if canImport(Glibc)
private let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
#else
private let closeOnExec = Int32(SOCK_CLOEXEC)
#endif
