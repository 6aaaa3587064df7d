import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The moment at which answers of the tests are received: RFC 9110's example, Sun, 06 Nov 1994 08:49:37 GMT.
let received = 784_111_777.0

/// Header fields, a line each. `@N` in a value is the HTTP date N seconds after `received`.
func fields(_ lines: String...) -> HTTPFields { fields(lines) }

/// Header fields of lines.
func fields(_ lines: [String]) -> HTTPFields {
  var result = HTTPFields()
  for line in lines {
    let parts = line.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
    let value = parts.count < 2 ? "" : String(parts[1])
    result.append(HTTPFields.Field(String(parts[0]), value.first == "@" ? date(value.dropFirst()) : value))
  }
  return result
}

/// IMF-fixdate, by the C library.
func date(_ offset: some StringProtocol) -> String {
  var time = time_t(received) + (Int(offset) ?? 0)
  var parts = tm()
  gmtime_r(&time, &parts)
  var text = [CChar](repeating: 0, count: 64)
  let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
  return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

let address = "http://h/a.jpg"

/// The head of an answer that was asked for and received at the same moment.
func head(
  _ status: Int = 200, _ lines: String..., url: String = address, requested: Double = received, at: Double = received,
  redirectsFreshUntil: Double? = nil
) throws -> StoredResponseHead {
  StoredResponseHead(
    status: status, headers: fields(lines), url: try ResourceURL(url), requestTime: requested, responseTime: at,
    redirectsFreshUntil: redirectsFreshUntil)
}

/// A GET of the tests' address.
func get(_ mode: CacheMode = .default, _ lines: String..., url: String = address) throws -> HTTPRequest {
  HTTPRequest(.get, try ResourceURL(url), headers: fields(lines), cache: mode)
}
