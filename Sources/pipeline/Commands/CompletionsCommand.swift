extension Command {
  static let completions = Command(
    name: "completions", summary: "prints a script that completes commands and options in a shell",
    discussion: "\"make install\" puts both scripts where shells look for them.",
    arguments: [Argument(name: "SHELL", meaning: "the shell", choices: ["bash", "zsh"])], options: [],
    examples: [
      Example(line: "source <(pipeline completions bash)", meaning: "in this shell"),
      Example(line: "pipeline completions zsh > ~/.zfunc/_pipeline", meaning: "a folder of $fpath"),
    ]
  ) { arguments in
    Terminal.output.write(
      arguments.words[0] == "zsh"
        ? CompletionScript.zsh(for: Program.commands) : CompletionScript.bash(for: Program.commands))
    return .success
  }
}

/// Scripts that complete command lines, from the declarations of the commands.
enum CompletionScript {
  static func bash(for commands: [Command]) -> String {
    let cases = commands.map { command -> String in
      let valued = command.options.filter { $0.value != nil }.map { option in
        let names = [option.short, option.name].compactMap { $0 }.joined(separator: "|")
        let reply =
          option.choices.isEmpty
          ? files(option.value) : "COMPREPLY=($(compgen -W \"\(option.choices.joined(separator: " "))\" -- \"$cur\"))"
        return "        \(names)) \(reply); return ;;"
      }
      let words = command.options.flatMap { [$0.short, $0.name].compactMap { $0 } }.joined(separator: " ")
      let choices = choices(of: command, among: commands)
      let offered = "COMPREPLY=($(compgen -W \"\(choices.joined(separator: " "))\" -- \"$cur\"))"
      let rest =
        choices.isEmpty
        ? files("PATH")
        : command.arguments.count > 1
          ? "case $prev in \(choices.joined(separator: "|"))) \(files("PATH")) ;; *) \(offered) ;; esac" : offered
      return """
            \(command.name))
              case $prev in
        \(valued.joined(separator: "\n"))
              esac
              if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "\(words)" -- "$cur")); return; fi
              \(rest) ;;
        """
    }
    return """
      # Completes command lines of pipeline in bash. Made by "pipeline completions bash".
      _pipeline() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
        COMPREPLY=()
        if [[ $COMP_CWORD -eq 1 ]]; then
          COMPREPLY=($(compgen -W "\(commands.map(\.name).joined(separator: " ")) --version --help" -- "$cur"))
          return
        fi
        case ${COMP_WORDS[1]} in
      \(cases.joined(separator: "\n"))
        esac
      }
      complete -F _pipeline pipeline

      """
  }

  private static func files(_ value: String?) -> String {
    switch value {
    case "DIR": "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))"
    case "PATH", "CONFIG": "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))"
    default: "COMPREPLY=()"
    }
  }

  /// The words that a command's first argument takes.
  private static func choices(of command: Command, among commands: [Command]) -> [String] {
    guard let first = command.arguments.first else { return [] }
    return first.name == "COMMAND" ? commands.map(\.name) : first.choices
  }

  static func zsh(for commands: [Command]) -> String {
    let names = commands.map { "    '\($0.name):\(quoted($0.summary))'" }
    let cases = commands.map { command -> String in
      let options = command.options.flatMap { option in
        [option.short, option.name].compactMap { $0 }.map { name in
          let repeats = option.isRepeatable ? "*" : ""
          let action =
            option.value.map {
              ":\($0):" + (option.choices.isEmpty ? zshFiles($0) : "(\(option.choices.joined(separator: " ")))")
            } ?? ""
          return "        '\(repeats)\(name)[\(quoted(option.meaning, inBrackets: true))]\(action)'"
        }
      }
      let words = command.arguments.enumerated().map { index, argument in
        let choices = index == 0 ? choices(of: command, among: commands) : argument.choices
        return
          "        ':\(quoted(argument.name)):\(choices.isEmpty ? "_files" : "(\(choices.joined(separator: " ")))")'"
      }
      return "      \(command.name)) _arguments \\\n" + (options + words).joined(separator: " \\\n")
        + (options.isEmpty && words.isEmpty ? "        ''" : "") + " ;;"
    }
    return """
      #compdef pipeline
      # Completes command lines of pipeline in zsh. Made by "pipeline completions zsh".
      _pipeline() {
        local -a commands=(
      \(names.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == _pipeline ]]; then _pipeline "$@"; else compdef _pipeline pipeline; fi

      """
  }

  private static func zshFiles(_ value: String) -> String {
    switch value {
    case "DIR": "_files -/"
    case "PATH", "CONFIG": "_files"
    default: ""
    }
  }

  /// For single quotes; a colon ends a part, and a bracket a meaning.
  private static func quoted(_ text: String, inBrackets: Bool = false) -> String {
    var result = ""
    for character in text {
      switch character {
      case "'": result += "'\\''"
      case ":" where !inBrackets: result += "\\:"
      case "[", "]": result += "\\\(character)"
      default: result.append(character)
      }
    }
    return result
  }
}
