import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension SharedBytes {
  /// Takes over memory of the C library's `malloc`.
  init(adoptingAllocation base: UnsafeMutablePointer<UInt8>, count: Int) {
    self.init(adopting: base, count: count) { free(UnsafeMutableRawPointer(mutating: $0)) }
  }
}
