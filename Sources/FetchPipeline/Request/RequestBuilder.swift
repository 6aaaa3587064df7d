/// Refines the request for an item: adds headers, signs, chooses a mirror.
///
/// Builders run in the order of the configuration, each on the result of the last; what the item itself asks for is
/// applied after them.
public protocol RequestBuilder: Sendable {
  /// Changes `request`, which starts as a GET of the item's URL.
  func build(_ request: inout HTTPRequest, for item: ImageRequest) throws
}
