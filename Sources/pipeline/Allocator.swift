import CMalloc

/// How the C library's allocator deals with bodies and pixels: buffers of some hundred kilobytes that come and go.
enum Allocator {
  /// To be called before there are other threads.
  static func configure() {
    #if canImport(Glibc)
    // As many arenas as there are threads would each keep what it once held.
    mallopt(M_ARENA_MAX, 2)
    // Buffers up to 1 MiB are kept for the next picture instead of being mapped anew, page fault by page fault; larger
    // ones go back to the system at once. Setting one of the thresholds also ends their automatic growth.
    mallopt(M_MMAP_THRESHOLD, 1 << 20)
    mallopt(M_TRIM_THRESHOLD, 8 << 20)
    #endif
  }
}
