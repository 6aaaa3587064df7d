import FetchPipeline
import Testing

/// What a value stores decides its fingerprint; what nobody can look into equals nothing.
@Suite struct ContentFingerprintTests {
  struct Label {
    var text = "a"
    var size = 1.5
    var color: UInt8? = nil
    var corners: [Int: String] = [1: "a", 2: "b", 3: "c"]
    var kind = Kind.plain
    var bytes: [UInt8] = [1, 2]
    var words: Set<String> = ["x", "y", "z"]
  }

  enum Kind {
    case plain
    case bold
    case of(Int)
  }

  final class Font {
    let name = "serif"
  }

  struct Drawing {
    var font: Font?
    var draw: (@Sendable (Int) -> Int)?
  }

  func digest(_ value: Any) -> Digest {
    var print = Fingerprint("test")
    print.addContent("value", value)
    return print.digest()
  }

  func changed(_ change: (inout Label) -> Void) -> Label {
    var label = Label()
    change(&label)
    return label
  }

  @Test func equalContentIsEqual() {
    #expect(digest(Label()) == digest(Label()))
    #expect(digest(changed { $0.corners = [3: "c", 1: "a", 2: "b"] }) == digest(Label()))
    #expect(digest(Drawing(font: nil, draw: nil)) == digest(Drawing(font: nil, draw: nil)))
  }

  @Test func everyPropertyCounts() {
    let values: [Any] = [
      Label(), changed { $0.text = "b" }, changed { $0.size = 1.5.nextUp }, changed { $0.color = 0 },
      changed { $0.color = 1 }, changed { $0.corners[2] = "x" }, changed { $0.kind = .bold },
      changed { $0.kind = .of(1) }, changed { $0.kind = .of(2) }, changed { $0.bytes = [1, 2, 3] },
      changed { $0.words = ["x", "y"] }, 1, "1", 1.5, UInt8(1), [1, 2], [12], ["1", "2"], (1, 2), Kind.plain,
    ]
    let digests = values.map(digest)
    #expect(Set(digests).count == digests.count)
  }

  @Test func referencesAndClosuresEqualNothing() {
    let font = Font()
    #expect(digest(Drawing(font: font, draw: nil)) != digest(Drawing(font: font, draw: nil)))
    let drawing = Drawing(font: nil, draw: { $0 + 1 })
    #expect(digest(drawing) != digest(drawing))
  }
}
