extension StageRegistry {
  /// The built-in stages, registered as any other would be.
  public static var standard: StageRegistry {
    var registry = StageRegistry()
    registry.register(ListInputStage.self)
    registry.register(HTTPRequestBuilder.self)
    registry.register(MemoryCacheStage.self)
    registry.register(DiskCacheStage.self)
    registry.register(LogMiddlewareStage.self)
    registry.register(CurlStage.self)
    registry.register(JPEGDecoder.self)
    registry.register(PNGDecoder.self)
    registry.register(WebPDecoder.self)
    registry.register(Resize.self)
    registry.register(Crop.self)
    registry.register(Rotate.self)
    registry.register(Flip.self)
    registry.register(Blur.self)
    registry.register(Sharpen.self)
    registry.register(Grayscale.self)
    registry.register(Background.self)
    registry.register(AutoEncoder.self)
    registry.register(JPEGEncoder.self)
    registry.register(PNGEncoder.self)
    registry.register(WebPEncoder.self)
    registry.register(DirectoryOutputStage.self)
    registry.pixelConverter = StandardPixelConverter()
    registry.colorConverter = LittleCMSConverter()
    return registry
  }
}
