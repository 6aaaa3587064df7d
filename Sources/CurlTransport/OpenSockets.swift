#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The sockets of a loop's connections, by the addresses at their two ends: libcurl names a connection by those alone when
/// a request is about to be sent on it.
struct OpenSockets {
  /// The two ends of a connection, as libcurl writes them.
  struct Ends: Hashable {
    var local: String
    var localPort: Int32
    var remote: String
    var remotePort: Int32
  }

  /// What a look at an idle connection shows.
  enum Silence {
    /// Nothing has come.
    case kept
    /// Bytes have come that nobody asked for.
    case broken
    /// It has ended, or is not known.
    case unusable
  }

  private var sockets: [Ends: Int32] = [:]
  private var ends: [Int32: Ends] = [:]

  /// A connection has been made. `candidates` are the sockets that were opened for it, of which one is its own.
  mutating func connected(_ ends: Ends, oneOf candidates: [Int32]) {
    guard let socket = candidates.last(where: { Self.localPort(of: $0) == ends.localPort }) else { return }
    closed(socket)
    sockets[ends] = socket
    self.ends[socket] = ends
  }

  /// A socket is about to be closed; or its number is new, and what was known by it is past.
  mutating func closed(_ socket: Int32) {
    guard let ends = ends.removeValue(forKey: socket), sockets[ends] == socket else { return }
    sockets[ends] = nil
  }

  /// Whether a connection is still there.
  func isOpen(_ ends: Ends) -> Bool { sockets[ends] != nil }

  /// What has come on a kept connection since its last answer was complete.
  func silence(on ends: Ends) -> Silence {
    guard let socket = sockets[ends] else { return .unusable }
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count > 0 { return .broken }
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? .kept : .unusable
  }

  /// The port at this end of a socket; nil where it is none.
  private static func localPort(of socket: Int32) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard code == 0 else { return nil }
    // Behind the family, in version 4 as in version 6.
    return withUnsafeBytes(of: address) {
      Int32(UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: MemoryLayout<sa_family_t>.size, as: UInt16.self)))
    }
  }
}
