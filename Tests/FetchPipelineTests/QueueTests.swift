import Testing

@testable import FetchPipeline

/// First in, first out; and what has left is gone, with all that it held.
struct QueueTests {
  private final class Thing {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  @Test func whatHasLeftIsLetGo() {
    var queue = Queue<Thing>()
    queue.append(Thing(0))
    queue.append(Thing(1))
    weak var gone: Thing?
    do {
      let first = queue.popFirst()
      gone = first
      #expect(first?.number == 0)
    }
    #expect(gone == nil)
    #expect(queue.count == 1)
  }

  @Test func theOrderIsThatOfArrival() {
    var queue = Queue<Int>()
    var left: [Int] = []
    for number in 0..<500 {
      queue.append(number)
      if number % 3 != 0, let first = queue.popFirst() { left.append(first) }
      if number == 300 { #expect(queue.remove { $0 == 301 } == false) }
    }
    while let first = queue.popFirst() { left.append(first) }
    #expect(left == Array(0..<500))
    #expect(queue.isEmpty && queue.first == nil)
  }

  @Test func oneFromTheMiddleLeaves() {
    var queue = Queue<Int>()
    for number in 0..<10 { queue.append(number) }
    _ = queue.popFirst()
    #expect(queue.remove { $0 == 5 } == true)
    #expect(queue.remove { $0 == 0 } == false)
    var left: [Int] = []
    while let first = queue.popFirst() { left.append(first) }
    #expect(left == [1, 2, 3, 4, 6, 7, 8, 9])
  }
}
