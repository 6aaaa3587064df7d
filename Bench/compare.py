"""Measures the program beside its peers: everyone in turn, in each repetition, on the same list from the same server.

Read from the environment: BENCH_PROGRAM, the program; BENCH_REPS, the repetitions (5); BENCH_KINDS, kinds of the corpus (jpeg)
or all; BENCH_PEERS, who takes part beside the program, or none (by default all). The status is 1 where the program failed to
make a file.
"""
import datetime
import json
import os
import pathlib
import platform
import random
import signal
import subprocess
import sys

import corpus
import measure
import origin
import peers
import quality
import report

FOLDER = pathlib.Path(".build/bench")


def main():
    """Measures every kind, prints two tables for each, and keeps everything in results.json."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped
    kinds = chosen("BENCH_KINDS", corpus.KINDS, ["jpeg"])
    others = [peer.name for peer in peers.PEERS if peer.name != peers.OURS]
    names = [peers.OURS] + chosen("BENCH_PEERS", others, others)
    repetitions = whole("BENCH_REPS", 5)
    paths = {kind: corpus.prepare(FOLDER, kind) for kind in kinds}

    results = {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "machine": machine(),
               "versions": versions(), "kinds": {}}
    complete = True
    with origin.serve(FOLDER / "origin") as address:
        for kind in kinds:
            result = compare_kind(kind, paths[kind], names, repetitions, address)
            results["kinds"][kind] = result
            complete = complete and result["peers"][peers.OURS]["files"] == result["asked"]
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1))
    print(f"\nEvery repetition is in {FOLDER}/results.json.")
    if not complete:
        raise SystemExit(f"pipeline failed to make every file; {FOLDER}/runs/*/{peers.OURS}/output says why.")


def compare_kind(kind, paths, names, repetitions, address):
    """Measures and scores all peers on one kind of picture."""
    about = corpus.KINDS[kind]
    rows = [peers.Row(path.stem + (f"-{turn}" if turn > 1 else ""), f"{address}/{kind}/{path.name}?{turn}")
            for turn in range(1, about.rounds + 1) for path in paths]
    random.Random(kind).shuffle(rows)  # small and large ones mixed, in the same order for all
    low, high = about.megapixels
    print(f"\n{about.count} × {about.title}, {low} to {high} megapixels, each {about.rounds} times: {len(rows)} URLs into "
          f"{peers.SIDE}×{peers.SIDE}, JPEG of quality {peers.QUALITY}, {peers.WORKERS} workers")
    participants = [peer for peer in peers.PEERS if peer.name in names]
    folders = {peer.name: FOLDER / "runs" / kind / peer.name for peer in participants}
    measurements = {peer.name: [] for peer in participants}
    for repetition in range(repetitions):
        for peer in participants:
            progress(f"{repetition + 1} of {repetitions}: {peer.title}")
            measurements[peer.name].append(measure.run(peer, rows, folders[peer.name]))
    base = peers.BASE if peers.BASE in measurements else peers.OURS
    measured = {name: report.medians(each, measurements[base]) for name, each in measurements.items()}
    progress("")
    report.print_speed(measured, len(rows), base)

    progress("scores …")
    scores = quality.compare(paths, {name: folder / "results" for name, folder in folders.items()})
    progress("")
    print(f"\nPSNR against a resize of the whole picture in floating point; the best is that result, saved at {peers.QUALITY}\n")
    report.print_quality(scores)
    return {"asked": len(rows), "corpus": corpus.digest(paths), "peers": measured, "quality": scores}


def chosen(variable, known, default):
    """The names in a variable, separated by commas: checked, in the order of those known."""
    names = [name for name in os.environ.get(variable, "").replace(" ", "").split(",") if name]
    if not names or names == ["all"]:
        return list(known) if names else default
    if names == ["none"]:
        return []
    for name in names:
        if name not in known:
            raise SystemExit(f"{variable}: there is no {name}; there are {', '.join(known)}")
    return [name for name in known if name in names]


def whole(variable, default):
    """The number in a variable, from 1."""
    text = os.environ.get(variable) or str(default)
    if not text.isdecimal() or int(text) < 1:
        raise SystemExit(f"{variable}: a number from 1 is expected, not {text}")
    return int(text)


def progress(text):
    """A line that the next one overwrites, where somebody looks on."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def machine():
    """The processor, and how many of it."""
    models = [line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
              if line.startswith("model name")]
    return {"processor": models[0] if models else platform.machine(), "processors": os.cpu_count(), "system": platform.platform()}


def versions():
    """Who took part, exactly."""
    import PIL
    import pyvips

    def first_line(*command):
        try:
            lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        except FileNotFoundError:
            return None
        return lines[0] if lines else None

    return {"pipeline": first_line(os.environ["BENCH_PROGRAM"], "--version"),
            "commit": first_line("git", "describe", "--always", "--dirty"),
            "libvips": ".".join(str(pyvips.version(part)) for part in range(3)), "pillow": PIL.__version__,
            "vipsthumbnail": first_line("vips", "--version"), "imagemagick": first_line("convert-im6.q16", "--version"),
            "curl": first_line("curl", "--version")}


if __name__ == "__main__":
    main()
