/// The slot `input`: where rows come from.
public enum InputSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any ItemSource
  /// What configurations call it.
  public static let name = "input"
  /// A bare string is a path for this stage.
  public static let stageOfBareString: String? = "list"
}

/// The slot `request`: what a row becomes before it is sent.
public enum RequestSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any RequestBuilder
  /// What configurations call it.
  public static let name = "request"
  /// `[]` is none.
  public static let mayBeEmpty = true
}

/// The slot `cache`: where answers are kept.
public enum CacheSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any ResponseCache
  /// What configurations call it.
  public static let name = "cache"
  /// `[]` is none.
  public static let mayBeEmpty = true
}

/// The slot `middleware`: what wraps the transport.
public enum MiddlewareSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any TransportMiddleware
  /// What configurations call it.
  public static let name = "middleware"
  /// `[]` is none.
  public static let mayBeEmpty = true
}

/// The slot `transport`: what moves the bytes.
public enum TransportSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any Transport
  /// What every stage of the slot can be told.
  public typealias CommonOptions = TransportOptions
  /// What configurations call it.
  public static let name = "transport"
}

/// The slot `decode`: what turns bytes into pixels.
public enum DecodeSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any ImageDecoder
  /// What every stage of the slot can be told.
  public typealias CommonOptions = DecodeOptions
  /// What configurations call it.
  public static let name = "decode"
}

/// The slot `transform`: what is done to pixels.
public enum TransformSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any ImageTransform
  /// What configurations call it.
  public static let name = "transform"
  /// `[]` is none.
  public static let mayBeEmpty = true
}

/// The slot `encode`: what turns pixels into a file's bytes.
public enum EncodeSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any ImageEncoder
  /// What configurations call it.
  public static let name = "encode"
}

/// The slot `output`: where the files go.
public enum OutputSlot: StageSlot {
  /// What stages of the slot make.
  public typealias Product = any ImageOutput
  /// What configurations call it.
  public static let name = "output"
  /// A bare string is a path for this stage.
  public static let stageOfBareString: String? = "directory"
}
