#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the machine, or the control group that the program runs in, has to offer.
public struct MachineResources: Sendable, Hashable {
  /// The cores that may be used.
  public var cores: Int
  /// The memory in bytes.
  public var memory: Int

  /// These resources.
  public init(cores: Int, memory: Int) {
    self.cores = max(cores, 1)
    self.memory = memory
  }

  /// What there is now: the processors that may be scheduled on and the physical memory, less where a control group
  /// (version 2 or 1) allows less.
  public static var current: MachineResources {
    var cores = scheduledCores() ?? max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    if let quota = cpuQuota() { cores = min(cores, max(Int(quota.rounded(.up)), 1)) }
    var memory = max(sysconf(Int32(_SC_PHYS_PAGES)), 1) * max(sysconf(Int32(_SC_PAGESIZE)), 1)
    let limits = ["memory.max", "memory/memory.limit_in_bytes"].compactMap { controlGroupValue($0) }
    for limit in limits { if let bytes = Int(limit), bytes > 0 { memory = min(memory, bytes) } }
    return MachineResources(cores: cores, memory: memory)
  }

  /// The processors in the affinity mask, which Linux writes in hexadecimal.
  private static func scheduledCores() -> Int? {
    let line = readFile("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    let count = line?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount }
    return count.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The cores that a quota amounts to.
  private static func cpuQuota() -> Double? {
    if let parts = controlGroupValue("cpu.max")?.split(separator: " "), parts.count == 2 {
      guard let quota = Double(parts[0]), let period = Double(parts[1]), period > 0 else { return nil }
      return quota / period
    }
    guard let quota = controlGroupValue("cpu/cpu.cfs_quota_us").flatMap({ Double($0) }), quota > 0,
      let period = controlGroupValue("cpu/cpu.cfs_period_us").flatMap({ Double($0) }), period > 0
    else { return nil }
    return quota / period
  }

  /// The smallest value on the way from our own control group to the root. In a container, ours is the root.
  private static func controlGroupValue(_ name: String) -> String? {
    let own = readFile("/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3) ?? "/"
    return readFile("/sys/fs/cgroup\(own == "/" ? "" : own)/\(name)") ?? readFile("/sys/fs/cgroup/\(name)")
  }

  private static func readFile(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer[..<count], as: UTF8.self).trimmingASCIIWhitespace().description
  }
}
