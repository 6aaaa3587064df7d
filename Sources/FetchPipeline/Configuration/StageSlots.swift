/// The slot `input`: where rows come from.
public enum InputSlot: StageSlot {
  public typealias Product = any ItemSource
  public static let name = "input"
  public static let stageOfBareString: String? = "list"
}

/// The slot `request`: what a row becomes before it is sent.
public enum RequestSlot: StageSlot {
  public typealias Product = any RequestBuilder
  public static let name = "request"
}

/// The slot `cache`: where answers are kept.
public enum CacheSlot: StageSlot {
  public typealias Product = any ResponseCache
  public static let name = "cache"
}

/// The slot `middleware`: what wraps the transport.
public enum MiddlewareSlot: StageSlot {
  public typealias Product = any TransportMiddleware
  public static let name = "middleware"
}

/// The slot `transport`: what moves the bytes.
public enum TransportSlot: StageSlot {
  public typealias Product = any Transport
  public typealias CommonOptions = TransportOptions
  public static let name = "transport"
}

/// The slot `decode`: what turns bytes into pixels.
public enum DecodeSlot: StageSlot {
  public typealias Product = any ImageDecoder
  public typealias CommonOptions = DecodeOptions
  public static let name = "decode"
}

/// The slot `transform`: what is done to pixels.
public enum TransformSlot: StageSlot {
  public typealias Product = any ImageTransform
  public static let name = "transform"
}

/// The slot `encode`: what turns pixels into a file's bytes.
public enum EncodeSlot: StageSlot {
  public typealias Product = any ImageEncoder
  public static let name = "encode"
}

/// The slot `output`: where the files go.
public enum OutputSlot: StageSlot {
  public typealias Product = any ImageOutput
  public static let name = "output"
  public static let stageOfBareString: String? = "directory"
}
