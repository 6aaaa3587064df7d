"""The tables that people read."""
import statistics

import peers
import quality

TITLES = {peer.name: peer.title for peer in peers.PEERS} | {quality.CEILING: "the best possible"}
BUSY = 0.25  # repetitions that differ by more than this are worth a word


def table(header, rows):
    """Prints rows of text: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    for row in [header, ["─" * width for width in widths], *rows]:
        print("  " + "   ".join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]))


def print_speed(peers_results, asked, base):
    """What each took: ratios to the base first, which are what another machine would find too."""
    print(f"Time and CPU time: {TITLES[base]} = 1, medians of the ratios in each repetition; CPU ms is that of an image\n")
    header = ["", "time", "CPU time", "images/s", "CPU ms", "memory MB", "first file s", "files"]
    rows = []
    for name, result in peers_results.items():
        median = result["median"]
        rows.append([TITLES[name], f"{median['wall_ratio']:.2f}", f"{median['cpu_ratio']:.2f}", f"{asked / median['wall']:.0f}",
                     f"{1000 * median['cpu'] / asked:.2f}", f"{median['memory'] / 1e6:.0f}", f"{median['first_file']:.2f}",
                     f"{result['files']}"])
    table(header, rows)
    for name, result in peers_results.items():
        if result["files"] < asked:
            print(f"  {TITLES[name]} made {result['files']} files of {asked}: its figures are not to be compared.")
    spread = max(max(ratios) / min(ratios) - 1 for ratios in (result["cpu_ratios"] for result in peers_results.values()))
    if spread > BUSY:
        print(f"  The machine was busy: between repetitions a ratio of CPU times differed by up to {spread:.0%}.")


def print_quality(scores, titles=TITLES):
    """How near each is to the reference."""
    rows = []
    for name, score in scores.items():
        if score:
            rows.append([titles.get(name, name), f"{score['luma']:.2f}", f"{score['worst']:.2f}", f"{score['rgb']:.2f}",
                         f"{score['bytes'] / 1000:.2f}", f"{score['pictures']}"])
    table(["", "luma dB", "worst dB", "RGB dB", "kB", "pictures"], rows)
    for name, score in scores.items():
        if score and score["otherwise"]:
            print(f"  {titles.get(name, name)}: {score['otherwise']} of {score['pictures']} files are not of the size, quality "
                  "and sampling that was asked for.")


def medians(measurements, bases):
    """The medians of a peer's repetitions; ratios are those within a repetition."""
    ratios = {f"{key}_ratio": [getattr(one, key) / getattr(base, key) for one, base in zip(measurements, bases)]
              for key in ("wall", "cpu")}
    median = {key: statistics.median(getattr(one, key) for one in measurements) for key in ("wall", "cpu", "memory", "first_file")}
    return {
        "median": median | {key: statistics.median(values) for key, values in ratios.items()},
        "cpu_ratios": ratios["cpu_ratio"],
        "files": min(one.files for one in measurements),
        "repetitions": [vars(one) for one in measurements],
    }
