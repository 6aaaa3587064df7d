/// The directives of Cache-Control that mean something to a private cache (RFC 9111, section 5.2).
///
/// `s-maxage` and `proxy-revalidate` are for shared caches; `stale-while-revalidate` and `stale-if-error` (RFC 5861)
/// are permissions that are not made use of; `immutable` (RFC 8246) speaks of answers that are fresh, and those are not
/// asked about here unless a request insists.
struct CacheControl: Sendable, Hashable {
  var noStore = false
  /// Also where it names fields: RFC 9111, section 5.2.2.4, lets a cache read that as the whole answer.
  var noCache = false
  var mustRevalidate = false
  var mustUnderstand = false
  var isPublic = false
  var onlyIfCached = false
  /// In seconds; 0 where the directive is there and has no number.
  var maxAge: Double?
  /// In seconds; without limit where the directive has no number.
  var maxStale: Double?
  /// In seconds.
  var minFresh: Double?

  /// No directives.
  init() {}

  /// The directives of a message. Of one that is there twice, the first counts.
  init(_ headers: HTTPFields) {
    for value in headers.values("Cache-Control") { add(value) }
  }

  private mutating func add(_ list: String) {
    var rest = list.utf8[...]
    while !rest.isEmpty {
      let name = String(Substring(rest.prefix { $0 != comma && $0 != equals })).trimmed.lowercased()
      rest = rest.drop { $0 != comma && $0 != equals }
      var argument: String?
      if rest.first == equals {
        rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
        argument = Self.argument(&rest)
        rest = rest.drop { $0 != comma }
      }
      rest = rest.dropFirst()
      set(name, argument)
    }
  }

  private mutating func set(_ name: String, _ argument: String?) {
    switch name {
    case "no-store": noStore = true
    case "no-cache": noCache = true
    case "must-revalidate": mustRevalidate = true
    case "must-understand": mustUnderstand = true
    case "public": isPublic = true
    case "only-if-cached": onlyIfCached = true
    case "max-age" where maxAge == nil: maxAge = Self.seconds(argument) ?? 0
    case "max-stale" where maxStale == nil: maxStale = argument == nil ? .infinity : Self.seconds(argument) ?? 0
    case "min-fresh" where minFresh == nil: minFresh = Self.seconds(argument)
    default: break
    }
  }

  /// A token or a quoted string; either is allowed for every directive (RFC 9111, section 5.2).
  private static func argument(_ rest: inout Substring.UTF8View) -> String {
    guard rest.first == quote else {
      let token = rest.prefix { $0 != comma }
      rest = rest[token.endIndex...]
      return String(Substring(token)).trimmed
    }
    var bytes: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst(), byte != quote {
      bytes.append(byte == backslash ? rest.popFirst() ?? backslash : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A number of seconds (RFC 9111, section 1.2.2): what does not fit is as long as can be.
  static func seconds(_ text: String?) -> Double? {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Double(min(Int(text) ?? longest, longest))
  }

  private static let longest = 2_147_483_648
}

private let comma = UInt8(ascii: ",")
private let equals = UInt8(ascii: "=")
private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")

extension String {
  /// Without white space at its ends (RFC 9110, section 5.6.3).
  var trimmed: String {
    let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    let start = utf8.drop(while: blank)
    guard let last = start.lastIndex(where: { !blank($0) }) else { return "" }
    return String(Substring(start[...last]))
  }
}
