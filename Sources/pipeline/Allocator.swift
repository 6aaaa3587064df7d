import CMalloc

/// How the C library's allocator deals with bodies and pixels: buffers of some hundred kilobytes that come and go.
enum Allocator {
  /// To be called before there are other threads.
  static func configure() {
    #if canImport(Glibc)
    // As many arenas as there are threads would each keep what it once held. What is small comes from each thread's own
    // cache.
    mallopt(M_ARENA_MAX, 1)
    // Buffers up to 1 MiB are kept for the next picture instead of being mapped anew, page fault by page fault; larger
    // ones go back to the system at once. Setting one of the thresholds also ends their automatic growth. What is free at
    // the heap's end goes back as well: with 8 MiB of it kept, the peak of a run was a matter of luck.
    mallopt(M_MMAP_THRESHOLD, 1 << 20)
    mallopt(M_TRIM_THRESHOLD, 1 << 20)
    #endif
  }
}
