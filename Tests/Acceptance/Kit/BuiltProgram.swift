import Foundation
import Synchronization

/// The built program `pipeline`, run as its users run it.
enum BuiltProgram {
  /// What a finished run left.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
    /// The peak of its resident memory in bytes, up to a few milliseconds before its end.
    let peakMemory: Int
    /// User and system time, in seconds.
    let cpuTime: Double
  }

  /// Beside the test bundle, or where the environment says (a release build, for what measures memory).
  static let path: String = {
    if let named = ProcessInfo.processInfo.environment["PIPELINE_TEST_PROGRAM"] { return named }
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent("pipeline").path
  }()

  /// Runs the program to its end, or kills it after `limit`.
  static func run(
    _ arguments: [String], in folder: WorkingFolder, environment: [String: String] = [:],
    input: String = "/dev/null", output: String? = nil, limit: Duration = .seconds(120)
  ) async throws -> Outcome {
    try await start(arguments, in: folder, environment: environment, input: input, output: output).wait(limit: limit)
  }

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - input: the file that is its standard input.
  ///   - output: the file that is its standard output; nil for one of the folder.
  static func start(
    _ arguments: [String], in folder: WorkingFolder, environment: [String: String] = [:],
    input: String = "/dev/null", output: String? = nil
  ) throws -> RunningProgram {
    try RunningProgram(
      path: path, arguments: arguments, folder: folder, environment: environment, input: input, output: output)
  }
}

/// A started program, which is ended at the latest when nobody waits for it any more.
final class RunningProgram: Sendable {
  let pid: pid_t
  private let outputPath: String
  private let errorPath: String
  private let isOver = Mutex(false)

  private static let count = Mutex(0)

  init(
    path: String, arguments: [String], folder: WorkingFolder, environment: [String: String],
    input: String = "/dev/null", output: String? = nil
  ) throws {
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    outputPath = output ?? folder.path("output-\(number).txt")
    errorPath = folder.path("errors-\(number).txt")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    // No test touches the cache of whoever runs it.
    let merged = ProcessInfo.processInfo.environment
      .merging(["XDG_CACHE_HOME": folder.path("caches")]) { $1 }
      .merging(environment) { $1 }
    // `env` becomes the program, in the folder.
    let argv = (["env", "-C", folder.path, path] + arguments).map { strdup($0) } + [nil]
    let envp = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let status = posix_spawn(&pid, "/usr/bin/env", &actions, nil, argv, envp)
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    self.pid = pid
  }

  deinit {
    guard !isOver.withLock({ $0 }) else { return }
    // A server with children of its own is given the time to end them.
    kill(pid, SIGTERM)
    var status: Int32 = 0
    for _ in 0..<200 {
      if waitpid(pid, &status, WNOHANG) == pid { return }
      usleep(10_000)
    }
    kill(pid, SIGKILL)
    waitpid(pid, &status, 0)
  }

  /// Sends a signal to this program alone.
  func send(_ signal: Int32) {
    kill(pid, signal)
  }

  /// Waits for the end; kills the program after `limit`.
  func wait(limit: Duration) async throws -> BuiltProgram.Outcome {
    let end = ContinuousClock.now + limit
    var status: Int32 = 0
    var usage = rusage()
    var peak = 0
    while true {
      peak = max(peak, residentPeak ?? 0)
      let result = wait4(pid, &status, WNOHANG, &usage)
      if result == pid { break }
      if ContinuousClock.now > end { kill(pid, SIGKILL) }
      try? await Task.sleep(for: .milliseconds(5))
    }
    isOver.withLock { $0 = true }
    let signal = status & 0x7f
    let text = { (path: String) in (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    return BuiltProgram.Outcome(
      status: signal == 0 ? (status >> 8) & 0xff : -signal, output: text(outputPath), errors: text(errorPath),
      peakMemory: peak,
      cpuTime: Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6)
  }

  /// What the kernel says of its resident memory. (The peak that `wait4` reports would count this test's own as well: it is
  /// handed on to a program that is started.)
  private var residentPeak: Int? {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 * 1024 }
  }
}
