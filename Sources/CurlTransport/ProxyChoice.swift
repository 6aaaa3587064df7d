import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a configuration says of proxies.
public enum ProxyChoice: Sendable, Hashable {
  /// What the environment says.
  case environment
  /// No proxy.
  case none
  /// This one, for all requests.
  case proxy(Proxy)

  /// The rules that follow, the environment read now.
  var rules: ProxyRules {
    switch self {
    case .environment: ProxyRules(environment: Self.variables)
    case .none: .none
    case .proxy(let proxy): ProxyRules(http: proxy, https: proxy)
    }
  }

  private static var variables: [String: String] {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
    return names.reduce(into: [:]) { values, name in
      if let value = getenv(name) { values[name] = String(cString: value) }
    }
  }
}

extension ProxyChoice: ConfigurationValue {
  /// A text.
  public static var configurationType: ConfigurationType { ConfigurationType("proxy", schema: ["type": "string"]) }

  /// Reads `scheme://user:password@host:port`, all but the host optional; nothing is no proxy.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> ProxyChoice? {
    if case .string(let text) = json {
      if text.isEmpty { return ProxyChoice.none }
      if let proxy = Proxy(text) { return .proxy(proxy) }
    }
    scope.report(
      "this is not a proxy: scheme://user:password@host:port, the scheme http (default), https, socks4a or socks5h; "
        + "or \"\" for none")
    return nil
  }

  /// The proxy as a configuration writes it; not its password.
  public var json: JSONValue {
    switch self {
    case .environment: return .null
    case .none: return ""
    case .proxy(let proxy):
      let user = proxy.user.map { proxy.password == nil ? "\($0)@" : "\($0):***@" } ?? ""
      return .string("\(proxy.scheme.rawValue)://\(user)\(proxy.host):\(proxy.port)")
    }
  }
}
