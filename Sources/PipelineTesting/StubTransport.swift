import FetchPipeline

/// A transport that answers by a function, and remembers what it was asked.
public final class StubTransport: Transport {
  private let requestsSeen = Lock<[HTTPRequest]>([])
  private let answer: @Sendable (HTTPRequest, Int) async throws -> HTTPResponse

  /// A transport.
  ///
  /// - Parameter answer: is given each request, and how many for the same URL came before it.
  public init(_ answer: @escaping @Sendable (HTTPRequest, Int) async throws -> HTTPResponse) {
    self.answer = answer
  }

  /// What was asked, in order.
  public var requests: [HTTPRequest] { requestsSeen.withLock { $0 } }

  /// Answers.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let count = requestsSeen.withLock { requests in
      defer { requests.append(request) }
      return requests.count { $0.url == request.url }
    }
    return try await answer(request, count)
  }

  /// Nothing to do.
  public func shutdown() async {}
}

extension HTTPResponse {
  /// An answer that is there already.
  public static func stub(
    _ status: Int, to request: HTTPRequest, headers: HTTPFields = [:], body: String = ""
  ) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, url: request.url, body: HTTPBody(SharedBytes(utf8: body)))
  }
}
