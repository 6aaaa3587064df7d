import FetchPipeline

extension Color {
  /// Whether red, green and blue are the same.
  var isGray: Bool { red == green && green == blue }

  /// The colour laid over an opaque one, whose own alpha is ignored.
  func composited(over behind: Color) -> Color {
    let opacity = Int(alpha)
    func blend(_ front: UInt8, _ back: UInt8) -> UInt8 {
      let sum = Int(front) * opacity + Int(back) * (255 - opacity)
      return UInt8((sum + 127) / 255)
    }
    return Color(red: blend(red, behind.red), green: blend(green, behind.green), blue: blend(blue, behind.blue))
  }
}
