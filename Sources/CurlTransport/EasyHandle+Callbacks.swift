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
  case .complete: exchange.headArrived(handle.head.takeBlock())
  case .tooLarge:
    exchange.abort(
      PipelineError(.transport, .protocol, "the header of the answer is larger than \(HeadAssembler.limit) bytes"))
    return 0
  }
  return size * count
}

/// Bytes of the body, decoded. Anything but their number as the answer ends the transfer.
let bodyCallback: fp_curl_data_callback = { data, size, count, user in
  guard let handle = handle(user), let exchange = handle.exchange else { return 0 }
  handle.noteProgress()
  return exchange.received(UnsafeRawBufferPointer(start: data, count: size * count)) ? size * count : 0
}

/// Makes the socket for a connection, if the address may be connected to.
let openSocketCallback: curl_opensocket_callback = { user, _, address in
  guard let handle = handle(user), let address else { return CURL_SOCKET_BAD }
  return handle.openSocket(for: address)
}

/// There is a connection, and the request is about to be sent.
let connectedCallback: curl_prereq_callback = { user, _, _, _, _ in
  guard let handle = handle(user) else { return CURL_PREREQFUNC_ABORT }
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
    hasOpenedSocket = true
    return socket(target.family, target.socktype | closeOnExec, target.protocol)
  }
}

/// `SOCK_CLOEXEC` as an integer; the C libraries declare it differently.
#if canImport(Glibc)
private let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
#else
private let closeOnExec = Int32(SOCK_CLOEXEC)
#endif
