import FetchPipeline
import Foundation

/// Other people's programs, for pictures and expectations that are not our own: Python with Pillow and jsonschema.
enum Python {
  /// Runs a script of the folder "Scripts" and returns what it prints.
  static func run(_ script: String, _ arguments: [String]) throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(
      fileURLWithPath: ProcessInfo.processInfo.environment["PIPELINE_TEST_PYTHON"] ?? "/usr/bin/python3")
    process.arguments = [folder.appendingPathComponent("Scripts/\(script)").path] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw PipelineError(.input, .invalidInput, "\(script) \(arguments) ended with \(process.terminationStatus)")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Runs a script that takes seconds, on a thread of its own: the test origins of other tests need theirs.
  static func runLong(_ script: String, _ arguments: [String]) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try run(script, arguments) }) }
    }
  }

  /// Makes sets of source pictures in a folder.
  static func makePictures(in folder: String, _ sets: String...) throws {
    _ = try run("make_pictures.py", [folder] + sets.flatMap { $0.split(separator: " ").map(String.init) })
  }

  /// What Pillow sees in pictures.
  static func measure(_ paths: [String]) throws -> [Measurement] {
    try run("measure_pictures.py", paths).split(separator: "\n").map {
      try JSONDecoder().decode(Measurement.self, from: Data($0.utf8))
    }
  }

  /// What Pillow sees in a picture.
  struct Measurement: Decodable {
    let path: String
    let width: Int
    let height: Int
    let format: String
    let orientation: Int
    /// The mean red, green, blue and alpha of the quarters: top left, top right, bottom left, bottom right.
    let cells: [[Double]]
  }
}
