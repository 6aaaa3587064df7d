import APIClient
import PipelineTesting
import StandardStages

/// A server on loopback, and a client that may ask it.
struct APILab {
  let origin: ScriptedOrigin
  let client: HTTPClient

  init(_ change: (inout PipelineConfiguration) -> Void = { _ in }) throws {
    origin = try ScriptedOrigin()
    client = try HTTPClient(Self.configuration(change))
  }

  /// A configuration that allows loopback, hardly waits between attempts, and keeps nothing.
  static func configuration(_ change: (inout PipelineConfiguration) -> Void = { _ in }) throws -> PipelineConfiguration
  {
    var configuration = try PipelineConfiguration.standard()
    var curl = CurlStage()
    curl.allowHosts = ["127.0.0.1"]
    var options = TransportOptions()
    options.retry.backoff = .milliseconds(1)
    configuration.transport = StageSelection(curl, common: options)
    configuration.cache = []
    change(&configuration)
    return configuration
  }

  /// Changes the options of the transport.
  static func transport(
    _ configuration: inout PipelineConfiguration, _ change: (inout TransportOptions) -> Void
  ) {
    guard let chosen = configuration.transport else { return }
    var options = chosen.common
    change(&options)
    configuration.transport = StageSelection(chosen.stage, common: options)
  }
}

extension ScriptedReply {
  /// A JSON answer.
  static func json(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> ScriptedReply {
    response(status, headers: [("Content-Type", "application/json")] + headers, body: Array(text.utf8))
  }
}

/// A user, as an API might take one.
struct User: Codable, Hashable {
  var name: String
  var age: Int
}

/// What a sign-in answers.
struct Token: Codable, Hashable {
  var token: String
  var lifetime: Int
}
