import CCurl
import FetchPipeline

/// A libcurl easy handle: one exchange at a time, reused for the next.
///
/// Not Sendable: it belongs to the thread of its loop.
final class EasyHandle {
  /// libcurl's handle, owned.
  let curl: UnsafeMutableRawPointer
  /// The loop whose thread this handle is used on; it outlives its handles.
  unowned let loop: CurlLoop
  /// The exchange that goes on; nil while the handle rests.
  var exchange: Exchange?
  /// The deadlines of the exchange.
  var timer: ExchangeTimer
  /// The lines of the head that have come.
  var head = HeadAssembler()
  /// Where the handle stands among the active ones.
  var activeIndex = 0
  /// Whether libcurl has the handle.
  var isAdded = false
  /// Whether the exchange had a connection.
  var isConnected = false
  /// The proxy that the exchange goes through, whose address the guard does not judge.
  private(set) var proxy: Proxy?
  /// The addresses that the guard has refused.
  var refused: [IPAddress] = []
  /// The sockets that were opened for the exchange; none where it has a connection that was kept.
  var openedSockets: [Int32] = []
  /// The connection of the exchange, once there is one.
  var connection: OpenSockets.Ends?
  /// Whether the answer leaves its connection open: it says where its body ends, and nothing of closing.
  var leavesConnectionOpen = false
  /// Where the host is, as the exchange was told.
  var addresses: [IPAddress] = []
  /// What unwraps the body; nil where it comes as it is, or libcurl does it.
  var decoder: ContentDecoder?
  /// Whether the end of the connection is the only end of the wrapped body.
  var isCloseDelimited = false
  /// Whether the request is to be sent again once libcurl has given up this transfer.
  var startsAgain = false
  /// Whether a connection that was kept will not do.
  var needsNewConnection = false
  /// Whether libcurl unwraps the body: it knows codings that are not known here.
  var usesLibraryDecoders = false
  /// The bytes of the request's body that had been sent when a deadline was last looked at.
  var sentBytes = 0

  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var resolveList: UnsafeMutablePointer<curl_slist>?
  private var setupResult = CURLE_OK

  /// A handle for `loop`; nil where the system has no memory for it.
  init?(loop: CurlLoop) {
    guard let curl = curl_easy_init() else { return nil }
    self.curl = curl
    self.loop = loop
    timer = ExchangeTimer(attempt: .zero, connect: .zero, stall: .zero)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(curl)
    curl_slist_free_all(headerList)
    curl_slist_free_all(resolveList)
    errorText.deallocate()
  }

  /// What libcurl said about the last failure, in words.
  var message: String { String(cString: errorText) }

  // MARK: One exchange

  /// Takes an exchange up.
  func begin(_ exchange: Exchange, timer: ExchangeTimer, proxy: Proxy?) {
    self.exchange = exchange
    self.timer = timer
    self.proxy = proxy
    let accepted = exchange.request.headers["Accept-Encoding"]?.lowercased() ?? ""
    usesLibraryDecoders = ContentDecoder.foreign.contains(where: accepted.contains)
  }

  /// Whom the connection is made to.
  var peer: (host: String, port: Int) {
    if let proxy { return (proxy.host, proxy.port) }
    guard let url = exchange?.request.url else { return ("", 0) }
    return (url.host, url.port)
  }

  /// Puts the exchange away, so that the handle is ready for the next.
  func rest() {
    exchange = nil
    proxy = nil
    addresses = []
    needsNewConnection = false
    usesLibraryDecoders = false
    clear()
  }

  /// Forgets what has come of the exchange, and all that libcurl was told.
  func clear() {
    head.reset()
    decoder = nil
    isCloseDelimited = false
    startsAgain = false
    isConnected = false
    refused = []
    openedSockets = []
    connection = nil
    leavesConnectionOpen = false
    sentBytes = 0
    // A reset forgets the list of cookie files without freeing it (libcurl 7.88). Cookies that are shared stay.
    if loop.configuration.keepsCookies { fp_curl_set_string(curl, CURLOPT_COOKIEFILE, nil) }
    curl_easy_reset(curl)
    curl_slist_free_all(headerList)
    headerList = nil
    curl_slist_free_all(resolveList)
    resolveList = nil
  }

