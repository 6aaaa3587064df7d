import FetchPipeline
import Testing

/// Numbers as JSON writes them.
struct JSONNumberTests {
  @Test(arguments: [
    (0.0, 3, "0"), (1.0, 3, "1"), (1.5, 3, "1.5"), (-1.5, 0, "-2"), (1.23456, 2, "1.23"), (0.005, 2, "0.01"),
    (0.1, 6, "0.1"),
    (-0.25, 2, "-0.25"), (-0.0001, 2, "0"), (1e14, 6, "100000000000000"), (123456789012345.0, 6, "123456789012345"),
    (1e15, 6, "1000000000000000"), (1e18, 3, "1000000000000000000"), (9.5, 40, "9.5"), (2.5, -1, "3"),
  ])
  func decimals(value: Double, digits: Int, expected: String) {
    #expect(JSONNumber(value, decimals: digits).text == expected)
  }

  @Test(arguments: [1e19, -1e19, 1e300, -1.7976931348623157e308, 123456789012345678901.0])
  func largeNumbersKeepTheirValue(value: Double) throws {
    let text = JSONNumber(value, decimals: 6).text
    #expect(Double(text) == value)
    #expect(try JSONReader.value(of: text.utf8) != .null)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func whatIsNoNumberBecomesZero(value: Double) {
    #expect(JSONNumber(value, decimals: 2).text == "0")
  }

  @Test(arguments: [
    ("5", 5), ("-5", -5), ("5.0", 5), ("5e3", 5000), ("50e-1", 5), ("9223372036854775807", Int.max),
    ("9223372036854775808", nil),
    ("5.5", nil), ("1e300", nil), ("1e999", nil), ("-0", 0),
  ])
  func integers(text: String, expected: Int?) throws {
    guard case .number(let number) = try JSONReader.value(of: text.utf8) else {
      Issue.record("not a number")
      return
    }
    #expect(number.integer == expected)
  }
}
