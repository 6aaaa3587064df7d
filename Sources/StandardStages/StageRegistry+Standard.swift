extension StageRegistry {
  /// The built-in stages, registered as any other would be.
  public static var standard: StageRegistry {
    var registry = StageRegistry()
    registry.register(ListSource.self)
    registry.register(HTTPRequestBuilder.self)
    registry.register(CurlTransportStage.self)
    registry.register(JPEGDecoder.self)
    registry.register(PNGDecoder.self)
    registry.register(WebPDecoder.self)
    registry.register(Resize.self)
    registry.register(AutoEncoder.self)
    registry.register(JPEGEncoder.self)
    registry.register(PNGEncoder.self)
    registry.register(DirectoryOutputStage.self)
    registry.pixelConverter = StandardPixelConverter()
    return registry
  }
}
