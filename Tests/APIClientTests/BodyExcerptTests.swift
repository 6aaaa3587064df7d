import StandardStages
import Testing

@testable import APIClient

/// The beginning of a body tells its make, and no secret.
struct BodyExcerptTests {
  @Test(arguments: [
    (
      #"{"access_token": "gho_16C7e42F292c", "expires": 3600}"#,
      #"starting with {"access_token": "…", "expires": 3600}"#
    ),
    (#"["a", {"b" : "c"}]"#, #"starting with ["…", {"b" : "…"}]"#),
    (#"{"said \"x\"": "a \"quoted\" word", "n": null}"#, #"starting with {"said \"x\"": "…", "n": null}"#),
    (#"{"password": "cut in the mid"#, #"starting with {"password": "…""#),
    ("access_token=gho_16C7e42F&scope=repo", "starting with access_token=…&scope=…"),
    ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "starting with Bearer …"),
    ("upstream is busy\r\nretry", "starting with upstream is busy  retry"),
    ("<!DOCTYPE html><html><p>secret</p></html>", "an HTML page"),
  ]) func excerpt(body: String, expected: String) {
    #expect(BodyExcerpt.text(of: SharedBytes(utf8: body)) == expected)
  }

  @Test func emptyBinaryAndLong() {
    #expect(BodyExcerpt.text(of: .empty) == nil)
    #expect(BodyExcerpt.text(of: SharedBytes([1, 2, 0, 3])) == "binary")
    let long = BodyExcerpt.text(of: SharedBytes(utf8: String(repeating: "word ", count: 200)))
    #expect(long?.count == "starting with ".count + 121)
  }
}
