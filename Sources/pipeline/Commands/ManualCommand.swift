import FetchPipeline

extension Command {
  static let manual = Command(
    name: "man", summary: "prints the manual page", discussion: "\"make install\" installs it.", arguments: [],
    options: [],
    examples: [Example(line: "pipeline man | man -l -", meaning: "read it without installing")]
  ) { _ in
    Terminal.output.write(ManualPage.text(of: Program.commands))
    return .success
  }
}

/// The manual page (man(7)), from the declarations of the commands.
enum ManualPage {
  static func text(of commands: [Command]) -> String {
    var lines = [
      ".TH PIPELINE 1 \"\" \"pipeline \(PipelineVersion.release)\" \"User Commands\"", ".SH NAME",
      "pipeline \\- fetch, decode, resize and encode the images of a list of URLs", ".SH SYNOPSIS",
    ]
    for command in commands { lines += [".B \(escaped(command.usage))", ".br"] }
    lines += [
      ".SH DESCRIPTION",
      "A list of image URLs goes in; fetched, decoded, resized thumbnails come out. A configuration says how; the smallest is",
      escaped("{\"input\": \"urls.txt\"}"), escaped("and makes 256\u{00d7}256 thumbnails in the folder thumbnails."),
      ".SH COMMANDS",
    ]
    for command in commands {
      lines += [".SS \(escaped(command.usage))", escaped(HelpText.sentence(command.summary))]
      for paragraph in command.discussion.split(separator: "\n\n") {
        // What is indented keeps its lines.
        let rows = paragraph.split(separator: "\n").map { escaped(String($0)) }
        lines += paragraph.hasPrefix(" ") ? [".PP", ".nf"] + rows + [".fi"] : [".PP", rows.joined(separator: " ")]
      }
      for argument in command.arguments { lines += [".TP", ".I \(escaped(argument.name))", escaped(argument.meaning)] }
      for option in command.options { lines += [".TP", ".B \(escaped(option.label))", escaped(option.meaning)] }
      for example in command.examples {
        lines += [
          ".PP", escaped(HelpText.sentence(example.meaning)), ".PP", ".RS", ".nf", escaped(example.line), ".fi", ".RE",
        ]
      }
    }
    lines += [".SH EXIT STATUS"]
    for (status, meaning) in ExitStatus.meanings { lines += [".TP", ".B \(status.rawValue)", escaped(meaning)] }
    lines += [
      ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "No colours, where it is set and not empty.", ".TP",
      ".B XDG_CACHE_HOME", "Where the disk cache is, in its folder pipeline; else it is in ~/.cache/pipeline.", ".TP",
      ".B http_proxy, https_proxy, no_proxy", "The proxies, unless the configuration names one.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// A backslash, a hyphen, what is not ASCII, and what would be a request at the start of a line (groff_char(7), groff(7)).
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case _ where !character.isASCII:
        for scalar in character.unicodeScalars {
          let hex = String(scalar.value, radix: 16, uppercase: true)
          result += "\\[u\(String(repeating: "0", count: max(4 - hex.count, 0)))\(hex)]"
        }
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }
}
