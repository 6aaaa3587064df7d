"""The pictures that are measured: the same on every machine, made of the photographs in two Debian packages.

Each picture is a seeded part of a photograph, turned, mirrored, lit otherwise, brought to its size, with the noise of a
sensor on it, so that it has as many bits a pixel as a camera's. None has a colour profile or an orientation.
"""
import dataclasses
import hashlib
import io
import math
import multiprocessing
import os
import pathlib
import shutil
import subprocess

import numpy
from PIL import Image, ImageOps

Image.MAX_IMAGE_PIXELS = None
PACKAGES = os.environ.get("BENCH_PICTURE_PACKAGES", "").split()


@dataclasses.dataclass(frozen=True)
class Kind:
    """Pictures of one kind. In a run each is asked for `rounds` times, so that starting a program weighs little."""
    title: str
    extension: str
    count: int
    rounds: int
    megapixels: tuple


KINDS = {
    "jpeg": Kind("baseline JPEG 4:2:0", "jpg", 40, 5, (0.5, 12)),
    "progressive": Kind("progressive JPEG 4:2:0", "jpg", 12, 8, (0.5, 8)),
    "png": Kind("PNG (RGB, RGBA, palette)", "png", 12, 8, (0.3, 4)),
    "webp": Kind("WebP (two lossy, one lossless)", "webp", 12, 4, (0.4, 6)),
    "small": Kind("baseline JPEG of at most 8 kB", "jpg", 200, 5, (0.02, 0.03)),
}
ASPECTS = [(3, 2), (4, 3), (16, 9), (1, 1), (3, 4), (2, 3), (9, 16)]
SMALL_BYTES = 8192


def prepare(folder, kind):
    """Makes the pictures of a kind where they are not there yet; gives their paths."""
    target = folder / "corpus" / kind
    recipe = hashlib.sha256(pathlib.Path(__file__).read_bytes()
                            + (pathlib.Path(__file__).parent / "requirements.txt").read_bytes()).hexdigest()
    stamp = target / "recipe"
    if not stamp.exists() or stamp.read_text() != recipe:
        unfinished = folder / f"{kind}.unfinished"
        for old in (target, unfinished):
            shutil.rmtree(old, ignore_errors=True)
        unfinished.mkdir(parents=True)
        bases = base_photographs(folder / "photographs")
        print(f"Making {KINDS[kind].count} pictures: {KINDS[kind].title} …", flush=True)
        with multiprocessing.Pool(os.cpu_count()) as pool:
            pool.starmap(make, [(kind, index, bases, unfinished) for index in range(KINDS[kind].count)], chunksize=1)
        (unfinished / "recipe").write_text(recipe)
        target.parent.mkdir(exist_ok=True)
        unfinished.rename(target)
    return sorted(target.glob(f"*.{KINDS[kind].extension}"))


