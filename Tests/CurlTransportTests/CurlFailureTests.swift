import CCurl
import FetchPipeline
import Testing

@testable import CurlTransport

/// What libcurl's codes become.
struct CurlFailureTests {
  private func error(
    _ code: CURLcode, _ message: String = "said", isConnected: Bool = true, hasHead: Bool = false,
    refused: [IPAddress] = []
  ) -> PipelineError {
    CurlFailure(
      code: code, message: message, systemError: nil, host: "example.org", isConnected: isConnected, hasHead: hasHead,
      refused: refused, connectTimeout: .milliseconds(1500)
    ).error
  }

  @Test(arguments: [
    (CURLE_COULDNT_RESOLVE_PROXY, PipelineError.Code.dns, true), (CURLE_COULDNT_CONNECT, .connect, true),
    (CURLE_OPERATION_TIMEDOUT, .timeout, true), (CURLE_SEND_ERROR, .connectionLost, true),
    (CURLE_RECV_ERROR, .connectionLost, true), (CURLE_GOT_NOTHING, .connectionLost, true),
    (CURLE_PARTIAL_FILE, .bodyTruncated, true), (CURLE_WEIRD_SERVER_REPLY, .protocol, true),
    (CURLE_UNSUPPORTED_PROTOCOL, .protocol, true), (CURLE_BAD_CONTENT_ENCODING, .contentEncoding, false),
    (CURLE_FILESIZE_EXCEEDED, .bodyTooLarge, false), (CURLE_SSL_CONNECT_ERROR, .tls, false),
    (CURLE_PEER_FAILED_VERIFICATION, .tls, false), (CURLE_SSL_CACERT_BADFILE, .tls, false),
    (CURLE_SSL_CERTPROBLEM, .tls, false), (CURLE_URL_MALFORMAT, .invalidInput, false),
  ])
  func codes(code: CURLcode, expected: PipelineError.Code, isTransient: Bool) {
    let error = error(code)
    #expect(error.stage == .transport)
    #expect(error.code == expected)
    #expect(error.isTransient == isTransient)
    #expect(error.message.contains("example.org"))
  }

  @Test func aHandshakeThatTheNetworkBreaksIsNotTheCertificates() {
    let message = "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to example.org:443"
    #expect(error(CURLE_SSL_CONNECT_ERROR, message, isConnected: false).code == .connectionLost)
    #expect(error(CURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: Connection reset by peer").code == .connectionLost)
  }

  @Test func aRefusedAddressExplainsAFailureToConnectOnly() {
    let blocked = error(CURLE_COULDNT_CONNECT, isConnected: false, refused: [.v4(0x0a00_0001)])
    #expect(blocked.code == .blockedAddress)
    #expect(blocked.message.hasPrefix("example.org is at 10.0.0.1, which is not a public address"))
    #expect(error(CURLE_RECV_ERROR, isConnected: true, refused: [.v4(0x0a00_0001)]).code == .connectionLost)
  }

  @Test func memoryIsTheHeadersFaultBeforeTheHeadOnly() {
    #expect(error(CURLE_OUT_OF_MEMORY, hasHead: false).code == .protocol)
    #expect(error(CURLE_OUT_OF_MEMORY, hasHead: true).code == .outOfBudget)
  }

  @Test func whatIsNotKnownIsTransient() {
    #expect(error(CURLE_INTERFACE_FAILED, isConnected: false).code == .connect)
    #expect(error(CURLE_AGAIN, isConnected: true).code == .protocol)
  }
}
