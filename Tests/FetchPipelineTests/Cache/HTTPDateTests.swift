import FetchPipeline
import Testing

/// RFC 9110, section 5.6.7. Seconds by `date -u -d … +%s`.
struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
    ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
    ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ("Sun Nov 16 08:49:37 1994", 784_975_777),
    // Servers do, and what is meant is beyond doubt.
    ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777), ("Sun, 06 nov 1994 08:49:37 UTC", 784_111_777),
    ("Sun, 06 Nov 1994 08:49:37 +0000", 784_111_777), ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
  ])
  func dates(text: String, seconds: Double) {
    #expect(HTTPDate.seconds(text, now: 1_700_000_000) == seconds)
  }

  @Test(arguments: [
    "", "0", "-1", "now", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 2100 00:00:00 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37", "Sun Nov  6 08:49:37 94", ", , , , , ,",
    "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT",
  ])
  func whatIsNoDate(text: String) {
    #expect(HTTPDate.seconds(text, now: 1_700_000_000) == nil)
  }

  // "MUST interpret a timestamp that appears to be more than 50 years in the future as representing the most recent
  // year in the past that had the same last two digits."
  @Test(arguments: [
    (784_111_777.0, "Friday, 01-Jan-44 00:00:00 GMT", 2_335_219_200.0),  // 2044 from 1994
    (784_111_777.0, "Monday, 01-Jan-45 00:00:00 GMT", -788_918_400),  // 1945 from 1994
    (1_700_000_000.0, "Monday, 01-Jan-73 00:00:00 GMT", 3_250_454_400),  // 2073 from 2023
    (1_700_000_000.0, "Tuesday, 01-Jan-74 00:00:00 GMT", 126_230_400),  // 1974 from 2023
  ])
  func yearsOfTwoDigits(now: Double, text: String, seconds: Double) {
    #expect(HTTPDate.seconds(text, now: now) == seconds)
  }
}
