import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The bodies of a cache: files in 256 folders, each named by its key's hash and its entry's number, and never changed.
///
/// One that is open stays readable when its name goes.
struct BodyFiles: Sendable {
  let folder: FileDescriptor
  let calls: any FileCalls

  /// Where the body of an entry is.
  static func path(key: [UInt8], id: Int) -> String {
    let digits = StaticString("0123456789abcdef")
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { text in
      var count = 0
      func put(_ byte: UInt8) {
        text[count] = byte
        count += 1
      }
      for (index, byte) in key.prefix(16).enumerated() {
        if index == 1 { put(UInt8(ascii: "/")) }
        put(digits.utf8Start[Int(byte >> 4)])
        put(digits.utf8Start[Int(byte & 15)])
      }
      put(UInt8(ascii: "-"))
      let number = UInt64(bitPattern: Int64(id))
      var shift = max((63 - number.leadingZeroBitCount) / 4 * 4, 0)
      while shift >= 0 {
        put(digits.utf8Start[Int((number >> UInt64(shift)) & 15)])
        shift -= 4
      }
      return String(decoding: text[..<count], as: UTF8.self)
    }
  }

  /// Opens the body at `path`; nil where it is not there, or not of that size, or may not be read.
  func open(_ path: String, byteCount: Int) throws(FileError) -> FileDescriptor? {
    let file: FileDescriptor
    do {
      file = FileDescriptor(owning: try calls.open(path, in: folder.number, flags: O_RDONLY | O_NOFOLLOW))
    } catch {
      // What is about this process, or passes, says nothing of the body.
      if [EMFILE, ENFILE, ENOMEM].contains(error.number) { throw error }
      return nil
    }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == byteCount else {
      return nil
    }
    return file
  }

  /// Writes a body to a new file of the staging area and returns its name there.
  func stage(_ body: BodyParts, in staging: StagingArea) throws(FileError) -> String {
    let name = staging.nextName()
    let file = FileDescriptor(
      owning: try calls.open(name, in: staging.folder.number, flags: O_WRONLY | O_CREAT | O_EXCL))
    do {
      for part in body.parts {
        try part.withUnsafeBytes { bytes throws(FileError) in
          try calls.writeAll(bytes, to: file.number, path: name)
        }
      }
    } catch {
      unlinkat(staging.folder.number, name, 0)
      throw error
    }
    return name
  }

  /// Gives a staged file its place.
  func place(_ name: String, of staging: StagingArea, at path: String) throws(FileError) {
    do {
      try calls.rename(name, in: staging.folder.number, to: path, in: folder.number)
    } catch {
      guard error.number == ENOENT, let slash = path.firstIndex(of: "/") else { throw error }
      try makeFolders(String(path[..<slash]), in: folder.number, mode: 0o700)
      try calls.rename(name, in: staging.folder.number, to: path, in: folder.number)
    }
  }

  /// Removes a body's name.
  func remove(_ path: String) {
    unlinkat(folder.number, path, 0)
  }

  /// Every file, as a path.
  var paths: [String] {
    names(in: folder).flatMap { shard -> [String] in
      guard let files = try? openFolder(shard, in: folder.number, following: false) else { return [shard] }
      return names(in: files).map { "\(shard)/\($0)" }
    }
  }
}
