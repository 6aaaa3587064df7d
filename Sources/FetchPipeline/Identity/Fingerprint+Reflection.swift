extension Fingerprint {
  /// Adds everything that a value stores, so that values which could act differently have different fingerprints.
  ///
  /// Numbers, text, bytes, and what is made of them (structures, enumerations, collections) go in by their content. Of a
  /// reference to an object or a closure nobody can tell what it does: it makes the fingerprint one that no other equals, not
  /// even that of the same value in the next run. Then nothing is shared, and nothing is taken for done.
  public mutating func addContent(_ name: String, _ value: Any) {
    switch value {
    case let bytes as SharedBytes: return add(name, bytes)
    case let bytes as [UInt8]: return add(name, SharedBytes(bytes))
    case let text as any LosslessStringConvertible:
      return add(name, "\(Self.name(of: type(of: value))) \(text.description)")
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct, .tuple, .optional, .collection, .enum:
      add(name, Self.name(of: type(of: value)))
      if mirror.displayStyle == .enum { add("case", mirror.children.first?.label ?? "\(value)") }
      for child in mirror.children { addContent(child.label ?? "", child.value) }
      addNone("end")
    case .dictionary, .set:
      // Their order differs from run to run.
      let digests = mirror.children.map { child in
        var print = Fingerprint("element")
        print.addContent("", child.value)
        return print.digest().hex
      }
      add(name, digests.sorted().joined(separator: " "))
    default:
      add(name, "\(UInt64.random(in: 0...UInt64.max)) \(UInt64.random(in: 0...UInt64.max))")
    }
  }
}

extension Fingerprint {
  /// The name of a type with its module and what it is nested in: `Module.Outer.Type`, the same in each run.
  static func name(of type: Any.Type) -> String {
    // A private or local type is in "(unknown context at $5581…)", an address.
    let parts = String(reflecting: type).split(separator: "(unknown context at ", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts.first ?? "")) { name, part in
      name + "-" + part.drop { $0 != ")" }.dropFirst()
    }
  }
}
