import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open output folder: files appear in it whole, those of a picture's renditions together.
final class OutputFolder: Sendable {
  /// Files that appear together, or not at all.
  struct Group: Sendable {
    var files: [File] = []

    /// A relative path, and what is to stand there.
    struct File: Sendable {
      var path: String
      var bytes: SharedBytes
      /// Whether what stands there already is replaced. Else the group fails with `EEXIST`.
      var replaces: Bool
    }
  }

  let path: String
  private let calls: any FileCalls
  private let root: FileDescriptor
  private let state: Lock<State>

  private struct State {
    /// Where files are staged, by the sub-folder they will stand in: the empty path for all that have no entry, others
    /// for sub-folders on another file system, into which no file can be renamed from here.
    var areas: [String: StagingArea]
    /// Sub-folders that have been seen.
    var known: Set<String> = []
  }

  /// The file, beside the areas, that lists sub-folders with areas of their own, so that a later run can tidy up there.
  private static let elsewhere = "elsewhere"
  private static let mostKnown = 10_000

  /// Opens the folder, which is made where it is missing, removes what dead runs have left, and proves that files can
  /// be written.
  init(path: String, calls: any FileCalls) throws(FileError) {
    self.path = path
    self.calls = calls
    do throws(FileError) {
      try makeFolders(path)
      root = try openFolder(path)
      let root = root
      Self.tidy(root)
      let area = try StagingArea(in: root)
      state = Lock(State(areas: ["": area]))
      let probe = try StagedFile(
        SharedBytes([0x0a]), for: "\(StateFileNames.hiddenPrefix).probe-\(getpid())", in: area, calls: calls)
      try probe.close()
      try probe.place(in: root)
      probe.withdraw(from: root)
    } catch {
      throw error.about(error.path.hasPrefix(path) ? error.path : "\(path)/\(error.path)")
    }
  }

  /// What there may be at a path.
  enum Standing {
    case nothing
    case folder
    /// A file of any kind, or a link.
    case file
  }

  /// What stands at a relative path.
  func standing(at file: String) -> Standing {
    var status = stat()
    guard fstatat(root.number, file, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .nothing }
    return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }

  /// Whether the regular file at a relative path has these bytes.
  func has(_ bytes: SharedBytes, at file: String) -> Bool {
    guard let standing = read(file, count: bytes.count) else { return false }
    return bytes.withUnsafeBytes { bytes in standing.withUnsafeBytes { $0.elementsEqual(bytes) } }
  }

  /// The size of the regular file at a relative path; nil where there is none.
  func size(of file: String) -> Int? { Self.size(of: file, in: root.number) }

