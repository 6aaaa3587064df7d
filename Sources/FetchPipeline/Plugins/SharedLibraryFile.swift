#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a shared library says of itself, read from its file before any of its code runs (System V ABI, chapters 4 and 5).
struct SharedLibraryFile {
  /// The names of the libraries that it needs.
  private(set) var needed: [String] = []
  /// The names that it defines for others.
  private(set) var exported: Set<String> = []

  /// The reason why a file is no library that can be loaded here.
  struct Unreadable: Error {
    let reason: String
  }

  init(path: String) throws(Unreadable) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unreadable(reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Unreadable(reason: String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size >= 64 else { throw Self.notALibrary }
    let size = Int(status.st_size)
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
      throw Unreadable(reason: String(cString: strerror(errno)))
    }
    defer { munmap(base, size) }
    try self.init(UnsafeRawBufferPointer(start: base, count: size))
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(Unreadable) {
    let file = Bytes(bytes: bytes)
    guard bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { throw Self.notALibrary }
    guard bytes.count >= 64, bytes[4] == 2, bytes[5] == 1, file.integer(UInt16.self, at: 16) == Self.sharedObject else {
      throw Self.notALibrary
    }
    guard file.integer(UInt16.self, at: 18) == Self.machine else {
      throw Unreadable(reason: "is built for another processor")
    }
    let sections = Self.sections(of: file)
    for section in sections where section.type == Section.dynamicEntries || section.type == Section.dynamicSymbols {
      guard sections.indices.contains(section.link) else { throw Self.notALibrary }
      let strings = sections[section.link]
      if section.type == Section.dynamicEntries {
        readNeeded(section, strings: strings, of: file)
      } else {
        readExported(section, strings: strings, of: file)
      }
    }
  }

  private static let notALibrary = Unreadable(reason: "is not a shared library (64-bit ELF)")
  /// `ET_DYN`.
  private static let sharedObject: UInt16 = 3
  #if arch(arm64)
  /// `EM_AARCH64`.
  private static let machine: UInt16 = 183
  #else
  /// `EM_X86_64`.
  private static let machine: UInt16 = 62
  #endif

  private struct Section {
    static let dynamicEntries: UInt32 = 6
    static let dynamicSymbols: UInt32 = 11
    let type: UInt32
    let offset: Int
    let size: Int
    let link: Int
  }

  private static func sections(of file: Bytes) -> [Section] {
    guard let start = file.length(at: 40), let count = file.integer(UInt16.self, at: 60) else { return [] }
    return (0..<Int(count)).compactMap { index in
      guard let header = file.sum(start, index * 64), let type = file.integer(UInt32.self, at: header + 4),
        let offset = file.length(at: header + 24), let size = file.length(at: header + 32),
        let link = file.integer(UInt32.self, at: header + 40)
      else { return nil }
      return Section(type: type, offset: offset, size: size, link: Int(link))
    }
  }

  private mutating func readNeeded(_ section: Section, strings: Section, of file: Bytes) {
    for index in 0..<(section.size / 16) {
      guard let entry = file.sum(section.offset, index * 16), let tag = file.integer(UInt64.self, at: entry),
        let value = file.length(at: entry + 8), tag != 0
      else { return }
      // DT_NEEDED.
      if tag == 1, let place = file.sum(strings.offset, value) { needed.append(file.text(at: place)) }
    }
  }

  private mutating func readExported(_ section: Section, strings: Section, of file: Bytes) {
    for index in 0..<(section.size / 24) {
      guard let symbol = file.sum(section.offset, index * 24), let name = file.integer(UInt32.self, at: symbol),
        let info = file.integer(UInt8.self, at: symbol + 4), let defined = file.integer(UInt16.self, at: symbol + 6)
      else { return }
      // Neither local nor needed of others.
      if info >> 4 != 0, defined != 0, let place = file.sum(strings.offset, Int(name)) {
        exported.insert(file.text(at: place))
      }
    }
  }

  /// Reads that stay in the file.
  private struct Bytes {
    let bytes: UnsafeRawBufferPointer

    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type, at offset: Int) -> Integer? {
      guard offset >= 0, offset <= bytes.count - MemoryLayout<Integer>.size else { return nil }
      return Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// A 64-bit number that is at most the file's size.
    func length(at offset: Int) -> Int? {
      integer(UInt64.self, at: offset).flatMap { $0 <= UInt64(bytes.count) ? Int($0) : nil }
    }

    /// The sum of an offset and a distance, in the file.
    func sum(_ offset: Int, _ distance: Int) -> Int? {
      let (sum, overflow) = offset.addingReportingOverflow(distance)
      return overflow || sum > bytes.count ? nil : sum
    }

    /// The text from there to the next zero.
    func text(at offset: Int) -> String {
      String(decoding: bytes[offset...].prefix(4096).prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
