import FetchPipeline
import Foundation
import Testing

/// A disk that fills up ends a run in order, and the next one goes on when there is room.
@Suite struct FullDiskTests {
  @Test func aRunOnAFullDiskEndsAndIsTakenUpAgain() async throws {
    let folder = try WorkingFolder()
    // Where file systems cannot be mounted, the faults that are injected in other tests have to do.
    guard let disk = SmallDisk(at: folder.path("disk"), kilobytes: 1024) else { return }
    defer { withExtendedLifetime(disk) {} }
    try Python.makePictures(in: folder.path("origin"), "mixed 60")
    let nginx = try await NginxOrigin(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("origin")).sorted()
    let urls = (0..<10).flatMap { copy in names.map { nginx.url("\($0)?copy=\(copy)") } }
    try folder.write(urls.joined(separator: "\n"), to: "urls.txt")
    for output in ["disk", "undisturbed"] {
      try folder.write(
        """
        {input: "urls.txt", cache: [], transport: {use: "curl", allowHosts: ["127.0.0.1"]},
         output: {use: "directory", path: "\(output)/out", name: "{name}-{hash}.{ext}"}}
        """, to: "\(output).json")
    }
    let full = try await BuiltProgram.run(["run", "disk.json"], in: folder)
    #expect(full.status == 74, "\(full.errors)")
    // Whichever of pictures, report and ledger meets it first.
    #expect(full.errors.contains("disk-full"), "\(full.errors)")
    // What is visible is whole.
    let undisturbed = try await BuiltProgram.run(["run", "undisturbed.json"], in: folder)
    #expect(undisturbed.status == 0)
    let expected = try folder.pictures(in: "undisturbed/out")
    let partial = try folder.pictures(in: "disk/out")
    #expect(!partial.isEmpty && partial.count < expected.count)
    for (name, bytes) in partial { #expect(bytes == expected[name], "\(name)") }
    var reported: Set<String> = []
    for line in try folder.lines("disk/out/report.jsonl") {
      guard case .object(let object)? = try? JSONReader.value(of: Array(line.utf8)), object.text("status") == "ok",
        let url = object.text("url")
      else { continue }
      reported.insert(url)
    }
    #expect(!reported.isEmpty)
    // Still full: nothing changes.
    #expect(try await BuiltProgram.run(["run", "disk.json"], in: folder).status == 74)
    try disk.grow(toKilobytes: 65_536)
    let asked = try nginx.requests().count
    let again = try await BuiltProgram.run(["run", "disk.json"], in: folder)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try folder.pictures(in: "disk/out") == expected)
    let targets = Set(reported.compactMap(URL.init(string:)).map { $0.path + "?" + ($0.query ?? "") })
    #expect(try nginx.requests().dropFirst(asked).allSatisfy { !targets.contains($0.target) })
  }
}

/// A file system in memory, of a size of its own, unmounted with its owner.
private final class SmallDisk {
  private let path: String

  /// Nil where this process may not mount one.
  init?(at path: String, kilobytes: Int) {
    self.path = path
    guard (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil,
      Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "none", path])
    else { return nil }
  }

  func grow(toKilobytes kilobytes: Int) throws {
    #expect(Self.run("mount", ["-o", "remount,size=\(kilobytes)k", path]))
  }

  deinit { _ = Self.run("umount", [path]) }

  private static func run(_ program: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/\(program)")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
