import FetchPipeline
import Foundation
import PipelineTesting
import Testing

/// Plugins in the built program: loaded as a configuration says, at work in a run, and never in the way of results.
struct PluginProgramTests {
  /// A plugin beside the program, where Scripts/build-plugins builds them.
  private func plugin(_ name: String) throws -> String {
    let path = URL(fileURLWithPath: BuiltProgram.path).deletingLastPathComponent().appendingPathComponent(name).path
    try #require(
      FileManager.default.fileExists(atPath: path), "\(path) is not there: run Scripts/build-plugins (-c release) first"
    )
    return path
  }

  @Test func aDecoderInCAndATransformInSwiftMakeAPicture() async throws {
    let folder = try WorkingFolder()
    try folder.write(Array("P6 64 64 255\n".utf8) + (0..<(64 * 64)).flatMap { _ in [0, 0, 255] }, to: "a.ppm")
    try folder.write("P6 64 64 255\n", to: "cut.ppm")
    try folder.write("a.ppm\ncut.ppm\n", to: "urls.txt")
    try folder.write(
      """
      {plugins: ["\(try plugin("libPNM.so"))", "\(try plugin("libWatermark.so"))"], input: "urls.txt", cache: [],
       transform: [{use: "resize", width: 32}, {use: "watermark", mark: "#", size: 0.5, margin: 0, opacity: 1,
                    color: "#f00", position: "top left"}],
       encode: "png", output: {use: "directory", path: "out", name: "{name}-{hash}.png"}}
      """, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 1, "\(outcome.errors)")
    let report = try Report(folder, "out/report.jsonl")
    #expect(report["1"]?.object("source")?.text("format") == "pnm")
    #expect(report.code("2") == "truncated")
    let name = try #require(report.output("1")?.text("path"))
    let measured = try #require(try Python.measure([folder.path("out/" + name)]).first)
    #expect(measured.width == 32 && measured.height == 32)
    #expect(measured.cells == [[255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 255, 255], [0, 0, 255, 255]])
  }

  @Test func checkListsPluginsAndTheirOptions() async throws {
    let folder = try WorkingFolder()
    try folder.write("", to: "urls.txt")
    try FileManager.default.createDirectory(atPath: folder.path("plugins"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("plugins/watermark.so"), withDestinationPath: try plugin("libWatermark.so"))
    try folder.write(#"{plugins: "plugins", input: "urls.txt", transform: "watermark"}"#, to: "config.json")
    let outcome = try await BuiltProgram.run(["check", "config.json"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output.hasPrefix(
        """
        plugins
          plugins/watermark.so
            transform  watermark: stamps a small mark into the picture

        """))
    #expect(outcome.output.contains("    position  bottom right\n"))
  }

  @Test func aPluginThatCannotBeLoadedIsAMistakeInTheConfiguration() async throws {
    let folder = try WorkingFolder()
    try folder.write("no library", to: "text.so")
    try folder.write(#"{plugins: ["nowhere.so", "text.so"], input: "urls.txt"}"#, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        config.json: plugins[0]: nowhere.so: No such file or directory
        config.json: plugins[1]: text.so: is not a shared library (64-bit ELF)

        """)
    #expect(!folder.exists("thumbnails"))
  }

  /// It prints when it is loaded, when it is asked, and when the process ends, buffered and not.
  @Test func whatAPluginPrintsDoesNotReachTheReport() async throws {
    let folder = try WorkingFolder()
    try CompiledPlugin.make(
      """
      #include <stdio.h>
      #include <unistd.h>
      #include "fetch_pipeline_plugin.h"

      static void speak(void) {
        printf("LOUD");
        if (write(1, "LOUD", 4) < 0) return;
      }
      __attribute__((constructor)) static void begin(void) { speak(); }
      __attribute__((destructor)) static void end(void) { speak(); }
      static int32_t matches(void *user, const uint8_t *bytes, size_t count) {
        speak();
        return count >= 4 && bytes[0] == 'L' && bytes[1] == 'O';
      }
      static int32_t probe(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                           fp_probe *probe, char *message, size_t size) {
        speak();
        snprintf(message, size, "it always fails");
        return FP_FAILED;
      }
      static int32_t decode(void *user, void *session, const fp_value *values, const uint8_t *bytes, size_t count,
                            const fp_picture *picture, const fp_checkpoint *checkpoint, char *message, size_t size) {
        return FP_FAILED;
      }
      static const fp_decoder decoder = {
        .struct_size = sizeof(fp_decoder), .name = "loud", .format = "loud", .summary = "is loud",
        .matches = matches, .probe = probe, .decode = decode,
      };
      void fetch_pipeline_plugin_describe(fp_plugin_info *info) { fp_describe_c(info); speak(); }
      int32_t fetch_pipeline_plugin_stages(const fp_host *host) {
        host->add_decoder(host->context, &decoder);
        return FP_OK;
      }
      """, at: folder.path("loud.so"))
    try folder.write("LOUD", to: "a.loud")
    try folder.write("a.loud\n", to: "urls.txt")
    try folder.write(
      #"{plugins: "loud.so", input: "urls.txt", cache: [], report: {path: "/dev/stdout"}}"#, to: "config.json")
    let outcome = try await BuiltProgram.run(["run", "config.json"], in: folder)
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("LOUD"))
    try folder.write(outcome.output, to: "report.jsonl")
    let report = try Report(folder, "report.jsonl")
    #expect(report.lines.count == 1)
    let error = try #require(report["1"]?.object("error"))
    #expect(error.text("stage") == "decode" && error.text("code") == "plugin")
    #expect(error.text("message") == "loud: it always fails")
    let check = try await BuiltProgram.run(["check", "config.json"], in: folder)
    #expect(check.status == 0 && !check.output.contains("LOUD"), "\(check.output)")
  }
}
