import CCurl
import FetchPipeline

/// What libcurl's error codes mean in the words of the contract.
struct CurlFailure {
  /// libcurl's code.
  var code: CURLcode
  /// What libcurl said.
  var message: String
  /// What the system said, where a connection could not be made.
  var systemError: String?
  /// The host that was asked.
  var host: String
  /// Whether there was a connection.
  var isConnected: Bool
  /// Whether the head of the answer had come.
  var hasHead: Bool
  /// The addresses that the guard refused, where it permitted none.
  var refused: [IPAddress]
  /// The time for connecting.
  var connectTimeout: Duration

  /// The error of the exchange.
  var error: PipelineError {
    if !isConnected, let address = refused.first { return Self.blocked(address, host: host) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return of(.dns)
    case CURLE_COULDNT_CONNECT: return of(.connect, systemError.map { "\(message) (\($0))" })
    case CURLE_OPERATION_TIMEDOUT:
      return PipelineError(
        .transport, .timeout,
        "connecting to \(host) took longer than \(connectTimeout.text) (transport.connectTimeout)")
    case CURLE_SEND_ERROR, CURLE_GOT_NOTHING: return of(.connectionLost)
    case CURLE_RECV_ERROR:
      if message.contains("CONNECT") { return of(.connect) }
      // A chunk that is none; everything else is the network's.
      return of(message.contains("chunked-encod") ? .protocol : .connectionLost)
    case CURLE_PARTIAL_FILE: return of(.bodyTruncated)
    case CURLE_BAD_CONTENT_ENCODING: return of(.contentEncoding)
    // Our own callbacks give a reason: what else refuses bytes is a decoder of libcurl's, as behind the end of its data.
    case CURLE_WRITE_ERROR: return of(.contentEncoding, "the compressed body is damaged")
    case CURLE_FILESIZE_EXCEEDED: return of(.bodyTooLarge)
    case CURLE_URL_MALFORMAT: return of(.invalidInput)
    case CURLE_OUT_OF_MEMORY:
      // What a header line longer than libcurl takes is called.
      return hasHead ? of(.outOfBudget) : of(.protocol, "a header line is too long")
    case CURLE_SSL_CONNECT_ERROR:
      // OpenSSL calls a connection that ends within the handshake a system call error.
      let isLost = message.contains("SSL_ERROR_SYSCALL") || message.contains("Connection reset")
      return of(isLost ? .connectionLost : .tls)
    case let code where Self.tlsCodes.contains(code.rawValue): return of(.tls)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3:
      return of(.protocol)
    default: return of(isConnected ? .protocol : .connect)
    }
  }

  /// The error of an address that the guard refuses.
  static func blocked(_ address: IPAddress, host: String) -> PipelineError {
    let meaning = "\(host) is at \(address), which is not a public address"
    return PipelineError(
      .transport, .blockedAddress,
      "\(meaning); transport.allowHosts or \"privateAddresses\": \"allow\" would permit it")
  }

  /// The codes that speak of certificates, keys and handshakes.
  private static let tlsCodes: Set<UInt32> = Set(
    [
      CURLE_USE_SSL_FAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
    ].map(\.rawValue))

  private func of(_ code: PipelineError.Code, _ text: String? = nil) -> PipelineError {
    PipelineError(.transport, code, "\(host): \(text ?? message)")
  }
}
