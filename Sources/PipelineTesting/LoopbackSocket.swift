#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A system call that failed: which one, and the error number.
public struct SystemCallError: Error, Sendable {
  /// The call.
  public let call: String
  /// The error number.
  public let number: Int32

  /// The error of `call` that `errno` tells.
  init(_ call: String) {
    self.call = call
    number = errno
  }
}

/// TCP sockets on the loopback interface.
enum LoopbackSocket {
  #if canImport(Glibc)
  private static let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  private static let noSignal = Int32(MSG_NOSIGNAL)
  #else
  private static let stream = Int32(SOCK_STREAM) | Int32(SOCK_CLOEXEC)
  private static let noSignal = Int32(MSG_NOSIGNAL)
  #endif
  /// `POLLRDHUP`, which the C library declares for GNU programs only: the peer sends no more.
  static let peerClosed = Int16(0x2000)

  /// A listening socket on 127.0.0.1, or ::1, and its port.
  static func listen(
    port: Int = 0, isIPv6: Bool = false, backlog: Int32 = 512, receiveBuffer: Int32? = nil
  ) throws -> (socket: Int32, port: Int) {
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
    guard descriptor >= 0 else { throw SystemCallError("socket") }
    do {
      var on: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      if var receiveBuffer {
        // Connections inherit it.
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
      }
      if isIPv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin6_addr = in6addr_loopback
        try bindAndName(descriptor, &address)
        guard systemListen(descriptor, backlog) == 0 else { throw SystemCallError("listen") }
        return (descriptor, Int(in_port_t(bigEndian: address.sin6_port)))
      }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      try bindAndName(descriptor, &address)
      guard systemListen(descriptor, backlog) == 0 else { throw SystemCallError("listen") }
      return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func bindAndName<Address>(_ descriptor: Int32, _ address: inout Address) throws {
    var length = socklen_t(MemoryLayout<Address>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw -> String? in
        if bind(descriptor, raw, length) != 0 { return "bind" }
        return getsockname(descriptor, raw, &length) == 0 ? nil : "getsockname"
      }
    }
    if let result { throw SystemCallError(result) }
  }

  /// The next connection of a listening socket; nil where there is none.
  static func accept(_ listener: Int32, waits: Bool) -> Int32? {
    if !waits, !isReady(listener) { return nil }
    while true {
      let descriptor = systemAccept(listener)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR, errno != ECONNABORTED { return nil }
    }
  }

  private static func isReady(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Whether the other side has closed the connection, or it is broken.
  static func isClosedByPeer(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: peerClosed, revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Connects to a port of 127.0.0.1 without waiting for the other side.
  static func startConnecting(to port: Int) -> Int32? {
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return descriptor
  }

  /// Sends all bytes; false where the connection is gone.
  static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { raw -> Bool in
      var sent = 0
      while sent < raw.count {
        let result = systemSend(descriptor, UnsafeRawBufferPointer(rebasing: raw[sent...]), noSignal)
        if result > 0 {
          sent += result
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }

  /// Receives bytes behind those in `buffer`; false at the end.
  static func receive(into buffer: inout [UInt8], from descriptor: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { chunk -> Bool in
      while true {
        let count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
        if count > 0 {
          buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
          return true
        }
        if count == 0 || errno != EINTR { return false }
      }
    }
  }

  /// Closes the connection in such a way that the other side is told of an error (RST).
  static func reset(_ descriptor: Int32) {
    var lingering = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
  }

  /// Stops both directions; whoever blocks on the socket is woken.
  static func shutDown(_ descriptor: Int32) {
    #if canImport(Glibc)
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    #else
    _ = shutdown(descriptor, SHUT_RDWR)
    #endif
  }
}

// The names that this type's own methods hide.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
  send(descriptor, bytes.baseAddress, bytes.count, flags)
}
