import FetchPipeline

/// What a person can do about failures of one cause.
enum FailureAdvice {
  /// A sentence or two; nil where the message says all.
  static func text(for cause: FailureCause) -> String? {
    switch cause.code {
    case .dns:
      cause.isTransient
        ? "This machine's resolver fails or is overloaded (EAI_AGAIN): look at /etc/resolv.conf, run a caching resolver, "
          + "or lower transport.connections."
        : "There are no such hosts: correct the rows, or look at this machine's resolver if they should exist."
    case .connect, .timeout, .stalled, .connectionLost, .protocol, .bodyTruncated:
      "Hosts or the network failed. Run the same command again later; transport.retry, connectTimeout and stallTimeout "
        + "say how patient it is."
    case .hostUnavailable:
      "Hosts that had not answered several times in a row were left alone. Run the same command again later; fewer "
        + "connectionsPerHost may be kinder to them."
    case .httpStatus: status(cause.status)
    case .blockedAddress:
      "Addresses of private networks are refused. If you mean them: \"transport\": {\"allowHosts\": [\"HOST or CIDR\"]}."
    case .unsupportedScheme:
      "Of http, https, data, file and paths those are read that the configuration names: \"input\": {\"schemes\": […]}."
    case .invalidInput: "Correct these rows. (input.urlField names the field with the URL.)"
    case .tls: "Certificates are not trusted or out of date. transport.caFile names authorities of your own."
    case .bodyTooLarge: "transport.maxBytes is the limit."
    case .redirectLimit: "transport.redirects is the limit; most such addresses lead in a circle."
    case .notAnImage:
      "Not pictures, whatever their addresses say: error and log-in pages mostly. Correct the rows, or send what the "
        + "server expects (request.headers, request.userAgent)."
    case .unsupportedFormat: "No decoder takes the format (or limits.formats leaves it out); a plugin may add it."
    case .corrupt, .truncated:
      "The files are damaged at their origin. \"decode\": [{\"use\": \"jpeg\", \"onDamage\": \"salvage\"}] keeps what can be "
        + "shown."
    case .tooManyPixels: "limits.pixels and limits.side are the limits."
    case .tooManyFrames: "limits.containerFrames is the limit."
    case .tooManyScans: "limits.scans is the limit."
    case .tooSmall: "limits.minWidth and limits.minHeight are the limits."
    case .decodeTimeout: "limits.decodeTime is the limit."
    case .outOfBudget: "limits.memory is the limit."
    case .notFound:
      "There are no such files: paths in a list start from the list's folder, and URLs with http:// or https://."
    case .nameCollision: "Names clash: put {hash} into output.name."
    case .notCached: "Nothing is stored of these: the cache mode only-if-cached asks no server."
    case .write: "Look at the permissions and the free space of the output folder."
    default: nil
    }
  }

  private static func status(_ status: Int?) -> String {
    switch status {
    case 401, 403:
      "The server refuses. It may want other headers, a userAgent that says who you are, or fewer requests "
        + "(transport.requestsPerSecondPerHost)."
    case 404, 410:
      "There is nothing there. That is believed for transport.negativeLifetime (1h by default), and then asked again."
    case 429:
      "The server wants fewer requests: set transport.requestsPerSecondPerHost, or lower connectionsPerHost. Then run the "
        + "same command again."
    case let status? where status >= 500:
      "Trouble of the server. Run the same command again later."
    default: "The server does not answer such requests: look at one of them."
    }
  }
}
