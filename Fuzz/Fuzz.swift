import BatchIO
import ColorManagement
import FetchPipeline
import Foundation
import ImageCodecs
import StandardStages

/// The entry point of libFuzzer: one input for the target that `FUZZ_TARGET` names.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  FuzzTarget.chosen.run(bytes)
  return 0
}

/// What is fuzzed: everything that reads what strangers write.
enum FuzzTarget: String, CaseIterable {
  case jpeg, png, webp, exif, icc, list, config

  static let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      let names = allCases.map(\.rawValue).joined(separator: ", ")
      FileHandle.standardError.write(Data("FUZZ_TARGET is one of \(names)\n".utf8))
      exit(2)
    }
    return target
  }()

  func run(_ bytes: [UInt8]) {
    switch self {
    case .jpeg: Self.decode(bytes, by: Self.sessions.jpeg)
    case .png: Self.decode(bytes, by: Self.sessions.png)
    case .webp: Self.decode(bytes, by: Self.sessions.webp)
    case .exif: _ = bytes.withUnsafeBytes { EXIF.orientation(of: $0) }
    case .icc: Self.convert(bytes)
    case .list: Self.readList(bytes)
    case .config: Self.readConfiguration(bytes)
    }
  }

  // libFuzzer has one thread.
  private struct Sessions {
    let jpeg = JPEGDecoder().makeSession()
    let png = PNGDecoder().makeSession()
    let webp = WebPDecoder().makeSession()
  }
  nonisolated(unsafe) private static let sessions = Sessions()

  private static func decode(_ file: [UInt8], by session: any ImageDecoderSession) {
    var limits = Limits()
    limits.pixels = 1 << 18
    limits.scans = 20
    limits.containerFrames = 50
    let bytes = SharedBytes(file)
    for plan in [DecodePlan(limits: limits), DecodePlan(scale: 0.2, onDamage: .salvage, limits: limits)] {
      do {
        let probe = try session.probe(bytes, limits: limits)
        _ = session.peakBytes(of: probe, plan: plan)
        let decoded = try session.decode(
          bytes, probe: probe, plan: plan, checkpoint: DecodeCheckpoint(cpuTime: .seconds(20)))
        read(decoded.image)
      } catch {}
    }
  }

  /// Looks at every sample.
  private static func read(_ image: PixelImage) {
    for index in image.planes.indices {
      let plane = image.planes[index]
      image.withUnsafeBytes(ofPlane: index) { bytes in
        var sum = 0
        for row in 0..<plane.size.height {
          for at in 0..<(plane.size.width * plane.channels * image.depth.bytes) {
            sum &+= Int(bytes[row * plane.bytesPerRow + at])
          }
        }
        // Never the case; the compiler does not know.
        if sum < 0 { exit(3) }
      }
    }
  }

  private static func convert(_ profile: [UInt8]) {
    let converter = LittleCMSConverter()
    for layout in [PixelLayout.gray, .rgb, .rgba, .cmyk] {
      guard var image = try? PixelImage(layout: layout, size: PixelSize(width: 4, height: 2)) else { continue }
      try? image.withUnsafeMutableBytes(ofPlane: 0) { bytes in
        for at in bytes.indices { bytes[at] = UInt8(truncatingIfNeeded: at * 37) }
      }
      image.profile = .icc(SharedBytes(profile))
      if let converted = try? converter.convertToSRGB(image) { read(converted.image) }
    }
  }

  /// The first byte chooses the format, the rest is the list.
  private static func readList(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let formats: [ListFormat] = [.auto, .txt, .csv, .tsv, .json, .jsonl]
    let path = "/dev/shm/fuzz-list-\(ProcessInfo.processInfo.processIdentifier)"
    guard FileManager.default.createFile(atPath: path, contents: Data(bytes.dropFirst())) else { return }
    var stage = ListInputStage()
    stage.path = path
    stage.format = formats[Int(first) % formats.count]
    let source = stage.make(in: StageContext())
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      await drain(source)
      done.signal()
    }
    done.wait()
  }

  private static func drain(_ source: some ItemSource) async {
    do {
      for try await item in source { if item.row < 0 { exit(3) } }
    } catch {}
  }

  private static func readConfiguration(_ bytes: [UInt8]) {
    _ = try? PipelineConfiguration(
      text: bytes, file: "config.json", folder: "", registry: .standard, environment: ["NAME": "value"])
  }
}
