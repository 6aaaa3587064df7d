import StandardStages

extension Command {
  static let run = Command(
    name: "run", summary: "makes the pictures of a list, as a configuration says",
    discussion: """
      What stands already is skipped without a request; transient failures of an earlier run are tried again, permanent
      ones are remembered. A run that was interrupted or killed goes on where it was: run the same command again.

      Results go to the report, progress, notes and the summary to standard error. SIGINT, SIGTERM or SIGHUP lets what is
      under way finish within 10 s; a second one ends at once.

      The exit status is 0 if all items are done, 1 if some failed, 2 for a mistake in the command line or configuration, 3
      if more failed than limits.failureRate bears, 74 if input, output or report cannot be read or written, 129, 130
      or 143 after SIGHUP, SIGINT or SIGTERM.
      """,
    arguments: [
      Argument(name: "CONFIG", meaning: "the configuration, JSON5; the smallest is {\"input\": \"urls.txt\"}")
    ],
    options: [
      CommandOption(
        name: "--input", value: "PATH", meaning: "the list, in place of the configuration's; - is standard input"),
      CommandOption(name: "--output", value: "DIR", meaning: "the folder of pictures, in place of the configuration's"),
      CommandOption(
        name: "--report", value: "PATH",
        meaning: "the file of results, in place of the configuration's; - is standard output"),
      CommandOption(
        name: "--retry-failed", value: "WHICH", choices: RunOptions.RetryFailed.allCases.map(\.rawValue),
        meaning: "which failures of earlier runs are tried again; transient ones by default"),
      CommandOption(
        name: "--revalidate", meaning: "ask each origin whether what stands is still right; what it confirms is skipped"
      ),
      CommandOption(
        name: "--fresh", meaning: "make everything anew, whatever the ledger knows; the HTTP cache is used"),
      CommandOption(
        name: "--shard", value: "I/N",
        meaning: "take only share I of N, 0 ≤ I < N; report, ledger and lock are the share's own"),
      CommandOption(
        name: "--shard-by", value: "WHAT", choices: RunOptions.Shard.Grouping.allCases.map(\.rawValue),
        meaning: "what is kept in one share: all rows of a host (the default), or only equal rows"),
      CommandOption(
        name: "--limit", value: "N", meaning: "try at most N rows; skipped and remembered ones do not count"),
      CommandOption(name: "--dry-run", meaning: "fetch and write nothing; only say what would be done"),
      CommandOption(
        name: "--progress", value: "STYLE", choices: ProgressStyle.allCases.map(\.rawValue),
        meaning:
          "how progress is shown: a bar on a terminal and lines elsewhere (auto), one of both, JSON objects, or not"),
      CommandOption(
        name: "--worker",
        meaning:
          "serve another program: rows from standard input, a result for each on standard output as soon as it is "
          + "there; failed rows do not change the exit status, and paths are read only if input.schemes names them"),
      CommandOption(name: "--verbose", short: "-v", meaning: "tell of each request, wait and failure"),
      CommandOption(name: "--quiet", short: "-q", meaning: "neither progress nor a summary; errors are still shown"),
    ],
    examples: [
      Example(line: "pipeline run config.json", meaning: "make what is not there yet"),
      Example(line: "pipeline run config.json --dry-run", meaning: "say first what that would be"),
      Example(line: "pipeline run config.json --limit 20", meaning: "try the first twenty"),
      Example(
        line: "pipeline run config.json --input thumbnails/failed.jsonl --retry-failed all",
        meaning: "try all failed rows again"),
      Example(line: "pipeline run config.json --shard 0/4", meaning: "one of four machines that share a list"),
      Example(line: "zcat urls.gz | pipeline run config.json --input - --report - | jq .status", meaning: "in a pipe"),
    ]
  ) { arguments in
    try await Run(arguments).perform()
  }
}
