import Testing

@testable import FetchPipeline

/// What is asked for after a redirect, and what is no longer said.
struct RedirectTargetTests {
  @Test(arguments: [301, 302, 303, 307, 308]) func aGetStaysAGet(status: Int) throws {
    let next = try follow(status, .get, to: "http://a.example/2")
    #expect(next.method == .get)
    #expect(next.url.description == "http://a.example/2")
  }

  @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
  func aPostBecomesWhatTheStatusSays(status: Int, name: String) throws {
    let body = HTTPRequestBody(SharedBytes(utf8: "x"), contentType: "text/plain")
    let next = try follow(status, .post(body), to: "http://a.example/2")
    #expect(next.method.name == name)
    #expect((next.headers["Content-Type"] == nil) == (name == "GET"))
  }

  @Test func secretsStayWithinTheOrigin() throws {
    let same = try follow(302, .get, to: "http://a.example/elsewhere")
    #expect(same.headers["Authorization"] == "Bearer x")
    #expect(same.headers["X-Shop-Token"] == "y")
    for other in ["http://b.example/", "https://a.example/", "http://a.example:8080/"] {
      let next = try follow(302, .get, to: other)
      #expect(next.headers["Authorization"] == nil)
      #expect(next.headers["Cookie"] == nil)
      #expect(next.headers["X-Shop-Token"] == nil)
      #expect(next.headers["User-Agent"] == "me")
      #expect(next.headers["Referer"] == "http://a.example/page")
    }
  }

  private func follow(_ status: Int, _ method: HTTPMethod, to target: String) throws -> HTTPRequest {
    let request = HTTPRequest(
      method, try ResourceURL("http://a.example/1"),
      headers: [
        "Authorization": "Bearer x", "Cookie": "c=1", "X-Shop-Token": "y", "User-Agent": "me",
        "Referer": "http://a.example/page", "Content-Type": "text/plain",
      ])
    return RedirectTarget(status: status, url: try ResourceURL(target)).applied(to: request)
  }
}
