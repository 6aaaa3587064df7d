import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that has been written and not yet got its name. One that never gets it goes with the value.
final class StagedFile {
  /// The path that it is to have in the output folder.
  let target: String
  /// Whether it may take the place of another file.
  let replaces: Bool
  /// What is in it.
  let bytes: SharedBytes
  private let area: StagingArea
  private let name: String
  private let calls: any FileCalls
  private var descriptor: Int32
  private var isPlaced = false

  /// Writes the file.
  init(
    _ bytes: SharedBytes, for target: String, replacing replaces: Bool = true, in area: StagingArea,
    calls: any FileCalls
  ) throws(FileError) {
    self.target = target
    self.replaces = replaces
    self.bytes = bytes
    self.area = area
    self.calls = calls
    name = area.nextName()
    descriptor = try calls.open(name, in: area.folder.number, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    let file = descriptor
    try bytes.withUnsafeBytes { (bytes) throws(FileError) in try calls.writeAll(bytes, to: file, path: name) }
  }

  deinit {
    if descriptor >= 0 { Self.closeDescriptor(descriptor) }
    if !isPlaced { unlinkat(area.folder.number, name, 0) }
  }

  /// Has the system start to write the bytes to disk, without waiting: files that are synced one after the other then
  /// share a commit of the file system's journal.
  func startSynchronizing() {
    // Linux starts writing dirty pages before it drops clean ones (mm/fadvise.c). What it returns does not matter.
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }

  /// Returns when the bytes are on the disk.
  func synchronize() throws(FileError) {
    try calls.synchronize(descriptor, path: name)
  }

  /// Closes the file. Some file systems only then say that there is no room.
  func close() throws(FileError) {
    let file = descriptor
    descriptor = -1
    if file >= 0, Self.closeDescriptor(file) != 0, errno != EINTR { throw FileError("closing", name) }
  }

  /// Gives the file its name, in place of another one that has it where that is allowed.
  ///
  /// - Throws: `EEXIST` where it is not. (On a file system without hard links, and with names that ignore case, that
  ///   cannot be told, and the other file is replaced.)
  func place(in folder: FileDescriptor) throws(FileError) {
    if !replaces {
      do throws(FileError) {
        try calls.link(name, in: area.folder.number, to: target, in: folder.number)
        unlinkat(area.folder.number, name, 0)
        isPlaced = true
        return
      } catch  where [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.number) {}
    }
    try calls.rename(name, in: area.folder.number, to: target, in: folder.number)
    isPlaced = true
  }

  /// Removes the file under its name.
  func withdraw(from folder: FileDescriptor) {
    if isPlaced { unlinkat(folder.number, target, 0) }
  }

  @discardableResult
  private static func closeDescriptor(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
    Glibc.close(descriptor)
    #else
    Musl.close(descriptor)
    #endif
  }
}
