import CCurl
import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension EasyHandle {
  /// Why the exchange failed where libcurl ended it with `code`; nil where it is complete.
  func failure(of code: CURLcode) -> (any Error)? {
    guard let exchange else { return nil }
    if code == CURLE_OK {
      // libcurl takes an answer for complete whose connection ended in its header.
      guard exchange.hasHead else {
        return PipelineError(.transport, .connectionLost, "the connection ended within the header of the answer")
      }
      guard let decoder, !decoder.isComplete else { return nil }
      let text = "\(exchange.request.url.host): the compressed body ends before its time"
      return PipelineError(.transport, isCloseDelimited ? .bodyTruncated : .contentEncoding, text)
    }
    return CurlFailure(
      code: code, message: message.isEmpty ? EasyHandle.text(of: code) : message, systemError: systemError,
      host: isConnected ? exchange.request.url.host : peer.host,
      isConnected: isConnected, hasHead: exchange.hasHead, refused: openedSockets.isEmpty ? refused : [],
      connectTimeout: loop.configuration.connectTimeout
    ).error
  }

  /// What the system said about the last connection that could not be made.
  private var systemError: String? {
    var number = 0
    guard fp_curl_get_long(curl, CURLINFO_OS_ERRNO, &number) == CURLE_OK, number != 0 else { return nil }
    return strerror(Int32(truncatingIfNeeded: number)).map { String(cString: $0) }
  }

  /// The error of a deadline that has passed.
  func failure(of expiry: ExchangeTimer.Expiry) -> PipelineError {
    let configuration = loop.configuration
    let host = exchange?.request.url.host ?? ""
    return switch expiry {
    case .lookup:
      PipelineError(
        .transport, .dns,
        "the look-up of \(host) took longer than \(configuration.connectTimeout.text) (transport.connectTimeout)")
    case .attempt:
      PipelineError(
        .transport, .timeout,
        "the exchange with \(host) took longer than \((exchange?.request.timeout ?? .zero).text) (request.timeout)")
    case .stall:
      PipelineError(
        .transport, .stalled,
        "nothing came from \(host) for \(configuration.stallTimeout.text) (transport.stallTimeout)")
    }
  }

  /// Counts sending as progress: an answer is not due before the request is there.
  func noteUpload(at now: Moment) {
    guard exchange?.request.method.body != nil else { return }
    let sent = offset(CURLINFO_SIZE_UPLOAD_T)
    if sent > sentBytes {
      sentBytes = sent
      timer.progressed(at: now)
    }
  }
}

extension Duration {
  /// The duration in whole seconds or milliseconds, as a configuration writes it.
  var text: String {
    let nanoseconds = inNanoseconds
    return nanoseconds % 1_000_000_000 == 0 ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds / 1_000_000)ms"
  }
}
