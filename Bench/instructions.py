"""Counts the instructions of the program for each picture, which a busy machine does not change.

The program makes thumbnails of local files with one worker under valgrind, once of none and once of BENCH_COUNT pictures of each
kind in BENCH_KINDS (jpeg); the difference is the pictures'. valgrind shows programs a processor without AVX-512.
"""
import os
import re
import shutil
import subprocess

import compare
import corpus
import peers
import report


def main():
    """Prints a line for each kind."""
    wanted = int(os.environ["BENCH_COUNT"])
    rows = []
    start = count([], compare.FOLDER / "instructions" / "start")
    for kind in compare.chosen("BENCH_KINDS", corpus.KINDS, ["jpeg"]):
        paths = corpus.prepare(compare.FOLDER, kind)
        paths = paths[:: max(1, len(paths) // wanted)][:wanted]
        folder = compare.FOLDER / "instructions" / kind
        each = (count(paths, folder) - start) / len(paths)
        rows.append([corpus.KINDS[kind].title, f"{len(paths)}", f"{each / 1e6:.2f}", corpus.digest(paths)])
    print()
    report.table(["", "pictures", "million instructions a picture", "corpus"], rows)
    print(f"\nStarting and ending took {start / 1e6:.1f} million. Where they went: callgrind_annotate {compare.FOLDER}/instructions/KIND/profile")


def count(paths, folder):
    """The instructions of a run on these files."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "results").mkdir(parents=True)
    rows = [peers.Row(path.stem, str(path.resolve())) for path in paths]
    command = peers.ours(rows, (folder / "results").resolve(), folder.resolve(), workers=1)
    profile = folder / "profile"
    run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *command],
                         capture_output=True, text=True, env=os.environ | peers.ENVIRONMENT)
    made = sum((folder / "results" / f"{row.id}.jpg").exists() for row in rows)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if made < len(rows) or not collected:
        raise SystemExit(f"{made} files of {len(rows)} were made under valgrind:\n{run.stdout}{run.stderr}")
    return int(collected.group(1))


if __name__ == "__main__":
    main()
