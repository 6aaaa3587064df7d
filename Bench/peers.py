"""Who takes part: this project's program, and others that can do the same job, each as its makers recommend.

The job: a list of URLs in, files of JPEG out, of quality 80 with chroma halved, fitted inside 256×256 and never enlarged.
Everyone has two workers that decode and encode; whoever fetches meanwhile has some connections on top.

What is written in Python runs as a program of its own: peers.py NAME LIST FOLDER.
"""
import csv
import dataclasses
import io
import json
import math
import multiprocessing
import os
import pathlib
import queue
import sys
import threading

SIDE = 256
QUALITY = 80
WORKERS = 2
OURS = "pipeline"
BASE = "libvips"


@dataclasses.dataclass(frozen=True)
class Peer:
    """A name for options and files, a title for tables, and what makes the command of a job."""
    name: str
    title: str
    command: object  # (list of Row, folder for results, folder for other files) -> arguments


@dataclasses.dataclass(frozen=True)
class Row:
    """One thumbnail: its name without extension, and where its source is."""
    id: str
    url: str


def write_list(rows, path):
    """Writes the list as CSV with the columns id and url."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "url"])
        writer.writerows([row.id, row.url] for row in rows)
    return str(path)


# Commands.

def ours(rows, results, work, workers=WORKERS):
    """The program as a user has it, with answers not kept, as nobody here keeps them."""
    configuration = work / "config.json"
    configuration.write_text(json.dumps({
        "input": {"use": "list", "path": write_list(rows, work / "list.csv")},
        "cache": [],
        "transport": {"use": "curl", "allowHosts": ["127.0.0.1"]},
        "transform": [{"use": "resize", "width": SIDE, "height": SIDE}],
        "encode": {"use": "jpeg", "quality": QUALITY},
        "output": {"use": "directory", "path": str(results), "name": "{id}.{ext}"},
        "limits": {"workers": workers},
    }, indent=2))
    return [os.environ["BENCH_PROGRAM"], "run", str(configuration)]


def in_python(name):
    """The command of a peer whose code is below."""
    return lambda rows, results, work: [sys.executable, __file__, name, write_list(rows, work / "list.csv"), str(results)]


def after_curl(tool):
    """Everything is fetched first, by curl --parallel; then the tool goes over the files, two processes at a time."""
    def command(rows, results, work):
        bodies = work / "bodies"
        bodies.mkdir()
        files = [bodies / (row.id + pathlib.Path(row.url.partition("?")[0]).suffix) for row in rows]
        (work / "curl").write_text("".join(f'url = "{row.url}"\noutput = "{file}"\n' for row, file in zip(rows, files)))
        arguments, per_process, convert = tool(files, results)
        (work / "arguments").write_text("\0".join(map(str, arguments)) + "\0")
        script = 'curl -s -f --parallel --parallel-max 16 -K "$1" && ' \
                 f'exec xargs -0 -a "$2" -P {WORKERS} -n {per_process} {convert}'
        return ["sh", "-c", script, "sh", str(work / "curl"), str(work / "arguments")]
    return command


def vipsthumbnail(files, results):
    """Many files a process, of which each worker has two in turn: one would be done earlier than the other."""
    target = f"{results}/%s.jpg[Q={QUALITY},strip,background=255]"
    return files, min(250, math.ceil(len(files) / (2 * WORKERS))), f"vipsthumbnail --size '{SIDE}x{SIDE}>' -o '{target}'"


def imagemagick(files, results):
    """A process a file; jpeg:size lets the decoder scale, to twice the target, as its manual says."""
    pairs = [path for file in files for path in (file, results / f"{file.stem}.jpg")]
    convert = f'exec convert-im6.q16 -define jpeg:size={2 * SIDE}x{2 * SIDE} "$1" -background white -alpha remove ' \
              f'-thumbnail "{SIDE}x{SIDE}>" -quality {QUALITY} "$2"'
    return pairs, 2, f"sh -c '{convert}' sh"


PEERS = [
    Peer(OURS, "pipeline run", ours),
    Peer(BASE, "libvips, in Python threads", in_python(BASE)),
    Peer("pillow", "Pillow, in Python processes", in_python("pillow")),
    Peer("vipsthumbnail", "curl, then vipsthumbnail", after_curl(vipsthumbnail)),
    Peer("imagemagick", "curl, then ImageMagick", after_curl(imagemagick)),
]
# One thread a worker, for those that would use more.
ENVIRONMENT = {"VIPS_CONCURRENCY": "1", "MAGICK_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}


# Peers in Python.

def fetched(rows, position, connections, ahead=32):
    """Fetches rows from a shared position on; gives a queue of (row, body), `ahead` at most, with a None a worker in the end."""
    import urllib3

    pool = urllib3.PoolManager(maxsize=connections)
    bodies = queue.Queue(ahead)

    def fetch():
        while True:
            with position.get_lock():
                at = position.value
                position.value += 1
            if at >= len(rows):
                break
            row = rows[at]
            response = pool.request("GET", row.url)
            if response.status == 200:
                bodies.put((row, response.data))
            else:
                print(f"{row.url}: {response.status}", file=sys.stderr)

    def fetch_all():
        threads = [threading.Thread(target=fetch) for _ in range(connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for _ in range(WORKERS):
            bodies.put(None)

    threading.Thread(target=fetch_all).start()
    return bodies


def make_all(bodies, thumbnail, results):
    """Makes the thumbnails of what comes out of the queue, up to a None. One that fails costs itself alone."""
    while (item := bodies.get()) is not None:
        row, body = item
        try:
            thumbnail(body, f"{results}/{row.id}.jpg")
        except Exception as error:
            print(f"{row.url}: {error}", file=sys.stderr)


def run_libvips(rows, results):
    """One process: eight connections, two threads. libvips works without Python's lock."""
    import pyvips

    pyvips.cache_set_max(0)

    def thumbnail(body, path):
        image = pyvips.Image.thumbnail_buffer(body, SIDE, height=SIDE, size="down")
        image.jpegsave(path, Q=QUALITY, keep="none", background=[255, 255, 255])

    bodies = fetched(rows, multiprocessing.Value("i", 0), connections=8)
    threads = [threading.Thread(target=make_all, args=(bodies, thumbnail, results)) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run_pillow(rows, results):
    """Two processes of four connections each, of which each takes the next row when it has room."""
    context = multiprocessing.get_context("fork")
    position = context.Value("i", 0)
    processes = [context.Process(target=run_pillow_worker, args=(rows, position, results)) for _ in range(WORKERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def run_pillow_worker(rows, position, results):
    """One of the processes."""
    from PIL import Image

    def thumbnail(body, path):
        image = Image.open(io.BytesIO(body))
        if image.mode == "P":
            image = image.convert("RGBA" if "transparency" in image.info else "RGB")
        image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)  # scales while decoding, to twice the target
        if image.mode == "RGBA":
            white = Image.new("RGB", image.size, "white")
            white.paste(image, mask=image.getchannel("A"))
            image = white
        image.save(path, "JPEG", quality=QUALITY)

    make_all(fetched(rows, position, connections=4, ahead=16), thumbnail, results)


if __name__ == "__main__":
    name, list_path, results_path = sys.argv[1:]
    with open(list_path, newline="") as list_file:
        todo = [Row(line["id"], line["url"]) for line in csv.DictReader(list_file)]
    {BASE: run_libvips, "pillow": run_pillow}[name](todo, results_path)
