import CurlTransport
import FetchPipeline
import PipelineTesting

/// A transport that may reach the loopback interface, and is patient: tests run beside others, on busy machines.
func loopbackTransport(_ change: (inout CurlConfiguration) -> Void = { _ in }) throws -> CurlTransport {
  var configuration = CurlConfiguration()
  configuration.policy = AddressPolicy(allowsPrivateAddresses: true)
  configuration.stallTimeout = .seconds(50)
  configuration.connectTimeout = .seconds(50)
  change(&configuration)
  return try CurlTransport(configuration)
}

extension Transport {
  /// A GET.
  func get(
    _ url: String, headers: HTTPFields = [:], timeout: Duration = .seconds(30)
  ) async throws -> HTTPResponse {
    try await send(HTTPRequest(.get, try ResourceURL(url), headers: headers, timeout: timeout))
  }

  /// The whole body of a GET.
  func bytes(of url: String, upTo limit: Int = 10_000_000, timeout: Duration = .seconds(30)) async throws -> [UInt8] {
    try await get(url, timeout: timeout).body.collect(upTo: limit).array()
  }
}

/// The error that `body` ends with; nil where it ends without one, or with another kind of error.
func failure(_ body: () async throws -> some Any) async -> PipelineError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? PipelineError
  }
}

/// Bytes in which no stretch is like another.
func pattern(_ count: Int) -> [UInt8] {
  var state: UInt32 = 1
  return (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(state >> 24)
  }
}
