import CurlTransport
import FetchPipeline
import PipelineTesting
import Testing

/// Connections are kept, and there are never more than allowed.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionReuseTests {
  @Test func requestsInSequenceShareAConnection() async throws {
    let origin = try ScriptedOrigin()
    let body = pattern(70_000)
    origin.on("/a", .response(body: body))
    origin.on("/chunked", .chunked([body, body]))
    let transport = try loopbackTransport()
    for _ in 0..<20 {
      #expect(try await transport.bytes(of: origin.url("/a")) == body)
      #expect(try await transport.bytes(of: origin.url("/chunked")) == body + body)
    }
    #expect(origin.connectionsAccepted == 1)
  }

  @Test func manyRequestsBySixTasksNeedSixConnections() async throws {
    let origin = try ScriptedOrigin()
    let bodies = (0..<5).map { pattern([10, 3000, 20_000, 100_000, 400_000][$0]) }
    for (index, body) in bodies.enumerated() { origin.on("/\(index)", .response(body: body)) }
    let transport = try loopbackTransport()
    let sizes = try await withThrowingTaskGroup(of: [Int].self) { group in
      for task in 0..<6 {
        group.addTask {
          var sizes: [Int] = []
          for request in 0..<84 {
            let index = (task + request) % bodies.count
            let received = try await transport.bytes(of: origin.url("/\(index)"))
            if received == bodies[index] { sizes.append(received.count) }
          }
          return sizes
        }
      }
      return try await group.reduce([]) { $0 + $1 }
    }
    #expect(sizes.count == 504)
    #expect(origin.requests.count == 504)
    #expect(origin.mostConnectionsOpen <= 6)
    #expect(origin.connectionsAccepted <= 6)
  }

  @Test func theTransportItselfKeepsToTheLimitOfAHost() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply.response(body: pattern(5000)).delayed(by: .milliseconds(2)))
    let transport = try loopbackTransport { $0.connectionsPerHost = 3 }
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<60 { group.addTask { try await transport.bytes(of: origin.url("/a")).count } }
      return try await group.reduce(0) { $0 + $1 }
    }
    #expect(count == 60 * 5000)
    #expect(origin.mostConnectionsOpen == 3)
    #expect(origin.connectionsAccepted == 3)
  }

  @Test func theLimitOfAllHostsCountsIdleConnections() async throws {
    let first = try ScriptedOrigin()
    let second = try ScriptedOrigin()
    for origin in [first, second] { origin.on("/a", ScriptedReply.response(body: [1])) }
    let transport = try loopbackTransport { $0.connections = 1 }
    for _ in 0..<3 {
      _ = try await transport.bytes(of: first.url("/a"))
      #expect(second.connectionsOpen == 0)
      _ = try await transport.bytes(of: second.url("/a"))
      #expect(first.connectionsOpen == 0)
    }
  }

  @Test func waitingForAConnectionIsNotTimeOfTheAttempt() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", ScriptedReply.response(body: [1]).delayed(by: .seconds(2)))
    let transport = try loopbackTransport { $0.connectionsPerHost = 1 }
    // The fourth waits six seconds, longer than an attempt may take.
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { try await transport.bytes(of: origin.url("/a"), timeout: .seconds(5)).count }
      }
      return try await group.reduce(0) { $0 + $1 }
    }
    #expect(count == 4)
  }

  @Test func aConnectionThatTheServerHasClosedIsReplaced() async throws {
    let origin = try ScriptedOrigin()
    let reply = ScriptedReply.response(body: [1])
    origin.on("/a", ScriptedReply(reply.steps + [.close]))
    let transport = try loopbackTransport()
    for _ in 0..<10 { #expect(try await transport.bytes(of: origin.url("/a")) == [1]) }
    #expect(origin.connectionsAccepted == 10)
    #expect(origin.mostConnectionsOpen == 1)
  }

  @Test func givingUpABodyClosesItsConnectionBeforeTheNextOpens() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .endless())
    let transport = try loopbackTransport { $0.connectionsPerHost = 1 }
    for _ in 0..<20 {
      let response = try await transport.get(origin.url("/a"))
      _ = try await response.body.next()
      await response.body.cancel()
    }
    #expect(origin.connectionsAccepted == 20)
    #expect(origin.mostConnectionsOpen == 1)
    #expect(await origin.waitForNoConnections())
  }

  @Test func aRequestThatIsNotIdempotentIsNeverSentTwice() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/get", .response(body: [1]))
    // The connection goes as soon as the request has come.
    origin.on("/post", ScriptedReply([.close]))
    let transport = try loopbackTransport()
    _ = try await transport.bytes(of: origin.url("/get"))
    let error = await failure {
      try await transport.send(HTTPRequest(.post(.empty), try ResourceURL(origin.url("/post"))))
    }
    #expect(error?.code == .connectionLost)
    #expect(origin.requests(for: "/post").count == 1)
  }

  @Test func aFreshConnectionReplacesAnIdleOne() async throws {
    let origin = try ScriptedOrigin()
    origin.on("/a", .response(body: [1]))
    let transport = try loopbackTransport { $0.connectionsPerHost = 1 }
    for _ in 0..<3 {
      _ = try await transport.bytes(of: origin.url("/a"))
      let post = HTTPRequest(.post(.empty), try ResourceURL(origin.url("/a")))
      _ = try await transport.send(post).body.collect(upTo: 1)
    }
    #expect(origin.requests.count == 6)
    #expect(origin.mostConnectionsOpen == 1)
  }
}
