internal import CFetchPipelinePlugin

/// Takes the stages that a plugin in C adds.
final class CPluginHost {
  private var registry: StageRegistry
  private var problem: String?

  private init(_ registry: StageRegistry) {
    self.registry = registry
  }

  /// Calls `body` with the functions that add stages to `registry`.
  ///
  /// - Returns: what `body` returned, and what was wrong with a stage.
  static func collect(
    into registry: inout StageRegistry, _ body: (UnsafePointer<fp_host>) -> Int32
  ) -> (status: Int, problem: String?) {
    let collector = CPluginHost(registry)
    var host = fp_host()
    host.struct_size = UInt32(MemoryLayout<fp_host>.size)
    host.context = Unmanaged.passUnretained(collector).toOpaque()
    host.add_decoder = { context, decoder in
      guard let context, let decoder else { return }
      Unmanaged<CPluginHost>.fromOpaque(context).takeUnretainedValue().add(decoder)
    }
    host.add_transform = { context, transform in
      guard let context, let transform else { return }
      Unmanaged<CPluginHost>.fromOpaque(context).takeUnretainedValue().add(transform)
    }
    let status = withExtendedLifetime(collector) { body(&host) }
    registry = collector.registry
    return (Int(status), collector.problem)
  }

  private func add(_ pointer: UnsafePointer<fp_decoder>) {
    guard pointer.pointee.struct_size >= MemoryLayout<fp_decoder>.size else { return note("a decoder is too short") }
    let table = pointer.pointee
    guard let name = Self.text(table.name), let format = Self.text(table.format), let summary = Self.text(table.summary)
    else { return note("a decoder lacks name, format or summary") }
    guard let matches = table.matches, let probe = table.probe, let decode = table.decode else {
      return note("the decoder \"\(name)\" lacks matches, probe or decode")
    }
    guard let options = COption.all(table.options, count: table.option_count) else {
      return note("the options of \"\(name)\" are not right")
    }
    let functions = CTable(
      table: CDecoder.Functions(
        user: table.user, matches: matches, open: table.open, close: table.close, probe: probe, decode: decode))
    registry.register(
      CStage<DecodeSlot>.registered(
        CStageDeclaration(name: name, summary: summary, options: options) { values, _ in
          CDecoder(format: ImageFormat(rawValue: format), name: name, functions: functions, values: values)
        }))
  }

  private func add(_ pointer: UnsafePointer<fp_transform>) {
    guard pointer.pointee.struct_size >= MemoryLayout<fp_transform>.size else {
      return note("a transform is too short")
    }
    let table = pointer.pointee
    guard let name = Self.text(table.name), let summary = Self.text(table.summary) else {
      return note("a transform lacks name or summary")
    }
    guard let apply = table.apply else { return note("the transform \"\(name)\" lacks apply") }
    let layouts = (1...4).filter { table.layouts & 1 << $0 != 0 }.compactMap { PixelLayout(boundary: $0) }
    guard !layouts.isEmpty else { return note("the transform \"\(name)\" takes no layout") }
    guard let options = COption.all(table.options, count: table.option_count) else {
      return note("the options of \"\(name)\" are not right")
    }
    let functions = CTable(table: CTransform.Functions(user: table.user, size: table.size, apply: apply))
    let revision = Int(table.revision)
    registry.register(
      CStage<TransformSlot>.registered(
        CStageDeclaration(name: name, summary: summary, options: options) { values, effective in
          CTransform(
            name: name, functions: functions, layouts: layouts, revision: revision, values: values, options: effective)
        }))
  }

  private func note(_ problem: String) {
    if self.problem == nil { self.problem = problem }
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let text = pointer.map({ String(cString: $0) }), !text.isEmpty else { return nil }
    return text
  }
}
