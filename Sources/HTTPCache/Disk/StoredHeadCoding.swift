import FetchPipeline

/// The head of a stored answer as bytes: read a million times where it is written once, so it is no text that needs a
/// parser. Numbers are little-endian, texts have their length in front.
enum StoredHeadCoding {
  /// The first byte; another one is another version's.
  private static let version: UInt8 = 1

  static func encode(_ head: StoredResponseHead) -> [UInt8] {
    var bytes: [UInt8] = [version]
    bytes.reserveCapacity(128 + head.headers.count * 48)
    append(UInt32(truncatingIfNeeded: head.status), to: &bytes)
    append(head.requestTime.bitPattern, to: &bytes)
    append(head.responseTime.bitPattern, to: &bytes)
    append(head.redirectsFreshUntil, to: &bytes)
    if let variant = head.variant {
      bytes.append(1)
      bytes += variant.bytes
    } else {
      bytes.append(0)
    }
    append(head.url.description, to: &bytes)
    append(UInt32(truncatingIfNeeded: head.headers.count), to: &bytes)
    for field in head.headers {
      bytes.append(field.isSensitive ? 1 : 0)
      append(field.name, to: &bytes)
      append(field.value, to: &bytes)
    }
    return bytes
  }

  /// Nil where the bytes are no head of this version.
  static func decode(_ bytes: [UInt8]) -> StoredResponseHead? {
    bytes.withUnsafeBytes { bytes in
      var reader = Reader(rest: bytes[...])
      guard reader.byte() == version, let status = reader.number(UInt32.self),
        let requestTime = reader.number(UInt64.self), let responseTime = reader.number(UInt64.self),
        let redirected = reader.byte()
      else { return nil }
      var redirectsFreshUntil: Double?
      if redirected == 1 {
        guard let bits = reader.number(UInt64.self) else { return nil }
        redirectsFreshUntil = Double(bitPattern: bits)
      }
      guard let varies = reader.byte() else { return nil }
      var variant: Digest?
      if varies == 1 {
        guard let digest = reader.bytes(32).flatMap({ Digest(bytes: Array($0)) }) else { return nil }
        variant = digest
      }
      guard let text = reader.text(), let url = try? ResourceURL(text), let count = reader.number(UInt32.self) else {
        return nil
      }
      var headers = HTTPFields()
      for _ in 0..<count {
        guard let isSensitive = reader.byte(), let name = reader.text(), let value = reader.text() else { return nil }
        headers.append(HTTPFields.Field(name, value, isSensitive: isSensitive == 1))
      }
      guard reader.rest.isEmpty else { return nil }
      return StoredResponseHead(
        status: Int(status), headers: headers, url: url, requestTime: Double(bitPattern: requestTime),
        responseTime: Double(bitPattern: responseTime), variant: variant, redirectsFreshUntil: redirectsFreshUntil)
    }
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ number: Double?, to bytes: inout [UInt8]) {
    bytes.append(number == nil ? 0 : 1)
    if let number { append(number.bitPattern, to: &bytes) }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    append(UInt32(truncatingIfNeeded: text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  private struct Reader {
    var rest: Slice<UnsafeRawBufferPointer>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
      bytes(MemoryLayout<Number>.size).map { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
    }

    mutating func text() -> String? {
      guard let count = number(UInt32.self) else { return nil }
      return bytes(Int(count)).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
