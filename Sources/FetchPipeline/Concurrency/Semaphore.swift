#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A counting semaphore for threads (not for tasks).
// Sendable: POSIX semaphores are made to be shared; the memory is freed only when nobody refers to it.
final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() {
    sem_post(semaphore)
  }

  func wait() {
    while sem_wait(semaphore) != 0, errno == EINTR {}
  }
}
