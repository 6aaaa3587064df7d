"""How near thumbnails are to the best that can be made of their sources.

The reference is the whole picture, decoded at full size and resized in floating point with Lanczos's window of three lobes,
by code of its own, and not rounded. The ceiling is that reference, saved at the same quality as the thumbnails.

  quality.py --self-test              checks the scorer
  quality.py KIND NAME=FOLDER …       scores folders of thumbnails (KIND-NUMBER.jpg) against the corpus
"""
import io
import math
import multiprocessing
import os
import pathlib
import statistics
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # the processes below are the threads
import numpy
from PIL import Image

import peers

Image.MAX_IMAGE_PIXELS = None
CEILING = "ceiling"
LUMA = numpy.array([0.299, 0.587, 0.114], dtype=numpy.float32)  # of JFIF
MOST = 100.0  # decibels that stand for "equal"


def psnr(one, other):
    """Peak signal-to-noise ratio of two pictures with values from 0 to 255, in decibels."""
    error = float(numpy.mean((one.astype(numpy.float64) - other) ** 2))
    return MOST if error == 0 else min(MOST, 10 * math.log10(255**2 / error))


def fitted(width, height, side=peers.SIDE):
    """The size inside a square, not enlarged."""
    scale = min(1, side / max(width, height))
    return max(1, math.floor(width * scale + 0.5)), max(1, math.floor(height * scale + 0.5))


def lanczos_weights(source, target):
    """The share of each of `source` pixels in each of `target`: a matrix whose rows add up to 1."""
    scale = source / target
    centers = (numpy.arange(target) + 0.5) * scale
    distance = (numpy.arange(source) + 0.5 - centers[:, None]) / max(1, scale)
    weights = numpy.where(abs(distance) < 3, numpy.sinc(distance) * numpy.sinc(distance / 3), 0)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(numpy.float32)


def resized(pixels, size):
    """Rows × columns × channels, resized to (width, height) in floating point."""
    height, width = pixels.shape[:2]
    if (width, height) == tuple(size):
        return pixels.astype(numpy.float32)
    rows, columns = lanczos_weights(height, size[1]), lanczos_weights(width, size[0]).T
    channels = [rows @ (pixels[:, :, channel].astype(numpy.float32) @ columns) for channel in range(pixels.shape[2])]
    return numpy.clip(numpy.stack(channels, axis=2), 0, 255)


def decoded(file):
    """RGB in bytes, transparency laid over white."""
    with Image.open(file) as image:
        if image.mode == "RGBA" or "transparency" in image.info:
            image = image.convert("RGBA")
            white = Image.new("RGBA", image.size, "white")
            image = Image.alpha_composite(white, image)
        return numpy.asarray(image.convert("RGB"))


def saved(pixels):
    """The bytes of a JPEG as everybody is asked for."""
    file = io.BytesIO()
    Image.fromarray((pixels + 0.5).astype(numpy.uint8)).save(file, "JPEG", quality=peers.QUALITY, subsampling="4:2:0")
    return file.getvalue()


def form(data):
    """What says how a JPEG was compressed: its quantization, and the sampling of its planes."""
    with Image.open(io.BytesIO(data)) as image:
        return image.quantization, [component[1:3] for component in image.layer]


def score(source, thumbnails):
    """Scores the thumbnails of one picture, a dictionary of names and paths; gives a dictionary of names and scores."""
    pixels = decoded(source)
    size = fitted(pixels.shape[1], pixels.shape[0])
    references = {size: resized(pixels, size)}
    ceiling = saved(references[size])
    scores = {CEILING: score_one(ceiling, references[size], size, ceiling)}
    for name, path in thumbnails.items():
        try:
            data = path.read_bytes()
            with Image.open(io.BytesIO(data)) as image:
                if image.size not in references:  # rounded otherwise: judged by its own size
                    references[image.size] = resized(pixels, image.size)
                scores[name] = score_one(data, references[image.size], size, ceiling)
        except OSError:
            pass  # missing or broken: counted by whoever counts files
    return scores


def score_one(data, reference, size, ceiling):
    """The scores of one JPEG."""
    pixels = decoded(io.BytesIO(data))
    difference = max(abs(pixels.shape[1] - size[0]), abs(pixels.shape[0] - size[1]))
    return {"luma": psnr(pixels @ LUMA, reference @ LUMA), "rgb": psnr(pixels, reference), "bytes": len(data),
            "asked": difference <= 1 and max(pixels.shape) <= peers.SIDE and form(data) == form(ceiling)}


def compare(sources, folders):
    """Scores folders of thumbnails of the same sources; gives a summary for each name."""
    jobs = [(source, {name: folder / f"{source.stem}.jpg" for name, folder in folders.items()}) for source in sources]
    with multiprocessing.Pool(os.cpu_count()) as pool:
        scores = pool.starmap(score, jobs, chunksize=1)
    return {name: summary([of_picture[name] for of_picture in scores if name in of_picture]) for name in [CEILING, *folders]}


