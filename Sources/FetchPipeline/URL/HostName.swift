/// Hosts as URLs write them, and as they are meant (WHATWG URL, section 3.5).
enum HostName {
  /// The canonical ASCII form of a host between its delimiters; nil where it is none.
  static func canonical(_ text: Substring) -> String? {
    if text.utf8.first == UInt8(ascii: "[") {
      guard text.utf8.last == UInt8(ascii: "]"), let address = IPAddress(String(text.dropFirst().dropLast())),
        case .v6 = address
      else { return nil }
      return "[\(address)]"
    }
    guard let decoded = String(validating: PercentEncoding.decode(text.utf8), as: UTF8.self),
      let ascii = toASCII(decoded), !ascii.isEmpty, ascii.utf8.count <= 253,
      !ascii.utf8.contains(where: isForbidden)
    else { return nil }
    guard endsInNumber(ascii) else { return ascii }
    return ipv4(ascii).map { IPAddress.v4($0).description }
  }

  /// Lower-cases and encodes each label that is not ASCII as RFC 5891 wants it (mapping: RFC 5895, without
  /// normalization, which input practically never needs).
  private static func toASCII(_ host: String) -> String? {
    if host.utf8.allSatisfy({ $0 < 0x80 }) { return host.lowercased() }
    var mapped = String.UnicodeScalarView()
    for scalar in host.lowercased().unicodeScalars {
      switch scalar.value {
      case 0x3002, 0xff0e, 0xff61: mapped.append(".")
      case 0xff01...0xff5e:
        guard let narrow = Unicode.Scalar(scalar.value - 0xfee0) else { return nil }
        mapped.append(narrow)
      case 0xad, 0x200b, 0x2060, 0xfeff: continue  // ignored by the mapping
      default: mapped.append(scalar)
      }
    }
    var labels: [String] = []
    for label in String(mapped).split(separator: ".", omittingEmptySubsequences: false) {
      if label.utf8.allSatisfy({ $0 < 0x80 }) {
        labels.append(label.lowercased())
      } else {
        // At most 63 bytes (RFC 1035, section 2.3.4), of which the prefix takes 4; and each scalar takes one at least.
        guard label.unicodeScalars.count <= 59, let code = Punycode.encode(label.unicodeScalars), code.utf8.count <= 59
        else { return nil }
        labels.append("xn--" + code)
      }
    }
    return labels.joined(separator: ".")
  }

  /// "Forbidden domain code points".
  private static func isForbidden(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte >= 0x7f || "#/:<>?@[\\]^|%".utf8.contains(byte)
  }

  private static func endsInNumber(_ host: String) -> Bool {
    var labels = host.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last?.isEmpty == true, labels.count > 1 { labels.removeLast() }
    guard let last = labels.last, !last.isEmpty else { return false }
    return last.utf8.allSatisfy { (0x30...0x39).contains($0) } || number(last) != nil
  }

  /// The "IPv4 parser": one to four parts, each decimal, octal or hexadecimal, the last filling what is left.
  private static func ipv4(_ host: String) -> UInt32? {
    var labels = host.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last?.isEmpty == true, labels.count > 1 { labels.removeLast() }
    guard labels.count <= 4 else { return nil }
    var parts: [UInt64] = []
    for label in labels {
      guard let part = number(label) else { return nil }
      parts.append(part)
    }
    guard let last = parts.popLast(), parts.allSatisfy({ $0 <= 255 }), last < UInt64(1) << (8 * (4 - parts.count))
    else { return nil }
    return parts.enumerated().reduce(UInt32(last)) { sum, part in sum | UInt32(part.element) << (24 - 8 * part.offset) }
  }

  /// The "IPv4 number parser"; what is larger than 64 bits is as good as the largest that fits.
  private static func number(_ text: Substring) -> UInt64? {
    var digits = text.utf8
    var radix: UInt8 = 10
    if digits.isEmpty { return nil }
    if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
      digits = digits.dropFirst(2)
      radix = 16
    } else if digits.count > 1, digits.first == UInt8(ascii: "0") {
      digits = digits.dropFirst()
      radix = 8
    }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = byte.hexDigitValue, digit < radix else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: UInt64(radix))
      let (sum, overflow2) = product.addingReportingOverflow(UInt64(digit))
      value = overflow || overflow2 || value == .max ? .max : sum
    }
    return value
  }
}

/// The encoding of Unicode in host labels (RFC 3492).
enum Punycode {
  /// The code of a label, without `xn--`; nil where it overflows.
  static func encode(_ label: some Sequence<Unicode.Scalar>) -> String? {
    let input = label.map(\.value)
    var output = input.filter { $0 < 0x80 }.map { UInt8($0) }
    let basic = UInt32(output.count)
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var next: UInt32 = 128
    var delta: UInt32 = 0
    var bias: UInt32 = 72
    var handled = basic
    while handled < UInt32(input.count) {
      guard let smallest = input.filter({ $0 >= next }).min() else { return nil }
      let (step, overflow) = (smallest - next).multipliedReportingOverflow(by: handled + 1)
      let (sum, overflow2) = delta.addingReportingOverflow(step)
      guard !overflow, !overflow2 else { return nil }
      delta = sum
      next = smallest
      for value in input {
        if value < next { delta += 1 }
        guard value == next else { continue }
        appendInteger(delta, bias: bias, to: &output)
        bias = adapt(delta, count: handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      next += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func appendInteger(_ value: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var rest = value
    var k: UInt32 = 36
    while true {
      let threshold = k <= bias ? 1 : min(26, k - bias)
      if rest < threshold { break }
      output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
      rest = (rest - threshold) / (36 - threshold)
      k += 36
    }
    output.append(digit(rest))
  }

  private static func adapt(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var k: UInt32 = 0
    while delta > 455 {
      delta /= 35
      k += 36
    }
    return k + 36 * delta / (delta + 38)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }
}