  /// The size of the regular file at a path of a folder; nil where there is none.
  static func size(of file: String, in folder: Int32) -> Int? {
    var status = stat()
    guard fstatat(folder, file, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int(status.st_size)
  }

  /// The bytes of the regular file at a relative path, where it has exactly so many; else nil.
  func read(_ file: String, count: Int) -> SharedBytes? {
    guard size(of: file) == count,
      let descriptor = try? calls.open(file, in: root.number, flags: O_RDONLY | O_NOFOLLOW)
    else { return nil }
    let owner = FileDescriptor(owning: descriptor)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let base = buffer.baseAddress {
        let got = pread(owner.number, base + filled, count - filled, off_t(filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        filled += got
      }
    }
    return bytes.count == count ? SharedBytes(bytes) : nil
  }

  /// Writes the files of each group and gives them their names.
  ///
  /// - Parameter synchronizing: whether files and folders are on the disk when this returns.
  /// - Returns: what became of each group; of one that failed no file is there.
  func place(_ groups: [Group], synchronizing: Bool) -> [Result<Void, FileError>] {
    var staged: [[StagedFile]] = []
    var failures: [FileError?] = []
    for group in groups {
      do throws(FileError) {
        staged.append(try stage(group))
        failures.append(nil)
      } catch {
        staged.append([])
        failures.append(error)
      }
    }
    func attempt(_ step: (StagedFile) throws(FileError) -> Void) {
      for index in groups.indices where failures[index] == nil {
        for file in staged[index] where failures[index] == nil {
          do throws(FileError) { try step(file) } catch { failures[index] = error.about("\(path)/\(file.target)") }
        }
      }
    }
    if synchronizing {
      attempt { (file) throws(FileError) in file.startSynchronizing() }
      attempt { (file) throws(FileError) in try file.synchronize() }
    }
    attempt { (file) throws(FileError) in try file.close() }
    // The folders whose lists of names have changed.
    var changed: Set<String> = []
    for index in groups.indices where failures[index] == nil {
      for at in staged[index].indices where failures[index] == nil {
        let target = staged[index][at].target
        do throws(FileError) {
          try name(&staged[index][at], synchronizing: synchronizing, changed: &changed)
        } catch { failures[index] = error.about("\(path)/\(target)") }
      }
    }
    if synchronizing {
      for folder in changed {
        do throws(FileError) { try synchronize(folder) } catch {
          for index in groups.indices where staged[index].contains(where: { Self.parent(of: $0.target) == folder }) {
            failures[index] = failures[index] ?? error
          }
        }
      }
    }
    for index in groups.indices where failures[index] != nil {
      for file in staged[index] { file.withdraw(from: root) }
    }
    return failures.map { $0.map(Result.failure) ?? .success(()) }
  }

  /// Removes the folders for files that are being written. Nothing is called afterwards.
  func finish() {
    for (folder, area) in state.withLock({ $0.areas }) where !folder.isEmpty { area.remove() }
    state.withLock { $0.areas[""] }?.remove()
    Self.tidy(root)
  }

  private func stage(_ group: Group) throws(FileError) -> [StagedFile] {
    var files: [StagedFile] = []
    for file in group.files {
      do throws(FileError) {
        files.append(try stage(file))
      } catch { throw error.about("\(path)/\(file.path)") }
    }
    return files
  }

  /// Writes a file; where somebody has removed the folder for that, in a new one.
  private func stage(_ file: Group.File) throws(FileError) -> StagedFile {
    let folder = Self.parent(of: file.path)
    guard let area = area(for: folder) else { throw FileError("writing", file.path, number: EBADF) }
    func staged(in area: StagingArea) throws(FileError) -> StagedFile {
      try StagedFile(file.bytes, for: file.path, replacing: file.replaces, in: area, calls: calls)
    }
    do throws(FileError) {
      do throws(FileError) {
        return try staged(in: area)
      } catch  where error.number == ENOENT {
        return try staged(in: try renewed(area, for: folder))
      }
    } catch { throw error.ofEveryFile }
  }

  /// Gives a file its name, with the folders above it.
  private func name(_ file: inout StagedFile, synchronizing: Bool, changed: inout Set<String>) throws(FileError) {
    let folder = Self.parent(of: file.target)
    try make(folder, changed: &changed)
    do throws(FileError) {
      try file.place(in: root)
    } catch {
      if error.number == EXDEV {
        // The sub-folder is another file system's: written there anew, and from now on there at once.
        _ = try foreignArea(for: folder)
        try placeAnew(&file, synchronizing: synchronizing)
      } else if error.number == ENOENT {
        // Somebody has removed the folder since, or the file.
        state.withLock { _ = $0.known.remove(folder) }
        try make(folder, changed: &changed)
        do throws(FileError) {
          try file.place(in: root)
        } catch  where error.number == ENOENT {
          try placeAnew(&file, synchronizing: synchronizing)
        }
      } else {
        throw error
      }
    }
    changed.insert(folder)
  }

  /// Writes a file once more and gives it its name.
  private func placeAnew(_ file: inout StagedFile, synchronizing: Bool) throws(FileError) {
    let copy = try stage(Group.File(path: file.target, bytes: file.bytes, replaces: file.replaces))
    if synchronizing { try copy.synchronize() }
    try copy.close()
    try copy.place(in: root)
    file = copy
  }

  private func make(_ folder: String, changed: inout Set<String>) throws(FileError) {
    if folder.isEmpty || state.withLock({ $0.known.contains(folder) }) { return }
    for made in try makeFolders(folder, in: root.number) { changed.insert(Self.parent(of: made)) }
    state.withLock { state in
      if state.known.count >= Self.mostKnown { state.known.removeAll() }
      state.known.insert(folder)
    }
  }

  private func synchronize(_ folder: String) throws(FileError) {
    if folder.isEmpty { return try calls.synchronize(root.number, path: path) }
    let place = "\(path)/\(folder)"
    do throws(FileError) {
      let open = try openFolder(folder, in: root.number)
      try calls.synchronize(open.number, path: place)
    } catch { throw error.about(place) }
  }

  private func area(for folder: String) -> StagingArea? {
    state.withLock { $0.areas[folder] ?? $0.areas[""] }
  }

  private func foreignArea(for folder: String) throws(FileError) -> StagingArea {
    if let known = state.withLock({ $0.areas[folder] }) { return known }
    let list = "\(StateFileNames.staging)/\(Self.elsewhere)"
    let file = FileDescriptor(
      owning: try calls.open(list, in: root.number, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK))
    try SharedBytes(utf8: "\(folder)\n").withUnsafeBytes { (line) throws(FileError) in
      try calls.writeAll(line, to: file.number, path: list)
    }
    let area = try StagingArea(in: try openFolder(folder, in: root.number))
    return state.withLock { state in
      if let earlier = state.areas[folder] {
        area.remove()
        return earlier
      }
      state.areas[folder] = area
      return area
    }
  }

  /// Another area in the place of one that somebody has removed.
  private func renewed(_ old: StagingArea, for folder: String) throws(FileError) -> StagingArea {
    let (key, current) = state.withLock { state in
      let key = state.areas[folder] == nil ? "" : folder
      return (key, state.areas[key])
    }
    if let current, current !== old { return current }
    let area = try StagingArea(in: key.isEmpty ? root : try openFolder(key, in: root.number))
    return state.withLock { state in
      if let earlier = state.areas[key], earlier !== old {
        area.remove()
        return earlier
      }
      state.areas[key] = area
      return area
    }
  }

  private static func parent(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
  }

  /// Removes what dead runs have left, here and in the sub-folders that they have listed.
  private static func tidy(_ root: FileDescriptor) {
    let list = "\(StateFileNames.staging)/\(elsewhere)"
    var isUsed = StagingArea.removeDead(in: root, keeping: [elsewhere])
    guard let file = try? SystemFileCalls().open(list, in: root.number, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    else { return }
    let owner = FileDescriptor(owning: file)
    var status = stat()
    guard fstat(owner.number, &status) == 0 else { return }
    // One line a sub-folder and run; what does not fit here was not written by us.
    var text = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 0), 1_048_576))
    let count = pread(owner.number, &text, text.count, 0)
    let folders = Set(text.prefix(max(count, 0)).split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) })
    for folder in folders where !folder.hasPrefix("/") && !folder.split(separator: "/").contains("..") {
      if let open = try? openFolder(folder, in: root.number), StagingArea.removeDead(in: open) { isUsed = true }
    }
    if isUsed { return }
    unlinkat(root.number, list, 0)
    unlinkat(root.number, StateFileNames.staging, AT_REMOVEDIR)
  }
}
