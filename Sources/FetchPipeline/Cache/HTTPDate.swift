/// The dates of HTTP fields (RFC 9110, section 5.6.7).
public enum HTTPDate {
  /// The seconds since 1970 that a field's value stands for, or nil where it is no date.
  ///
  /// All three formats are read: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
  /// `Sun Nov  6 08:49:37 1994`. The day of the week is not compared with the date.
  ///
  /// - Parameter now: seconds since 1970; a year of two digits is the one that is not more than 50 years after it.
  public static func seconds(_ text: String, now: Double) -> Double? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    switch parts.count {
    case 6:
      guard parts[0].last == ",", isDayName(parts[0].dropLast()), isZone(parts[5]), parts[3].utf8.count == 4 else {
        return nil
      }
      return moment(day: parts[1], month: parts[2], year: number(parts[3], digits: 4...4), time: parts[4])
    case 5:
      guard isDayName(parts[0]) else { return nil }
      return moment(day: parts[2], month: parts[1], year: number(parts[4], digits: 4...4), time: parts[3])
    case 4:
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
      guard parts[0].last == ",", isDayName(parts[0].dropLast()), isZone(parts[3]), date.count == 3,
        let short = number(date[2], digits: 2...2)
      else { return nil }
      return [1900, 2000, 2100]
        .compactMap { moment(day: date[0], month: date[1], year: $0 + short, time: parts[2]) }
        .last { $0 <= now + fiftyYears }
    default: return nil
    }
  }

  private static let fiftyYears = 50 * 365.25 * 86_400
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func isDayName(_ text: Substring) -> Bool {
    text.utf8.count >= 3 && text.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) }
  }

  /// RFC 5322 calls the same zone by other names, and some servers do.
  private static func isZone(_ text: Substring) -> Bool {
    text == "GMT" || text == "UTC" || text == "+0000"
  }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func moment(day: Substring, month: Substring, year: Int?, time: Substring) -> Double? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard let year, let day = number(day, digits: 1...2),
      let month = months.firstIndex(of: month.lowercased()).map({ $0 + 1 }),
      day >= 1, day <= length(ofMonth: month, year: year), clock.count == 3,
      let hour = number(clock[0], digits: 2...2), hour < 24,
      let minute = number(clock[1], digits: 2...2), minute < 60,
      // A leap second is the first one of the next minute.
      let second = number(clock[2], digits: 2...2), second <= 60
    else { return nil }
    return Double(days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second)
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The days from 1970-01-01 to a day of the Gregorian calendar, counted in years that start in March, so that the
  /// leap day is a year's last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
