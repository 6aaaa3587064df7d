/// The middleware `log`: tells the pipeline's observer of every exchange, with its result and how long it took.
public struct LogMiddleware: TransportMiddleware {
  private let observer: any PipelineObserver

  /// A middleware that tells `observer`.
  public init(observer: any PipelineObserver) {
    self.observer = observer
  }

  /// Passes the request on, and tells how it went.
  public func intercept(
    _ request: HTTPRequest, next: @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    let start = ContinuousClock.now
    do {
      let response = try await next(request)
      tell(request, start, status: response.status, bytes: response.body.expectedLength)
      return response
    } catch {
      tell(request, start, error: PipelineError(error, at: .transport))
      throw error
    }
  }

  private func tell(
    _ request: HTTPRequest, _ start: ContinuousClock.Instant, status: Int? = nil, error: PipelineError? = nil,
    bytes: Int? = nil
  ) {
    observer.observe(
      .exchanged(
        method: request.method.name, url: request.url, status: status, error: error, bytes: bytes,
        duration: ContinuousClock.now - start))
  }
}

/// The stage `log` of the slot `middleware`.
public struct LogMiddlewareStage: Stage {
  /// It is a stage of that slot.
  public typealias Slot = MiddlewareSlot
  /// What configurations call it.
  public static let name = "log"
  /// What it does.
  public static let summary = "tells of every exchange: method, URL, status, bytes and time"
  /// It has none.
  public static let options: [OptionDeclaration<LogMiddlewareStage>] = []

  /// The stage.
  public init() {}

  /// The middleware.
  public func make(in context: StageContext) -> any TransportMiddleware { LogMiddleware(observer: context.observer) }
}
