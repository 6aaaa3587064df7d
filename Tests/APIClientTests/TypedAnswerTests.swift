import APIClient
import PipelineTesting
import StandardStages
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON comes as values, and what is none says why.
struct TypedAnswerTests {
  @Test func aGetIsAValue() async throws {
    let lab = try APILab()
    lab.origin.on("/users/7?full=a%26b%20c", .json(#"{"name": "Ada", "age": 36, "more": true}"#))
    let user = try await lab.client.send(.get(lab.origin.url("/users/7"), query: ["full": "a&b c"]), as: User.self)
    #expect(user == User(name: "Ada", age: 36))
    let request = try #require(lab.origin.requests.first)
    #expect(request.method == "GET")
    #expect(request.header("Accept") == "application/json")
    #expect(request.header("User-Agent") == PipelineVersion.product)
    #expect(request.body.isEmpty)
    await lab.client.shutdown()
  }

  @Test func anAcceptFieldOfOnesOwnIsKept() async throws {
    let lab = try APILab()
    lab.origin.on("/", .json("[1, 2]"))
    let headers: HTTPFields = ["Accept": "application/vnd.example+json", "User-Agent": "me/1"]
    let numbers = try await lab.client.send(.get(lab.origin.url("/"), headers: headers), as: [Int].self)
    #expect(numbers == [1, 2])
    #expect(lab.origin.requests.first?.header("Accept") == "application/vnd.example+json")
    #expect(lab.origin.requests.first?.header("User-Agent") == "me/1")
    await lab.client.shutdown()
  }

  @Test func aWrongTypeSaysWhereAndWhat() async throws {
    struct Page: Decodable { var items: [User] }
    let lab = try APILab()
    lab.origin.on("/", .json(#"{"items": [{"name": "Ada", "age": 36}, {"name": "Bob", "age": "hunter2"}]}"#))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/")), as: Page.self) }
    #expect(error.stage == .transport)
    #expect(error.code == .responseDecoding)
    #expect(!error.isTransient)
    #expect(error.httpStatus == 200)
    for part in [
      "Page", "items[1].age", "Int", "string", "status 200", "application/json", #"{"items": [{"name": "…""#,
    ] {
      #expect(error.message.contains(part), "\(part) in \(error.message)")
    }
    // A value of the answer may be a secret.
    #expect(!error.message.contains("hunter2") && !error.message.contains("Ada"))
    await lab.client.shutdown()
  }

  @Test func whatADecoderQuotesIsMadePlain() async throws {
    enum Kind: String, Decodable { case small, large }
    let lab = try APILab()
    lab.origin.on("/", .json(#"["\u001b[2Jgho_16C7e42F292c6912E7710c838347"]"#))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/")), as: [Kind].self) }
    #expect(error.code == .responseDecoding)
    #expect(error.message.contains("at [0]: Cannot initialize Kind"))
    #expect(!error.message.contains("gho_16C7e42F") && !error.message.contains("\u{1b}"))
    await lab.client.shutdown()
  }

  @Test func aMissingMemberIsNamed() async throws {
    let lab = try APILab()
    lab.origin.on("/", .json(#"{"name": "Ada"}"#))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/")), as: User.self) }
    #expect(error.code == .responseDecoding)
    #expect(error.message.contains("at age: there is no such member"))
    await lab.client.shutdown()
  }

  @Test func aPageInPlaceOfJSONIsNamed() async throws {
    let lab = try APILab()
    let page = Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8)
    lab.origin.on("/", .response(headers: [("Content-Type", "text/html")], body: page))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/")), as: User.self) }
    #expect(error.code == .responseDecoding)
    for part in ["no JSON", "line 1, column 1", "text/html", "an HTML page"] {
      #expect(error.message.contains(part), "\(part) in \(error.message)")
    }
    await lab.client.shutdown()
  }

  @Test func nothingIsNilWhereNilIsWanted() async throws {
    let lab = try APILab()
    lab.origin.on("/empty", .response(204))
    lab.origin.on("/null", .json("null"))
    lab.origin.on("/user", .json(#"{"name": "Ada", "age": 36}"#))
    for (path, expected) in [("/empty", nil), ("/null", nil), ("/user", User(name: "Ada", age: 36))] {
      #expect(try await lab.client.send(.get(lab.origin.url(path)), as: User?.self) == expected)
    }
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/empty")), as: User.self) }
    #expect(error.code == .responseDecoding)
    #expect(error.message.contains("the body is empty"))
    #expect(error.httpStatus == 204)
    await lab.client.shutdown()
  }

  @Test func datesAreThoseOfRFC3339() async throws {
    let lab = try APILab()
    lab.origin.on("/", .json(#"["1970-01-01T00:01:00Z", "1970-01-01T01:00:00.500+01:00"]"#))
    let dates = try await lab.client.send(.get(lab.origin.url("/")), as: [Date].self)
    #expect(dates.map(\.timeIntervalSince1970) == [60, 0.5])
    lab.origin.on("/bad", .json(#"["yesterday"]"#))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/bad")), as: [Date].self) }
    #expect(error.message.contains("at [0]: A date of RFC 3339"))
    await lab.client.shutdown()
  }

  @Test func aDecoderOfOnesOwn() async throws {
    struct Answer: Decodable { var maxWidth: Int }
    let lab = try APILab()
    lab.origin.on("/", .json(#"{"max_width": 3}"#))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try await lab.client.send(.get(lab.origin.url("/")), as: Answer.self, decoder: decoder).maxWidth == 3)
    await lab.client.shutdown()
  }

  @Test func anErrorsBodyIsAValueToo() async throws {
    struct Refusal: Decodable { var reason: String }
    let lab = try APILab()
    lab.origin.on("/", .json(#"{"reason": "no quota"}"#, status: 403))
    let response = try await lab.client.response(to: .get(lab.origin.url("/")))
    #expect(response.status == 403 && !response.isSuccess)
    #expect(try response.decoded(as: Refusal.self).reason == "no quota")
    await lab.client.shutdown()
  }

  @Test func whatEndedWithItsConnectionMayHaveBeenCut() async throws {
    let lab = try APILab()
    lab.origin.on("/cut", .closeDelimited(Array(#"{"name": "Ada", "a"#.utf8)))
    lab.origin.on("/whole", .closeDelimited(Array(#"{"name": "Ada", "age": 36}"#.utf8)))
    let error = try await failure { try await lab.client.send(.get(lab.origin.url("/cut")), as: User.self) }
    #expect(error.code == .bodyTruncated)
    #expect(error.isTransient)
    #expect(try await lab.client.send(.get(lab.origin.url("/whole")), as: User.self).age == 36)
    await lab.client.shutdown()
  }
}

/// The error that something ends with.
func failure<Value>(_ work: () async throws -> Value) async throws -> PipelineError {
  do { _ = try await work() } catch let error as PipelineError { return error }
  throw MissingFailure()
}

private struct MissingFailure: Error {}
