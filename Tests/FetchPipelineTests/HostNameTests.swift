import Testing

@testable import FetchPipeline

/// Hosts as URLs write them, and as they are meant.
struct HostNameTests {
  @Test(arguments: [
    ("EXAMPLE.org", "example.org"), ("bücher.example", "xn--bcher-kva.example"),
    ("BÜCHER.example", "xn--bcher-kva.example"), ("b%C3%BCcher.example", "xn--bcher-kva.example"),
    ("faß.de", "xn--fa-hia.de"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
    ("пример.рф", "xn--e1afmkfd.xn--p1ai"), ("ｅｘａｍｐｌｅ．ｏｒｇ", "example.org"), ("exam\u{ad}ple.org", "example.org"),
    ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("1.example", "1.example"),
    ("1.2.3.4.example", "1.2.3.4.example"),
    ("0x.example", "0x.example"), ("a..b", "a..b"), ("-a-.b", "-a-.b"), ("1e3", "1e3"), ("1.-1", "1.-1"),
  ])
  func namesAreBroughtIntoASCII(written: String, expected: String) {
    #expect(HostName.canonical(written[...]) == expected)
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"),
    ("0x7f.1", "127.0.0.1"), ("0x7F.0x0.0X0.0x1", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"), ("0", "0.0.0.0"),
    ("0x", "0.0.0.0"), ("1.2.3.4.", "1.2.3.4"), ("0xffffffff", "255.255.255.255"), ("4294967295", "255.255.255.255"),
    ("1.65536", "1.1.0.0"), ("1.2.770", "1.2.3.2"), ("１.２.３.４", "1.2.3.4"), ("%31.2.3.4", "1.2.3.4"),
    ("0000000000000000000000000127.0.0.1", "87.0.0.1"),
  ])
  func numbersInDisguiseAreAddresses(written: String, expected: String) {
    #expect(HostName.canonical(written[...]) == expected)
  }

  @Test(arguments: [
    "256.1.1.1", "1.256.1.1", "1.2.3.256", "1.2.65536", "1.16777216", "4294967296", "1.2.3.4.5", "08.1.1.1", "1.2.3.08",
    "1..2", "foo.0x4", "foo.09", "foo.1", "0xffffffffffffffffffff", "a.0xffffffffffffffffffff", "99999999999999999999",
    "0x100000000", "+1.1",
  ])
  func numbersThatAreNoAddressAreNoHost(written: String) {
    #expect(HostName.canonical(written[...]) == nil)
  }

  @Test(arguments: [
    ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[2001:DB8::A]", "[2001:db8::a]"),
    ("[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]"), ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"),
  ])
  func addressesOfVersion6StandInBrackets(written: String, expected: String) {
    #expect(HostName.canonical(written[...]) == expected)
  }

  @Test func labelsThatAreTooLongAreRefused() {
    #expect(HostName.canonical((String(repeating: "ü", count: 60) + ".example")[...]) == nil)
    #expect(HostName.canonical((String(repeating: "\u{10ffff}\u{80}", count: 50_000) + ".example")[...]) == nil)
  }

  // RFC 3492, section 7.1. The mixed-case annotations of the samples are not part of the code.
  @Test(arguments: [
    ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
    ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"), ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
    ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
    ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("PorquénopuedensimplementehablarenEspañol", "PorqunopuedensimplementehablarenEspaol-fmd56a"),
    ("TạisaohọkhôngthểchỉnóitiếngViệt", "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"),
    ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
    ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
    ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"),
    ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"), ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
    ("パフィーdeルンバ", "de-jg4avhby1noc0d"), ("そのスピードで", "d9juau41awczczp"), ("-> $1.00 <-", "-> $1.00 <--"),
  ])
  func punycodeOfTheRFC(label: String, expected: String) {
    #expect(Punycode.encode(label.unicodeScalars) == expected)
  }
}
