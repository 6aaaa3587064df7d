import FetchPipeline
import Testing

@testable import pipeline

/// What is shown of a configuration keeps secrets, and what is none is recognised.
struct ConfigurationViewTests {
  @Test func variablesAreShownAsWritten() {
    let written: JSONObject = [
      "input": "${LIST}", "request": ["use": "http", "headers": ["Authorization": "Bearer ${TOKEN}"]],
      "transform": ["${STAGE}", ["use": "resize", "width": "${WIDTH}"]], "encode": "png",
    ]
    let effective: JSONValue = [
      "input": ["use": "list", "path": "secret.txt"],
      "request": [["use": "http", "headers": ["Authorization": "Bearer hunter2", "Accept": "*/*"]]],
      "transform": [["use": "grayscale"], ["use": "resize", "width": 77]], "encode": ["use": "png"],
    ]
    #expect(
      SecretsKept.apply(.object(written), to: effective) == [
        "input": ["use": "list", "path": "${LIST}"],
        "request": [["use": "http", "headers": ["Authorization": "Bearer ${TOKEN}", "Accept": "*/*"]]],
        "transform": [["use": "${STAGE}"], ["use": "resize", "width": "${WIDTH}"]], "encode": ["use": "png"],
      ])
  }

  @Test func passwordsOfProxiesAreRedacted() {
    let shown = SecretsKept.apply(nil, to: ["proxy": "http://user:hunter2@proxy.example:3128"])
    #expect(!shown.compactText.contains("hunter2"))
    #expect(shown.compactText.contains("proxy.example:3128"))
  }

  @Test(
    arguments: [
      ("http://example.org/a.jpg\n", "a list of URLs"), ("\n  https://example.org/a.jpg", "a list of URLs"),
      ("{\"url\": \"http://a/b\", \"id\": 1}\n{\"url\": \"http://a/c\"}\n", "JSON Lines"),
      ("<!DOCTYPE html><html>", "an HTML page"), ("{input: \"a\"}", nil),
      ("{\"input\": \"urls.txt\"}", nil), ("// a comment\n{}", nil), ("", nil),
    ] as [(String, String?)])
  func aFileThatIsNoConfigurationIsRecognised(text: String, kind: String?) {
    let hint = ConfigurationHint.text(for: Array(text.utf8), path: "file")
    if let kind { #expect(hint?.contains(kind) == true, "\(hint ?? "nothing")") } else { #expect(hint == nil) }
  }

  @Test func aPictureIsNeitherConfigurationNorList() {
    let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0, 0x10]
    #expect(
      ConfigurationHint.text(for: jpeg, path: "a")?.hasPrefix("a is a picture (JPEG), not a configuration") == true)
    #expect(ConfigurationHint.text(forList: "a", head: jpeg)?.hasPrefix("a is a picture (JPEG), not a list") == true)
    #expect(ConfigurationHint.text(forList: "a", head: [0x1f, 0x8b, 8]) == nil)
    #expect(ConfigurationHint.text(forList: "a", head: Array("http://a/b\n".utf8)) == nil)
    #expect(
      ConfigurationHint.text(forList: "a", head: Array("BM the start of a text, not of a bitmap file".utf8)) == nil)
  }
}
