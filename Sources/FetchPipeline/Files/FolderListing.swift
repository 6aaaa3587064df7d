#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Opens a folder.
package func openFolder(
  _ path: String, in parent: Int32 = AT_FDCWD, following: Bool = true
) throws(FileError) -> FileDescriptor {
  let flags = O_RDONLY | O_DIRECTORY | (following ? 0 : O_NOFOLLOW)
  return FileDescriptor(owning: try SystemFileCalls().open(path, in: parent, flags: flags))
}

/// The names in an open folder; none where it cannot be read.
package func names(in folder: FileDescriptor) -> [String] {
  // A descriptor of its own: the stream closes it, and its position is not the other's.
  let copy = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard copy >= 0 else { return [] }
  guard let stream = fdopendir(copy) else {
    close(copy)
    return []
  }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
    let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      tuple.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}
