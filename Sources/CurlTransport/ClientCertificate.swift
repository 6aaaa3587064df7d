import FetchPipeline

/// The certificate with which the client answers for itself in a TLS handshake.
public struct ClientCertificate: Sendable, Hashable {
  /// The PEM file of the certificate; of the key too, where that has no file of its own.
  public var file: String
  /// The PEM file of the key.
  public var key: String?
  /// The password of the key.
  public var password: String?

  /// A certificate in `file`.
  public init(file: String, key: String? = nil, password: String? = nil) {
    self.file = file
    self.key = key
    self.password = password
  }
}

extension ClientCertificate: ConfigurationValue {
  /// The members of the object that a configuration writes.
  private struct Members: ConfigurationGroup {
    var file = ""
    var key: String?
    var password: String?

    static let groupName = "clientCertificate"

    static let options: [OptionDeclaration<Members>] = [
      .init(
        "file", \.file, "the PEM file of the certificate, and of the key if that has none of its own", required: true),
      .init("key", \.key, "the PEM file of the key"),
      .init("password", \.password, "the password of the key"),
    ]
  }

  /// A path, or an object of `file`, `key` and `password`.
  public static var configurationType: ConfigurationType {
    ConfigurationType("path or object", schema: ["anyOf": [["type": "string"], Members.schema]])
  }

  /// Reads a path or an object.
  public static func read(_ json: JSONValue, in scope: ConfigurationScope) -> ClientCertificate? {
    if case .string(let file) = json { return ClientCertificate(file: file) }
    guard case .object = json else {
      scope.reportMismatch(json, expected: "a path, or an object of file, key and password")
      return nil
    }
    return Members.read(json, in: scope).map { ClientCertificate(file: $0.file, key: $0.key, password: $0.password) }
  }

  /// The certificate as a configuration writes it; not its password.
  public var json: JSONValue {
    guard key != nil || password != nil else { return .string(file) }
    var object: JSONObject = ["file": .string(file)]
    object.append("key", key.map(JSONValue.string))
    object.append("password", password.map { _ in "***" })
    return .object(object)
  }
}
