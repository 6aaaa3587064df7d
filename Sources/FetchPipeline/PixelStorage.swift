#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The owner of a picture's samples.
// Sendable: writes happen only through `PixelImage`, which makes sure that it holds the sole reference.
final class PixelStorage: @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  private let byteCount: Int

  init(byteCount: Int) throws {
    var pointer: UnsafeMutableRawPointer?
    guard posix_memalign(&pointer, 64, max(byteCount, 64)) == 0, let pointer else {
      throw PipelineError(.decode, .outOfBudget, "the system has no memory for \(byteCount) bytes of pixels")
    }
    base = pointer
    self.byteCount = byteCount
  }

  deinit {
    free(base)
  }

  func bytes(of plane: PixelPlane) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base + plane.offset, count: plane.byteCount)
  }

  func copy() throws -> PixelStorage {
    let copy = try PixelStorage(byteCount: byteCount)
    copy.base.copyMemory(from: base, byteCount: byteCount)
    return copy
  }
}
