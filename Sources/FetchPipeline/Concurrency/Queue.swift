/// First in, first out, without moving what remains at every step. What has left is not held on to.
package struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  package init() {}

  package var count: Int { elements.count - head }
  package var isEmpty: Bool { count == 0 }
  package var first: Element? { isEmpty ? nil : elements[head] }

  /// Those that have not left, the first first.
  package var waiting: [Element] { elements[head...].compactMap { $0 } }

  package mutating func append(_ element: Element) {
    elements.append(element)
  }

  package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head > 32, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Removes the first element for which `condition` holds; false where there is none.
  @discardableResult
  package mutating func remove(where condition: (Element) -> Bool) -> Bool {
    guard let index = elements[head...].firstIndex(where: { $0.map(condition) ?? false }) else { return false }
    elements.remove(at: index)
    return true
  }
}
