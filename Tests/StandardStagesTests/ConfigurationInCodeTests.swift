import StandardStages
import Testing

/// What is set in code is held to the same rules as what a file says.
@Suite struct ConfigurationInCodeTests {
  func problems(_ change: (inout PipelineConfiguration) -> Void) throws -> [String] {
    var configuration = try PipelineConfiguration.standard()
    configuration.cache = []
    change(&configuration)
    do {
      _ = try Pipeline(configuration)
      return []
    } catch let error as ConfigurationError {
      return error.problems.map { "\($0.path): \($0.message)" }
    }
  }

  @Test func valuesOutOfRangeAreToldAllAtOnce() throws {
    let found = try problems { configuration in
      var transport = CurlStage()
      transport.resolve = ["nonsense"]
      var options = TransportOptions()
      options.connections = 0
      configuration.transport = StageSelection(transport, common: options)
      configuration.transform = [
        StageSelection(Resize(width: 0, height: 10)), StageSelection(Resize(fit: .cover)),
        StageSelection(Blur(sigma: .nan)),
      ]
      configuration.encode = StageSelection(JPEGEncoder(quality: 500))
      configuration.limits.workers = 0
    }
    #expect(
      found.map { $0.prefix { $0 != " " } } == [
        "transport.resolve:", "transport.connections:", "transform[0].width:", "transform[1]:", "transform[2].sigma:",
        "encode.quality:", "limits.workers:",
      ], "\(found)")
  }

  @Test func stringsStandForThemselves() throws {
    let found = try problems { configuration in
      var builder = HTTPRequestBuilder()
      builder.userAgent = "${NOT_SET} $$"
      builder.headers = ["X-Price": "${PRICE}"]
      configuration.request = [StageSelection(builder)]
    }
    #expect(found == [])
  }

  @Test func headersThatCannotBeSent() throws {
    let found = try problems { configuration in
      var builder = HTTPRequestBuilder()
      builder.headers = ["X-A": "a\r\nX-B: b"]
      configuration.request = [StageSelection(builder)]
    }
    #expect(found.count == 1 && found[0].hasPrefix("request[0].headers"), "\(found)")
  }

  @Test func renditionsNeedNamesOfTheirOwn() throws {
    let found = try problems { configuration in
      var one = RenditionConfiguration()
      one.encode = StageSelection(JPEGEncoder())
      one.name = "a"
      var bad = one
      bad.name = "a/b"
      configuration.renditions = [one, one, bad]
    }
    #expect(found.map { $0.prefix { $0 != " " } } == ["renditions[2].name:", "renditions[1].name:"], "\(found)")
  }
}
