import StandardStages

/// The versions of the program and of the libraries in it, for the summary.
enum ProgramVersions {
  static var all: [(name: String, version: String)] { [("pipeline", PipelineVersion.release)] + CodecVersions.all }
}
