#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A moment on the system's monotonic clock.
struct Moment: Comparable, Hashable, Sendable {
  /// Nanoseconds since an unspecified start.
  var nanoseconds: Int64

  /// The moment of the call.
  static var now: Moment {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Moment(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// A moment that never comes.
  static let never = Moment(nanoseconds: .max)

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment that many nanoseconds later; what does not fit never comes.
  static func + (moment: Moment, nanoseconds: Int64) -> Moment {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(nanoseconds)
    return overflow ? .never : Moment(nanoseconds: sum)
  }

  /// The nanoseconds from `earlier` to this moment, at least 0.
  func since(_ earlier: Moment) -> Int64 {
    max(nanoseconds &- earlier.nanoseconds, 0)
  }
}

extension Duration {
  /// The duration in nanoseconds, within the range of `Int64`.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
  }
}
