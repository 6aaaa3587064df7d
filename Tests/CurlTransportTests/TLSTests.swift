import CurlTransport
import FetchPipeline
import Foundation
import PipelineTesting
import Testing

/// HTTPS.
@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
  @Test func whatDoesNotSpeakTLSIsAnErrorOfTLS() async throws {
    let origin = try ScriptedOrigin(greeting: Array("220 mail.example ESMTP\r\n".utf8))
    let transport = try loopbackTransport()
    let error = await failure { try await transport.get("https://127.0.0.1:\(origin.port)/") }
    #expect(error?.code == .tls)
  }

  @Test func aHandshakeThatHangsEndsWithTheTimeForConnecting() async throws {
    let listener = try SilentListener()
    let transport = try loopbackTransport { $0.connectTimeout = .milliseconds(300) }
    let error = await failure { try await transport.get("https://127.0.0.1:\(listener.port)/") }
    #expect(error?.code == .timeout)
    #expect(error?.message.contains("transport.connectTimeout") == true)
  }

  @Test(.enabled(if: TLSServer.isAvailable, "needs the openssl program"))
  func onlyTrustedServersAreSpokenTo() async throws {
    let server = try TLSServer()
    defer { server.stop() }
    let url = "https://localhost:\(server.port)/"
    let distrusting = try loopbackTransport()
    let error = await failure { try await distrusting.get(url) }
    #expect(error?.code == .tls)
    #expect(error?.isTransient == false)

    let trusting = try loopbackTransport { $0.authorities = server.certificate }
    let response = try await trusting.get(url)
    #expect(response.status == 200)
    await response.body.cancel()
    // The certificate names localhost, not the address.
    let other = await failure { try await trusting.get("https://127.0.0.1:\(server.port)/") }
    #expect(other?.code == .tls)
  }
}

/// `openssl s_server` with a certificate of its own for `localhost`.
private final class TLSServer {
  static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

  let port: Int
  let certificate: String
  private let folder: URL
  private let process = Process()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    certificate = folder.appendingPathComponent("cert.pem").path
    let key = folder.appendingPathComponent("key.pem").path
    let maker = Self.openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
    ])
    maker.standardError = FileHandle.nullDevice
    try maker.run()
    maker.waitUntilExit()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    var text = ""
    var found: Int?
    while found == nil {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
      found = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT 127.0.0.1:") }.flatMap {
        Int($0.dropFirst("ACCEPT 127.0.0.1:".count))
      }
    }
    port = try #require(found)
  }

  func stop() {
    // It inherits the blocked signals of the thread that started it; this one cannot be blocked.
    kill(process.processIdentifier, SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  private static func openssl(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    return process
  }
}