  /// Tells libcurl all about the exchange.
  ///
  /// - Parameters:
  ///   - addresses: where the host is; empty where the URL says it.
  ///   - connectTime: the nanoseconds that are left for connecting.
  /// - Throws: `invalid-input` where a header field cannot be sent, `out-of-budget` where there is no memory.
  func prepare(_ request: HTTPRequest, addresses: [IPAddress], connectTime: Int64) throws {
    setupResult = CURLE_OK
    errorText.pointee = 0
    setFixedOptions()
    set(CURLOPT_URL, request.url.description)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(connectTime / 1_000_000, Int64(Int32.max))))
    setConnection()
    setMethod(request.method)
    if let user = request.url.user, request.headers["Authorization"] == nil {
      set(CURLOPT_USERNAME, user)
      set(CURLOPT_PASSWORD, request.url.password ?? "")
    }
    try setHeaders(request)
    if !addresses.isEmpty {
      let list = addresses.map { if case .v6 = $0 { "[\($0)]" } else { "\($0)" } }.joined(separator: ",")
      // The plus lets the entry age in libcurl's cache as any other does.
      append("+\(peer.host):\(peer.port):\(list)", to: &resolveList)
      note(fp_curl_set_list(curl, CURLOPT_RESOLVE, resolveList))
    }
    if setupResult != CURLE_OK {
      throw PipelineError(.transport, .outOfBudget, "libcurl takes no more: \(Self.text(of: setupResult))")
    }
  }

  private func setFixedOptions() {
    let user = Unmanaged.passUnretained(self).toOpaque()
    note(fp_curl_set_pointer(curl, CURLOPT_PRIVATE, user))
    note(fp_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, errorText))
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // Before 8.4 refused HTTP/2 streams are not tried again; and the limits of connections are those of HTTP/1.1.
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_FOLLOWLOCATION, 0)
    // Turns libcurl's decoders on; the field itself is one of the request's.
    if usesLibraryDecoders { set(CURLOPT_ACCEPT_ENCODING, "identity") }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    note(fp_curl_set_data_callback(curl, CURLOPT_HEADERFUNCTION, headerCallback))
    note(fp_curl_set_pointer(curl, CURLOPT_HEADERDATA, user))
    note(fp_curl_set_data_callback(curl, CURLOPT_WRITEFUNCTION, bodyCallback))
    note(fp_curl_set_pointer(curl, CURLOPT_WRITEDATA, user))
    note(fp_curl_set_opensocket_callback(curl, openSocketCallback))
    note(fp_curl_set_pointer(curl, CURLOPT_OPENSOCKETDATA, user))
    // The loop, not the handle: connections outlive the exchange that made them.
    note(fp_curl_set_closesocket_callback(curl, closeSocketCallback))
    note(fp_curl_set_pointer(curl, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(loop).toOpaque()))
    note(fp_curl_set_prereq_callback(curl, connectedCallback))
    note(fp_curl_set_pointer(curl, CURLOPT_PREREQDATA, user))
    note(fp_curl_set_progress_callback(curl, progressCallback))
    note(fp_curl_set_pointer(curl, CURLOPT_XFERINFODATA, user))
    set(CURLOPT_NOPROGRESS, 0)
  }

  /// What the configuration says of connections.
  private func setConnection() {
    let configuration = loop.configuration
    note(fp_curl_set_pointer(curl, CURLOPT_SHARE, loop.share))
    // An empty name: no proxy, whatever the environment says.
    set(CURLOPT_PROXY, proxy?.address ?? "")
    set(CURLOPT_NOPROXY, "")
    if let user = proxy?.user {
      set(CURLOPT_PROXYUSERNAME, user)
      set(CURLOPT_PROXYPASSWORD, proxy?.password ?? "")
    }
    if let authorities = configuration.authorities {
      set(CURLOPT_CAINFO, authorities)
      note(fp_curl_set_string(curl, CURLOPT_CAPATH, nil))
    }
    if let certificate = configuration.clientCertificate {
      set(CURLOPT_SSLCERT, certificate.file)
      set(CURLOPT_SSLKEY, certificate.key ?? certificate.file)
      if let password = certificate.password { set(CURLOPT_KEYPASSWD, password) }
    }
    if configuration.usesNetrc {
      set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
      if let file = configuration.netrcFile { set(CURLOPT_NETRC_FILE, file) }
    }
    // No file: it is what turns cookies on.
    if configuration.keepsCookies { set(CURLOPT_COOKIEFILE, "") }
    switch configuration.ipVersion {
    case .any: break
    case .v4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .v6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
  }

  private func setMethod(_ method: HTTPMethod) {
    switch method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .delete: set(CURLOPT_CUSTOMREQUEST, "DELETE")
    case .post(let body), .put(let body), .patch(let body):
      set(CURLOPT_POST, 1)
      note(fp_curl_set_offset(curl, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.bytes.count)))
      body.bytes.withUnsafeBytes { bytes in
        var none: UInt8 = 0
        withUnsafeMutablePointer(to: &none) { none in
          let base = bytes.baseAddress ?? UnsafeRawPointer(none)
          note(fp_curl_set_pointer(curl, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: base)))
        }
      }
      if method.name != "POST" { set(CURLOPT_CUSTOMREQUEST, method.name) }
    }
    // On a connection that has died meanwhile libcurl sends a request again by itself.
    if needsNewConnection || !method.isIdempotent { set(CURLOPT_FRESH_CONNECT, 1) }
    if let exchange, loop.chatterers.contains(exchange.request.url.origin) {
      set(CURLOPT_FRESH_CONNECT, 1)
      set(CURLOPT_FORBID_REUSE, 1)
    }
  }

  /// Fields whose values follow from the connection and the body.
  private static let ownFields: Set<String> = ["connection", "content-length", "transfer-encoding", "expect"]

  private func setHeaders(_ request: HTTPRequest) throws {
    // Nothing compressed is asked for, and what comes compressed all the same is unwrapped.
    if request.headers["Accept-Encoding"] == nil { append("Accept-Encoding: identity", to: &headerList) }
    for field in request.headers where !Self.ownFields.contains(field.name.lowercased()) {
      guard HTTPFields.isValid(name: field.name, value: field.value) else {
        throw PipelineError(.transport, .invalidInput, "the header field \"\(field.name)\" cannot be sent as it is")
      }
      // With a colon and nothing behind it libcurl would leave the field out.
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)", to: &headerList)
    }
    if let body = request.method.body {
      // Nothing waits for a 100; and libcurl must not make a form of what has no type.
      append("Expect:", to: &headerList)
      if request.headers["Content-Type"] == nil {
        append(body.contentType.map { "Content-Type: \($0)" } ?? "Content-Type:", to: &headerList)
      }
    }
    if let headerList { note(fp_curl_set_list(curl, CURLOPT_HTTPHEADER, headerList)) }
  }

  // MARK: libcurl's setters and getters

  /// A number of bytes that libcurl knows about the exchange.
  func offset(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return fp_curl_get_offset(curl, info, &value) == CURLE_OK ? Int(value) : 0
  }

  /// The object of a handle of libcurl's.
  static func of(_ curl: UnsafeMutableRawPointer) -> EasyHandle? {
    var user: UnsafeMutableRawPointer?
    guard fp_curl_get_pointer(curl, CURLINFO_PRIVATE, &user) == CURLE_OK else { return nil }
    return user.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// What a code means in libcurl's words.
  static func text(of code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }

  private func set(_ option: CURLoption, _ value: Int) {
    note(fp_curl_set_long(curl, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) {
    note(fp_curl_set_string(curl, option, value))
  }

  private func append(_ text: String, to list: inout UnsafeMutablePointer<curl_slist>?) {
    if let longer = curl_slist_append(list, text) {
      list = longer
    } else {
      note(CURLE_OUT_OF_MEMORY)
    }
  }

  private func note(_ code: CURLcode) {
    if setupResult == CURLE_OK { setupResult = code }
  }
}
