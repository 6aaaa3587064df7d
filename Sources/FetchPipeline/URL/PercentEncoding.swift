/// Percent-encoding (RFC 3986, section 2.1) with the encode sets of the WHATWG URL standard, section 1.3.
public enum PercentEncoding {
  /// Which bytes may stand unencoded.
  enum Component {
    case path
    case query
    /// The name or the value of a parameter within a query.
    case parameter
    /// The name or the value of a field of a form (WHATWG URL, section 1.3).
    case formField
  }

  /// Encodes what may not stand in the component. `%` is kept: what is encoded already is not encoded again.
  static func encode(_ bytes: some Sequence<UInt8>, allowing component: Component) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if isAllowed(byte, in: component) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(hexDigits[Int(byte >> 4)])
        result.append(hexDigits[Int(byte & 15)])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes `%` with two hexadecimal digits; any other `%` stays.
  public static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count, let high = bytes[at + 1].hexDigitValue,
        let low = bytes[at + 2].hexDigitValue
      {
        result.append(high << 4 | low)
        at += 3
      } else {
        result.append(bytes[at])
        at += 1
      }
    }
    return result
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func isAllowed(_ byte: UInt8, in component: Component) -> Bool {
    guard (0x21...0x7e).contains(byte) else { return false }
    if component == .parameter {
      return byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)  // RFC 3986, section 2.3
    }
    if component == .formField { return byte.isASCIILetterOrDigit || "*-._".utf8.contains(byte) }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"): return false
    case UInt8(ascii: "'"): return component == .path
    case UInt8(ascii: "?"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "^"):
      return component == .query
    default: return true
    }
  }
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }

  /// The value of an ASCII hexadecimal digit.
  var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
