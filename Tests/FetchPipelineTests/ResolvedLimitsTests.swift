import FetchPipeline
import Testing

/// What limits leave to the machine.
struct ResolvedLimitsTests {
  @Test func whatIsNotWrittenComesFromTheMachine() {
    let small = Limits().resolved(on: MachineResources(cores: 3, memory: 2 << 30))
    #expect(small.workers == 3)
    #expect(small.memory == ByteCount(512 << 20))
    #expect(small.readAhead == ByteCount(28 << 20))
    #expect(Limits().resolved(on: MachineResources(cores: 1, memory: 64 << 30)).memory == ByteCount(1 << 30))
  }

  @Test func whatIsWrittenStays() {
    var limits = Limits()
    (limits.workers, limits.memory, limits.readAhead) = (5, ByteCount(99 << 20), ByteCount(7))
    #expect(limits.resolved(on: MachineResources(cores: 2, memory: 8 << 30)) == limits)
  }
}
