import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Looks host names up with the system's resolver, each on a thread of its own while it takes.
///
/// libcurl's own resolver does the same, but tells "no such name" from "the name server does not answer" by no code,
/// and makes its thread wait for look-ups that nobody wants any more.
enum NameResolver {
  /// What is known of `name` without asking anybody: addresses written as such are nobody's question.
  ///
  /// RFC 6761: names under `localhost` are loopback (section 6.3), those under `invalid` do not exist (6.4).
  static func wellKnown(_ name: String) -> LookupResult? {
    let bare = name.hasSuffix(".") ? name.dropLast() : name[...]
    if bare == "localhost" || bare.hasSuffix(".localhost") {
      return .addresses([.v4(0x7f00_0001), .v6(0, 1)])
    }
    if bare == "invalid" || bare.hasSuffix(".invalid") { return .noSuchName }
    return nil
  }

  /// Looks `name` up on a new thread and calls `done` there; false where there is no thread.
  static func start(
    _ name: String, version: IPVersion, done: @escaping @Sendable (LookupResult) -> Void
  ) -> Bool {
    do {
      try BackgroundThread.start { done(lookUp(name, version: version)) }
      return true
    } catch { return false }
  }

  /// Looks `name` up. Blocks, for as long as the system's resolver does.
  static func lookUp(_ name: String, version: IPVersion) -> LookupResult {
    var hints = addrinfo()
    hints.ai_family =
      switch version {
      case .any: AF_UNSPEC
      case .v4: AF_INET
      case .v6: AF_INET6
      }
    hints.ai_protocol = Int32(IPPROTO_TCP)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0 else { return failure(code) }
    var addresses: [IPAddress] = []
    var entry = list
    while let current = entry?.pointee {
      if let raw = current.ai_addr, let address = IPAddress(raw, length: Int(current.ai_addrlen)),
        !addresses.contains(address)
      {
        addresses.append(address)
      }
      entry = current.ai_next
    }
    return addresses.isEmpty ? .noSuchName : .addresses(addresses)
  }

  /// What an error of `getaddrinfo` means (RFC 3493, section 6.1). -5 is EAI_NODATA and -9 EAI_ADDRFAMILY, which the
  /// C library returns but declares for GNU programs only.
  static func failure(_ code: Int32) -> LookupResult {
    switch code {
    case EAI_NONAME, -5, -9: .noSuchName
    default: .failure(String(cString: gai_strerror(code)))
    }
  }
}