def summary(scores):
    """Means over the pictures, the worst luma, and how many are not of the size and form that was asked for."""
    if not scores:
        return None
    mean = {key: statistics.mean(each[key] for each in scores) for key in ("luma", "rgb", "bytes")}
    return {"pictures": len(scores), "worst": min(each["luma"] for each in scores),
            "otherwise": sum(not each["asked"] for each in scores), **mean}


def self_test():
    """Checks the scorer against what can be said without it."""
    def near(value, expected, tolerance, what):
        if abs(value - expected) > tolerance:
            raise SystemExit(f"quality.py: {what} is {value}, not {expected}")

    grey = numpy.full((32, 48, 3), 100, dtype=numpy.uint8)
    near(psnr(grey, grey + 1), 48.1308, 1e-4, "PSNR of a difference of 1")  # 20 log10 255
    near(psnr(grey, grey - 16), 24.0485, 1e-4, "PSNR of a difference of 16")  # 20 log10 (255 / 16)
    half = grey.copy()
    half[:16] += 16
    near(psnr(grey, half), 27.0588, 1e-4, "PSNR of a difference of 16 in half of the pixels")  # 3.0103 better
    near(psnr(grey, grey), MOST, 0, "PSNR of equal pictures")
    near(float((numpy.array([255, 0, 0]) @ LUMA)), 76.245, 1e-3, "the luma of red")

    for source, expected in {(4000, 3000): (256, 192), (3000, 4001): (192, 256), (256, 100): (256, 100),
                             (90, 60): (90, 60), (5000, 4): (256, 1)}.items():
        if fitted(*source) != expected:
            raise SystemExit(f"quality.py: {source} fits as {fitted(*source)}, not {expected}")

    # Another's Lanczos in floating point. Where it runs over the edges of the range, only ours is cut.
    noise = numpy.random.default_rng(1).integers(80, 170, (311, 507, 3)).astype(numpy.uint8)
    small = resized(noise, (97, 60))
    for channel in range(3):
        other = Image.fromarray(noise[:, :, channel].astype(numpy.float32)).resize((97, 60), Image.Resampling.LANCZOS)
        near(float(abs(numpy.asarray(other) - small[:, :, channel]).max()), 0, 0.01, "the difference to Pillow's resize")
    near(float(abs(resized(grey, (7, 5)) - 100).max()), 0, 1e-3, "the change of a grey picture by resizing")

    # A whole score: an exact thumbnail is as good as the ceiling, one that is moved by a pixel is not.
    rows, columns = numpy.mgrid[0:384, 0:512].astype(numpy.float32)
    waves = numpy.clip(128 + 60 * numpy.sin(columns / 9)[:, :, None] * numpy.sin(rows / 7)[:, :, None]
                       + numpy.array([0, 20, -20]), 0, 255).astype(numpy.uint8)
    file = io.BytesIO()
    Image.fromarray(waves).save(file, "PNG")
    reference = resized(waves, (256, 192))
    ceiling = saved(reference)
    exact = score_one(ceiling, reference, (256, 192), ceiling)
    moved = score_one(saved(numpy.roll(reference, 1, axis=1)), reference, (256, 192), ceiling)
    near(psnr(decoded(file), waves), MOST, 0, "PSNR of a decoded PNG")
    if not (exact["luma"] > 35 and exact["luma"] > moved["luma"] + 6 and exact["asked"] and moved["asked"]):
        raise SystemExit(f"quality.py: an exact thumbnail has {exact}, one that is moved {moved}")
    other = io.BytesIO()
    Image.fromarray(waves).resize((256, 192)).save(other, "JPEG", quality=90, subsampling="4:4:4")
    if score_one(other.getvalue(), reference, (256, 192), ceiling)["asked"]:
        raise SystemExit("quality.py: quality 90 was taken for quality 80")
    worst = summary([exact, moved])
    near(worst["worst"], moved["luma"], 0, "the worst of two")
    near(worst["luma"], (exact["luma"] + moved["luma"]) / 2, 1e-9, "the mean of two")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif len(sys.argv) > 2:
        import report

        wanted, named = sys.argv[1], [argument.split("=", 1) for argument in sys.argv[2:]]
        corpus_folder = pathlib.Path(__file__).parent.parent / ".build/bench/corpus" / wanted
        paths = sorted(path for path in corpus_folder.glob(f"{wanted}-*"))
        report.print_quality(compare(paths, {name: pathlib.Path(folder) for name, folder in named}), {})
    else:
        raise SystemExit(__doc__)
