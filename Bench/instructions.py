"""Counts the instructions of the program for each picture, which a busy machine does not change.

The program makes thumbnails of local files with one worker under valgrind, once of none and once of BENCH_COUNT pictures of each
kind in BENCH_KINDS (jpeg); the difference is the pictures'. valgrind shows programs a processor without AVX-512.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess

import compare
import corpus
import peers
import report

SHIM = pathlib.Path(__file__).parent / "sigsuspend.c"


def main():
    """Prints a line for each kind."""
    wanted = compare.whole("BENCH_COUNT", 10)
    compare.FOLDER.mkdir(parents=True, exist_ok=True)
    os.environ["BENCH_PROGRAM"] = without_debug_information(os.environ["BENCH_PROGRAM"], compare.FOLDER)
    shim = compare.FOLDER.resolve() / "sigsuspend.so"
    subprocess.run(["clang", "-O1", "-shared", "-fPIC", "-o", shim, SHIM], check=True)  # clang is in Swift's toolchain
    rows = []
    start = count([], compare.FOLDER / "instructions" / "start", shim)
    for kind in compare.chosen("BENCH_KINDS", corpus.KINDS, ["jpeg"]):
        paths = corpus.prepare(compare.FOLDER, kind)
        paths = sorted(random.Random(kind).sample(paths, min(wanted, len(paths))))
        folder = compare.FOLDER / "instructions" / kind
        each = (count(paths, folder, shim) - start) / len(paths)
        rows.append([corpus.KINDS[kind].title, f"{len(paths)}", f"{each / 1e6:.2f}", corpus.digest(paths)])
    print()
    report.table(["", "pictures", "million instructions a picture", "corpus"], rows)
    print(f"\nStarting and ending took {start / 1e6:.1f} million. Where they went: "
          f"callgrind_annotate {compare.FOLDER}/instructions/KIND/profile")


def without_debug_information(program, folder):
    """A copy of the program with its symbols only: valgrind cannot read all that Swift's linker writes."""
    copy = folder / "program"
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return str(copy)


def count(paths, folder, shim):
    """The instructions of a run on these files."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "results").mkdir(parents=True)
    rows = [peers.Row(path.stem, str(path.resolve())) for path in paths]
    command = peers.ours(rows, (folder / "results").resolve(), folder.resolve(), workers=1)
    profile = folder / "profile"
    run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *command],
                         capture_output=True, text=True, env=os.environ | {"LD_PRELOAD": str(shim)})
    made = sum((folder / "results" / f"{row.id}.jpg").exists() for row in rows)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if made < len(rows) or not collected:
        raise SystemExit(f"{made} files of {len(rows)} were made under valgrind:\n{run.stdout}{run.stderr}")
    return int(collected.group(1))


if __name__ == "__main__":
    main()
