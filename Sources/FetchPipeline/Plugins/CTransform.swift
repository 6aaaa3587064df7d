internal import CFetchPipelinePlugin

/// A transform of a plugin in C.
struct CTransform: ImageTransform {
  let name: String
  let functions: CTable<Functions>
  let layouts: [PixelLayout]
  let revision: Int
  let values: CValues
  /// The options, for the recipe.
  let options: JSONObject

  /// What of the table is called.
  struct Functions {
    let user: UnsafeMutableRawPointer?
    let size:
      (
        @convention(c) (
          UnsafeMutableRawPointer?, UnsafePointer<fp_value>?, UnsafeMutablePointer<UInt32>?,
          UnsafeMutablePointer<UInt32>?
        ) -> Int32
      )?
    let apply:
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<fp_value>?, UnsafePointer<fp_picture>?, UnsafePointer<fp_picture>?,
        UnsafePointer<fp_checkpoint>?, UnsafeMutablePointer<CChar>?, Int
      ) -> Int32
  }

  func outputSize(for input: PixelSize) -> PixelSize? {
    guard let size = functions.table.size else { return input }
    guard var width = UInt32(exactly: input.width), var height = UInt32(exactly: input.height),
      Int(size(functions.table.user, values.pointer, &width, &height)) == FP_OK, width > 0, height > 0
    else { return nil }
    return PixelSize(width: Int(width), height: Int(height))
  }

  /// All of the picture: nobody knows which part a function uses.
  func demand(on input: PixelSize, for output: PixelDemand) -> PixelDemand {
    PixelDemand(region: PixelRect(input), scale: functions.table.size == nil ? output.scale : 1)
  }

  var acceptedForm: PixelForm {
    PixelForm(layouts: layouts, depths: [.eight], isLiteral: true, alpha: [.opaque, .straight])
  }

  func fingerprint(into print: inout Fingerprint) {
    print.add(name, JSONValue.object(options).compactText)
    print.add("revision", revision)
  }

  func apply(to image: PixelImage, context: TransformContext) throws -> PixelImage {
    guard let size = outputSize(for: image.size) else {
      throw PipelineError(.transform, .transform, "\(name): nothing can be made of a picture of \(image.size)")
    }
    var result = try PixelImage(layout: image.layout, size: size, alpha: image.alpha, profile: image.profile)
    var (input, output) = (image.boundaryPicture, result.boundaryPicture)
    try image.withUnsafeBytes(ofPlane: 0) { source in
      try result.withUnsafeMutableBytes(ofPlane: 0) { pixels in
        _ = pixels.initializeMemory(as: UInt8.self, repeating: 0)
        input.pixels = UnsafeMutableRawPointer(mutating: source.baseAddress)?.assumingMemoryBound(to: UInt8.self)
        output.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
        try CPluginCall.check(name, at: .transform) { message, size in
          try CPluginCall.withCheckpoint(context.checkpoint) { checkpoint in
            functions.table.apply(
              functions.table.user, values.pointer, &input, &output, checkpoint, message, size)
          }
        }
      }
    }
    return result
  }
}
