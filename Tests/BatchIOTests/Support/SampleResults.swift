import FetchPipeline

/// A result of a row, made as the pipeline makes it.
func result(
  _ url: String, id: String = "42", status: ImageResult.Status = .ok, error: PipelineError? = nil
) -> ImageResult {
  let request = Result { try ImageRequest(ResourceURL(url)) }.mapError { PipelineError($0, at: .input) }
  let item = SourceItem(
    row: 1, id: id, text: url, original: ["url": .string(url), "id": .string(id)], request: request)
  return ImageResult(of: item, status: status, error: error)
}

/// The result that the documentation shows.
func documentedResult() throws -> ImageResult {
  var made = result("https://example.org/a.jpg")
  made.source = SourceDescription(
    format: .jpeg, size: PixelSize(width: 3000, height: 4000), byteCount: 2_154_123, orientation: .right)
  made.exchange = ExchangeDescription(
    status: 200, url: try ResourceURL("https://cdn.example.org/a.jpg"), attempts: 1, cache: .miss)
  made.outputs = [stored("a-1f0c2d3e4a5b6c7d.jpg")]
  made.flags = [.iccConverted]
  made.timings.fetch = .microseconds(41_200)
  made.timings.decode = .microseconds(9_800)
  made.timings.transform = .microseconds(900)
  made.timings.encode = .microseconds(1_100)
  made.timings.write = .microseconds(300)
  made.timings.total = .microseconds(53_900)
  return made
}
