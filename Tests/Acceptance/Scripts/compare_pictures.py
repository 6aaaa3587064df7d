"""Compares what the program made of the fixtures with what Pillow and libvips see in them.

compare_pictures.py FIXTURES OUTPUTS: prints a JSON object for each fixture that has an oracle, with the greatest
differences of channel means and of block means for each rendition, in levels, and what is wrong."""
import io
import json
import math
import os
import sys
import warnings

import numpy as np
import pyvips
from PIL import Image, ImageCms, ImageFile, ImageOps

fixtures, outputs = sys.argv[1:3]
warnings.simplefilter("ignore")
ImageFile.LOAD_TRUNCATED_IMAGES = True
SRGB = ImageCms.createProfile("sRGB")
SMALL = 48


def as_rgba(array):
    """Grey, RGB, with alpha or without, as RGBA in levels of 255."""
    array = np.asarray(array, float)
    if array.ndim == 2:
        array = array[..., None]
    if array.shape[2] < 3:
        array = np.dstack([array[..., :1]] * 3 + ([array[..., 1:]] if array.shape[2] == 2 else []))
    return array if array.shape[2] == 4 else np.dstack([array, np.full(array.shape[:2], 255.0)])


def pillow(path):
    with Image.open(path) as opened:
        opened.load()
        image = ImageOps.exif_transpose(opened)
        profile = opened.info.get("icc_profile")
    if image.mode.startswith("I"):
        return as_rgba(np.asarray(image, float) / 257)
    if image.mode in ("P", "1") or "transparency" in image.info:
        image = image.convert("RGBA")
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            space = source.profile.xcolor_space.strip()
            wanted = {"GRAY": ("L",), "RGB": ("RGB", "RGBA"), "CMYK": ("CMYK",)}[space]
            if image.mode in wanted:
                alpha = image.getchannel("A") if image.mode == "RGBA" else None
                image = ImageCms.profileToProfile(
                    image.convert("RGB") if alpha else image, source, SRGB, renderingIntent=0, outputMode="RGB")
                if alpha:
                    image.putalpha(alpha)
        except (ImageCms.PyCMSError, KeyError, OSError):
            pass
    return as_rgba(np.asarray(image.convert("RGB") if image.mode == "CMYK" else image))


def vips(path):
    image = pyvips.Image.new_from_file(path, fail_on="none").autorot()
    if image.get_typeof("icc-profile-data"):
        try:
            image = image.icc_transform("srgb", embedded=True, intent="perceptual")
        except pyvips.Error:
            pass
    if image.format == "ushort":
        return as_rgba(image.numpy().astype(float) / 257)
    if image.interpretation not in ("srgb", "b-w"):
        image = image.colourspace("srgb")
    return as_rgba(image.numpy())


def premultiplied(rgba):
    return np.dstack([rgba[..., :3] * rgba[..., 3:] / 255, rgba[..., 3]])


def resized(rgba, size):
    channels = [Image.fromarray(channel.astype(np.float32)).resize(size, Image.LANCZOS)
                for channel in np.moveaxis(premultiplied(rgba), 2, 0)]
    return np.clip(np.dstack([np.asarray(channel) for channel in channels]), 0, 255)


def blocks(array):
    """The means of blocks of 8×8; those at the edges may be smaller."""
    return np.array([[array[y:y + 8, x:x + 8].mean((0, 1)) for x in range(0, array.shape[1], 8)]
                     for y in range(0, array.shape[0], 8)])


def differences(seen, wanted):
    return (round(float(np.abs(seen.mean((0, 1)) - wanted.mean((0, 1))).max()), 3),
            round(float(np.abs(blocks(seen) - blocks(wanted)).max()), 3))


def fitted(width, height):
    scale = min(SMALL / width, SMALL / height, 1)
    return tuple(max(math.floor(side * scale + 0.5), 1) for side in (width, height))


for line in open(os.path.join(fixtures, "fixtures.jsonl")):
    fixture = json.loads(line)
    if not fixture["oracles"]:
        continue
    path, problems, result = os.path.join(fixtures, fixture["file"]), [], {}
    try:
        oracles = {name: globals()[name](path) for name in fixture["oracles"]}
    except Exception as error:  # An oracle that cannot read a fixture is none.
        print(json.dumps({"file": fixture["file"], "problems": [f"an oracle fails: {error}"], "result": {}}))
        continue
    wanted = next(iter(oracles.values()))
    for other in oracles.values():
        if other.shape != wanted.shape:
            problems.append(f"the oracles see {other.shape} and {wanted.shape}")
        else:
            means, worst = differences(premultiplied(other), premultiplied(wanted))
            if means > 1.5 or worst > 3:
                problems.append(f"the oracles differ by {means} and {worst}")
    height, width = wanted.shape[:2]
    stem = os.path.splitext(fixture["file"])[0]
    for rendition, ending in (("full", "png"), ("small", "png"), ("jpeg", "jpg"), ("webp", "webp")):
        made = os.path.join(outputs, f"{stem}-{rendition}.{ending}")
        if not os.path.exists(made):
            problems.append(f"{rendition} is missing")
            continue
        with Image.open(made) as image:
            if image.getexif() or image.info.get("icc_profile"):
                problems.append(f"{rendition} has metadata")
            seen = as_rgba(np.asarray(image.convert("RGBA")))
        size = (width, height) if rendition == "full" else fitted(width, height)
        if (seen.shape[1], seen.shape[0]) != size:
            problems.append(f"{rendition} is {seen.shape[1]}×{seen.shape[0]}, not {size[0]}×{size[1]}")
            continue
        expected = premultiplied(wanted) if rendition == "full" else resized(wanted, size)
        if rendition == "jpeg":
            expected[..., :3] += 255 - expected[..., 3:]
            expected[..., 3] = 255
        means, worst = differences(premultiplied(seen), expected)
        result[rendition] = [means, worst]
        # A lossy WebP halves the density of colour, which in a picture of 48 pixels is seen.
        limits = (1, 1) if fixture["lossless"] and rendition == "full" else (3, 10) if rendition == "webp" else (2, 4)
        if means > limits[0] or worst > limits[1]:
            problems.append(f"{rendition} differs by {means} and {worst}")
    print(json.dumps({"file": fixture["file"], "problems": problems, "result": result}))
