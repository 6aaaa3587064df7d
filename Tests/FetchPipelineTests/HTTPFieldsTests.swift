import FetchPipeline
import Testing

/// Header fields: order, case, secrets.
struct HTTPFieldsTests {
  @Test func namesAreComparedWithoutCase() {
    let fields: HTTPFields = ["Content-Type": "a", "X": "1", "content-TYPE": "b"]
    #expect(fields["CONTENT-type"] == "a")
    #expect(fields.values("content-type") == ["a", "b"])
    #expect(fields["Content-Typ"] == nil)
    #expect(fields["x"] == "1")
  }

  @Test func settingReplacesAllOfThatNameInPlace() {
    var fields: HTTPFields = ["A": "1", "B": "2", "a": "3", "C": "4"]
    fields["a"] = "5"
    #expect(fields.map(\.name) == ["a", "B", "C"])
    #expect(fields.map(\.value) == ["5", "2", "4"])
    fields["D"] = "6"
    #expect(fields.map(\.name) == ["a", "B", "C", "D"])
    fields["b"] = nil
    #expect(fields.map(\.name) == ["a", "C", "D"])
  }

  @Test func appendingKeepsOrder() {
    var fields: HTTPFields = ["A": "1"]
    fields.append(.init("A", "2"))
    fields.append(.init("B", "3"))
    #expect(fields.map(\.value) == ["1", "2", "3"])
    fields.removeAll { $0.value == "2" }
    #expect(fields.map(\.value) == ["1", "3"])
  }

  @Test(arguments: [
    "Authorization", "AUTHORIZATION", "proxy-authorization", "Cookie", "Set-Cookie", "X-API-Key", "x-auth-token",
  ])
  func secretsAreKnownByName(name: String) {
    #expect(HTTPFields.Field(name, "s").isSensitive)
  }

  @Test func othersAreSecretsWhenMarked() {
    #expect(!HTTPFields.Field("Accept", "x").isSensitive)
    #expect(HTTPFields.Field("X-Mine", "s", isSensitive: true).isSensitive)
    #expect(!HTTPFields.Field("Cookie", "s", isSensitive: false).isSensitive)
  }

  @Test func aSecretStaysOneWhenItIsReplaced() {
    var fields = HTTPFields()
    fields.append(.init("X-Mine", "open"))
    fields.append(.init("x-mine", "s", isSensitive: true))
    fields["X-Mine"] = "t"
    #expect(fields.map(\.isSensitive) == [true])
    fields["Authorization"] = "Bearer s"
    #expect(fields.last?.isSensitive == true)
  }

  @Test(arguments: [("X", ""), ("X-1!#$%&'*+.^_`|~", "a b\tc"), ("x", "é"), ("x", "\"q\"")])
  func whatCanBeSent(name: String, value: String) {
    #expect(HTTPFields.isValid(name: name, value: value))
  }

  @Test(arguments: [
    ("", "a"), ("X Y", "a"), ("X:", "a"), ("Ü", "a"), ("X\n", "a"), ("(X)", "a"), ("X", "a\nb"), ("X", "a\rb"),
    ("X", "a\u{0}"), ("X", "\u{7f}"), ("X", "a\r\nY: b"),
  ])
  func whatCannotBeSent(name: String, value: String) {
    #expect(!HTTPFields.isValid(name: name, value: value))
  }

  @Test func onlyASCIILettersHaveCase() {
    #expect("aZ-[".equalsIgnoringASCIICase("Az-["))
    #expect(!"[".equalsIgnoringASCIICase("{"))
    #expect(!"@".equalsIgnoringASCIICase("`"))
    #expect(!"ä".equalsIgnoringASCIICase("Ä"))
    #expect(!"a".equalsIgnoringASCIICase("ab"))
  }
}