def digest(paths):
    """Names the very bytes of these pictures: figures of two runs can be compared where it is the same."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def base_photographs(folder):
    """Fetches and unpacks the Debian packages, installing nothing; gives the photographs in them."""
    if not PACKAGES:
        raise SystemExit("BENCH_PICTURE_PACKAGES is not set; Scripts/bench sets it")
    for package in PACKAGES:
        unpacked = folder / package
        if unpacked.exists():
            continue
        unfinished = folder / f"{package}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        print(f"Fetching the photographs of the Debian package {package} …", flush=True)
        # As root, apt fetches as another user, which cannot write everywhere.
        fetch = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", package]
        if subprocess.run(fetch, cwd=unfinished, stderr=subprocess.DEVNULL).returncode != 0:
            as_root = [] if os.geteuid() == 0 else ["sudo"]
            subprocess.run(as_root + ["apt-get", "update", "-qq"], check=True)
            subprocess.run(fetch, cwd=unfinished, check=True)
        archive, = unfinished.glob("*.deb")
        subprocess.run(["dpkg", "-x", archive, unfinished], check=True)
        archive.unlink()
        unfinished.rename(unpacked)
    photographs = [path for package in PACKAGES for path in (folder / package).rglob("*.jpg")]
    return sorted(photographs, key=lambda path: path.name)


def make(kind, index, bases, folder):
    """Writes picture number `index` of a kind."""
    random = np_random(kind, index)
    low, high = KINDS[kind].megapixels
    megapixels = math.exp(random.uniform(math.log(low), math.log(high)))
    picture = Image.fromarray(photograph(bases, random, megapixels))
    quality = int(random.choice([75, 80, 85, 88, 90, 92, 95]))
    path = folder / f"{kind}-{index:03}.{KINDS[kind].extension}"
    if kind == "jpeg":
        picture.save(path, quality=quality, subsampling="4:2:0")
    elif kind == "progressive":
        picture.save(path, quality=quality, subsampling="4:2:0", progressive=True)
    elif kind == "small":
        path.write_bytes(at_most(SMALL_BYTES, picture))
    elif kind == "webp":
        if index % 3 == 2:
            picture.save(path, lossless=True, quality=40, method=2)
        else:
            picture.save(path, quality=min(quality, 90), method=4)
    elif index % 3 == 0:
        picture.save(path)
    elif index % 3 == 1:
        picture.putalpha(vignette(picture.size))
        picture.save(path)
    else:
        picture.quantize(256, method=Image.Quantize.FASTOCTREE).save(path)


def np_random(kind, index):
    """The random numbers of one picture, whatever else is made and in which order."""
    return numpy.random.default_rng([list(KINDS).index(kind), index])


def photograph(bases, random, megapixels):
    """A seeded picture of about that size, as rows × columns × RGB in bytes."""
    wide, high = ASPECTS[random.integers(len(ASPECTS))]
    width = round(math.sqrt(megapixels * 1e6 * wide / high)) + int(random.integers(-7, 8))
    height = round(width * high / wide) + int(random.integers(-7, 8))  # odd sizes have partial blocks at the edge

    # A part of a photograph that is enlarged by 1.7 at most.
    fitting = [base for base in bases if math.prod(image_size(base)) * 2.9 >= width * height]
    base = load(fitting[random.integers(len(fitting))], width, height)
    turned = random.random() < 0.35
    part_width, part_height = (height, width) if turned else (width, height)
    scale = min(base.width / part_width, base.height / part_height) * random.uniform(0.72, 1)
    left = random.uniform(0, base.width - part_width * scale)
    top = random.uniform(0, base.height - part_height * scale)
    part = base.resize((part_width, part_height), Image.Resampling.LANCZOS,
                       box=(left, top, left + part_width * scale, top + part_height * scale))
    if turned:
        part = part.transpose(Image.Transpose.ROTATE_90)
    if random.random() < 0.5:
        part = ImageOps.mirror(part)
    return lit(numpy.asarray(part, dtype=numpy.float32), random)


def lit(pixels, random):
    """Other exposure, white balance and contrast, and noise that grows with the light, more in luma than in chroma."""
    gain = random.uniform(0.82, 1.18) * random.uniform(0.94, 1.06, 3)
    contrast = random.uniform(0.9, 1.12)
    pixels = (pixels * gain.astype(numpy.float32) - 128) * numpy.float32(contrast) + numpy.float32(128 + random.uniform(-10, 10))
    noise = numpy.float32(random.choice([0.7, 1.6, 2.8, 4.2], p=[0.25, 0.35, 0.28, 0.12]))
    grain = random.standard_normal(pixels.shape[:2], dtype=numpy.float32)
    grain = 0.7 * grain + 0.2 * (numpy.roll(grain, 1, 0) + numpy.roll(grain, 1, 1))  # neighbours are alike, as after demosaicing
    grain *= noise * (0.6 + 0.11 * numpy.sqrt(numpy.clip(pixels[:, :, 1], 0, 255)))
    pixels += grain[:, :, None]
    pixels += random.standard_normal(pixels.shape, dtype=numpy.float32) * (noise / 2)
    return numpy.clip(pixels + 0.5, 0, 255).astype(numpy.uint8)


def image_size(path):
    """Width and height, from the header."""
    with Image.open(path) as image:
        return image.size


def load(path, width, height):
    """A photograph, decoded no larger than needed for a part of that size."""
    with Image.open(path) as image:
        image.draft("RGB", (2 * max(width, height), 2 * max(width, height)))
        return image.convert("RGB")


def vignette(size):
    """Alpha that falls from opaque in the middle to nothing in the corners."""
    rows, columns = numpy.mgrid[0:size[1], 0:size[0]].astype(numpy.float32)
    distance = numpy.hypot(columns / size[0] - 0.5, rows / size[1] - 0.5)
    return Image.fromarray(numpy.clip((0.6 - distance) * 600, 0, 255).astype(numpy.uint8))


def at_most(limit, picture):
    """The picture as the best JPEG that is not larger than that."""
    for quality in range(95, 20, -5):
        file = io.BytesIO()
        picture.save(file, "JPEG", quality=quality, subsampling="4:2:0")
        if file.tell() <= limit:
            break
    return file.getvalue()
