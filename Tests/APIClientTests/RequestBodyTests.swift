import APIClient
import PipelineTesting
import StandardStages
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What goes over the wire, byte for byte.
struct RequestBodyTests {
  @Test func aPostOfAValue() async throws {
    let lab = try APILab()
    lab.origin.on("/login", .json(#"{"token": "abc", "lifetime": 60}"#, status: 201))
    let url = try ResourceURL(lab.origin.url("/login"))
    let token = try await lab.client.send(.post(url, json: User(name: "Ada/é", age: 36)), as: Token.self)
    #expect(token == Token(token: "abc", lifetime: 60))
    let request = try #require(lab.origin.requests.first)
    #expect(request.method == "POST")
    #expect(request.header("Content-Type") == "application/json")
    #expect(request.header("Content-Length") == String(request.body.count))
    #expect(String(decoding: request.body, as: UTF8.self) == #"{"age":36,"name":"Ada/é"}"#)
    await lab.client.shutdown()
  }

  @Test func everyMethodWithItsBody() async throws {
    let lab = try APILab()
    lab.origin.on("/", .response(204))
    let url = try #require(URL(string: lab.origin.url("/")))
    _ = try await lab.client.send(.put(url, json: [1, 2]))
    _ = try await lab.client.send(.patch(url, json: ["a": 1, "b": "two", "c": [true, 3]]))
    _ = try await lab.client.send(.post(url, form: ["grant_type": "password", "user name": "a+b=c&ü~*", "": "x y"]))
    _ = try await lab.client.send(.post(url, body: .text("hello"), headers: ["Content-Type": "text/markdown"]))
    _ = try await lab.client.send(.post(url))
    _ = try await lab.client.send(.delete(url))
    let sent = lab.origin.requests.map { request in
      [request.method, request.header("Content-Type") ?? "-", String(decoding: request.body, as: UTF8.self)]
    }
    #expect(
      sent == [
        ["PUT", "application/json", "[1,2]"],
        ["PATCH", "application/json", #"{"a":1,"b":"two","c":[true,3]}"#],
        [
          "POST", "application/x-www-form-urlencoded",
          "grant_type=password&user+name=a%2Bb%3Dc%26%C3%BC%7E*&=x+y",
        ],
        ["POST", "text/markdown", "hello"],
        ["POST", "-", ""],
        ["DELETE", "-", ""],
      ])
    await lab.client.shutdown()
  }

  @Test func aHeadHasNoBody() async throws {
    let lab = try APILab()
    lab.origin.on("/", ScriptedReply([.send(ScriptedReply.head(200, [("Content-Length", "1000")]))]))
    let response = try await lab.client.send(.head(lab.origin.url("/")))
    #expect(response.headers["Content-Length"] == "1000")
    #expect(response.body.isEmpty)
    #expect(lab.origin.requests.first?.method == "HEAD")
    await lab.client.shutdown()
  }

  @Test func whatCannotBeSentIsRefused() async throws {
    #expect(throws: PipelineError.self) { try HTTPRequest.get("no URL") }
    #expect(throws: PipelineError.self) { try HTTPRequest.get("ftp://example.org/") }
    do {
      _ = try HTTPRequest.post("http://example.org/", json: ["a": [1.0, Double.nan]])
      Issue.record("NaN is no JSON")
    } catch let error as PipelineError {
      #expect(error.stage == .request && error.code == .invalidInput)
      #expect(error.message.contains("a[1]"))
    }
    let client = try HTTPClient(transport: StubTransport { request, _ in .stub(200, to: request) })
    let request = try HTTPRequest.get("http://example.org/", headers: ["X-Evil": "a\r\nHost: b"])
    let error = try await failure { try await client.send(request) }
    #expect(error.stage == .request && error.code == .invalidInput)
  }

  @Test func credentialsOfTheURLAreSentAsAField() async throws {
    let lab = try APILab()
    lab.origin.on("/", .json("1"))
    let url = lab.origin.url("/").replacing("http://", with: "http://Aladdin:open%20sesame@")
    #expect(try await lab.client.send(.get(url), as: Int.self) == 1)
    // RFC 7617, section 2.
    #expect(lab.origin.requests.first?.header("Authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    await lab.client.shutdown()
  }

  @Test func parametersStandBehindThoseOfTheURL() throws {
    let parameters: HTTPParameters = ["q": "100% ü", "q": "b/c"]
    #expect(
      try HTTPRequest.get("http://a.example/p?x=1", query: parameters).url.description
        == "http://a.example/p?x=1&q=100%25%20%C3%BC&q=b%2Fc")
    #expect(try HTTPRequest.get("http://a.example/p?", query: ["a": "b"]).url.description == "http://a.example/p?a=b")
    #expect(try HTTPRequest.get("http://a.example/p").url.query == nil)
  }
}
