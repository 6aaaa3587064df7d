import FetchPipeline
import Foundation
import PipelineTesting

/// A real nginx on loopback, with the files of a folder, as an ordinary process of its own.
final class NginxOrigin: Sendable {
  let port: Int
  private let folder: WorkingFolder
  private let process: RunningProgram

  /// Serves what stands in `root` of `folder`.
  ///
  /// - Parameter locations: further directives of the server block.
  init(_ folder: WorkingFolder, root: String = "origin", locations: String = "") async throws {
    self.folder = folder
    port = try Self.freePort()
    try FileManager.default.createDirectory(atPath: folder.path("nginx"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder.path(root), withIntermediateDirectories: true)
    let configuration = """
      daemon off;
      worker_processes 1;
      pid nginx.pid;
      error_log error.log warn;
      events { worker_connections 1024; }
      http {
        types { image/jpeg jpg; image/png png; image/webp webp; text/html html; }
        log_format requests '$connection $request_uri $status';
        access_log access.log requests;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        keepalive_requests 1000000;
        server {
          listen 127.0.0.1:\(port) backlog=1024;
          root \(folder.path(root));
          location = /server-status { stub_status; access_log off; }
          \(locations)
        }
      }
      """
    try folder.write(configuration, to: "nginx/nginx.conf")
    guard
      let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
        .first(where: FileManager.default.isExecutableFile(atPath:))
    else { throw POSIXError(.ENOENT) }
    process = try RunningProgram(
      path: nginx,
      arguments: [
        "-e", folder.path("nginx/error.log"), "-p", folder.path("nginx"), "-c", folder.path("nginx/nginx.conf"),
      ],
      folder: folder, environment: [:])
    try await waitUntilReachable()
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// Every request so far: on which connection, for what, and the answer.
  func requests() throws -> [(connection: Int, target: String, status: Int)] {
    // nginx writes its log when a request is done; its last lines may be a moment behind the answer.
    usleep(50_000)
    return try folder.lines("nginx/access.log").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 3, let connection = Int(parts[0]), let status = Int(parts[2]) else { return nil }
      return (connection, String(parts[1]), status)
    }
  }

  private func waitUntilReachable() async throws {
    for _ in 0..<200 {
      if Self.canConnect(to: port) { return }
      try await Task.sleep(for: .milliseconds(25))
    }
    throw POSIXError(.ETIMEDOUT)
  }

  private static func canConnect(to port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// A port that was free a moment ago.
  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    guard status == 0 else { throw POSIXError(.EADDRINUSE) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
