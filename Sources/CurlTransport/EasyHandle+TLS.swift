import CCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension EasyHandle {
  /// Whether OpenSSL still holds decrypted bytes of the connection, which came in one record with the end of the last
  /// answer: no look at the socket shows them. False where libcurl uses another library, or its functions cannot be found.
  var hasBufferedTLS: Bool {
    guard exchange?.request.url.scheme == .https, let hasPending = Self.hasPending else { return false }
    var info: UnsafeMutableRawPointer?
    guard fp_curl_get_pointer(curl, CURLINFO_TLS_SSL_PTR, &info) == CURLE_OK, let info else { return false }
    let session = info.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee
    guard session.backend == CURLSSLBACKEND_OPENSSL, let connection = session.internals else { return false }
    return hasPending(connection) != 0
  }

  private typealias HasPending = @convention(c) (UnsafeMutableRawPointer) -> Int32

  /// `SSL_has_pending` of the OpenSSL that libcurl has brought into the process.
  private static let hasPending: HasPending? = dlsym(nil, "SSL_has_pending").map {
    unsafeBitCast($0, to: HasPending.self)
  }
}
