import FetchPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The filter that a resize weighs samples with.
///
/// Kernels are functions of the distance in samples of the sparser side: in source samples when enlarging, in target
/// samples when reducing.
public enum ResampleKernel: String, Sendable, Hashable, CaseIterable, ConfigurationValue {
  /// The sinc windowed by its own main lobe, 3 lobes: the sharpest.
  case lanczos3
  /// The cubic with B = C = 1/3 (Mitchell and Netravali 1988): hardly any ringing.
  case mitchell
  /// The cubic with B = 0, C = 1/2 (Catmull and Rom): between the two.
  case catrom
  /// The triangle.
  case linear
  /// The sample that is nearest; no filter.
  case nearest

  /// The distance from which on the kernel is zero.
  var radius: Double {
    switch self {
    case .lanczos3: 3
    case .mitchell, .catrom: 2
    case .linear: 1
    case .nearest: 0.5
    }
  }

  /// The kernel as a table over distances.
  var table: KernelTable {
    switch self {
    case .lanczos3: Self.lanczos3Table
    case .mitchell: Self.mitchellTable
    case .catrom: Self.catromTable
    case .linear, .nearest: Self.linearTable
    }
  }

  private static let lanczos3Table = KernelTable(radius: 3) { x in
    if x == 0 { return 1 }
    // Exactly zero, so that samples that fall on samples stay what they are.
    if x == x.rounded() { return 0 }
    let angle = Double.pi * x
    return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
  }
  private static let mitchellTable = KernelTable(radius: 2) { cubic($0, b: 1.0 / 3, c: 1.0 / 3) }
  private static let catromTable = KernelTable(radius: 2) { cubic($0, b: 0, c: 0.5) }
  private static let linearTable = KernelTable(radius: 1) { 1 - $0 }

  /// Mitchell and Netravali, "Reconstruction filters in computer graphics" (1988), equation 8.
  private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
    if x < 1 { return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) / 6 }
    return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6
  }
}
