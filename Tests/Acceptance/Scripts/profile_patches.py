"""Flat patches with profiles, and what Little CMS's own program says that they are.

profile_patches.py make FOLDER: writes pictures and patches.jsonl, a line for each with its colours in sRGB by transicc.
profile_patches.py compare FOLDER OUTPUTS: prints, for each picture and rendition, the greatest difference in levels."""
import io
import json
import os
import subprocess
import sys

import numpy as np
from PIL import Image

import picture_files as files

SIDE = 32
COLORS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (128, 128, 128), (200, 100, 50), (40, 160, 90),
          (90, 60, 200), (250, 240, 200), (20, 30, 40), (180, 180, 60), (60, 180, 180), (180, 60, 180), (10, 250, 130), (77, 5, 99)]
INKS = [(0, 0, 0, 0), (100, 0, 0, 0), (0, 100, 0, 0), (0, 0, 100, 0), (0, 0, 0, 100), (100, 100, 0, 0), (0, 100, 100, 0), (100, 0, 100, 0),
        (50, 40, 40, 10), (20, 70, 90, 5), (80, 20, 10, 30), (5, 5, 60, 0), (60, 60, 60, 60), (30, 0, 0, 50), (0, 35, 0, 20), (12, 88, 44, 3)]


def by_transicc(profile, values):
    path = os.path.join(folder, "profile.icc")
    with open(path, "wb") as file:
        file.write(profile)
    text = "\n".join(" ".join(str(v) for v in value) for value in values) + "\n"
    done = subprocess.run(["transicc", "-i", path, "-o", "*sRGB", "-t0", "-n"], input=text, capture_output=True, text=True,
                          check=True)
    os.remove(path)
    rows = [[float(v) for v in line.split()] for line in done.stdout.splitlines() if line.strip()]
    assert len(rows) == len(values), done.stdout
    return [[min(max(v, 0), 255) for v in row] for row in rows]


def patches(values):
    grid = np.array(values).reshape(4, 4, -1)
    return grid.repeat(SIDE, 0).repeat(SIDE, 1)


def saved(array, mode, format, **options):
    image = Image.frombytes(mode, array.shape[1::-1], np.ascontiguousarray(array, np.uint8).tobytes())
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def make():
    lines = open(os.path.join(folder, "patches.jsonl"), "w")

    def add(name, data, expected, alpha=255):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        lines.write(json.dumps({"file": name, "expected": expected, "alpha": alpha}) + "\n")

    size = (4 * SIDE, 4 * SIDE)
    for name, profile in [("display-p3", files.display_p3()), ("adobe-rgb", files.adobe_rgb()),
                          ("prophoto", files.prophoto()), ("exchanged", files.exchanged())]:
        expected = by_transicc(profile, COLORS)
        rgb = patches(COLORS)
        rgba = np.dstack([rgb, np.full(rgb.shape[:2], 128)])
        add(f"{name}.png", files.png(rgb, 2, 8, before=[files.iccp(profile)]), expected)
        add(f"{name}-16.png", files.png(rgb * 257, 2, 16, before=[files.iccp(profile)]), expected)
        add(f"{name}-alpha.png", files.png(rgba, 6, 8, before=[files.iccp(profile)]), expected, 128)
        add(f"{name}.jpg", files.with_segments(saved(rgb, "RGB", "JPEG", quality=100, subsampling=0), *files.icc_segments(profile)), expected)
        add(f"{name}.webp", files.extended(saved(rgb, "RGB", "WEBP", lossless=True), size, profile=profile), expected)
        add(f"{name}-alpha.webp", files.extended(saved(rgba, "RGBA", "WEBP", lossless=True, exact=True), size, profile=profile),
            expected, 128)
    grays = [(v,) for v in np.linspace(0, 255, 16).astype(int).tolist()]
    expected = by_transicc(files.gray(), grays)
    add("gray.png", files.png(patches(grays), 0, 8, before=[files.iccp(files.gray())]), expected)
    both = np.dstack([patches(grays), np.full((4 * SIDE, 4 * SIDE), 128)])
    add("gray-alpha.png", files.png(both, 4, 8, before=[files.iccp(files.gray())]), expected, 128)
    add("gray.jpg", files.with_segments(saved(patches(grays), "L", "JPEG", quality=100), *files.icc_segments(files.gray())), expected)
    coded = np.round(np.array(INKS) * 2.55).astype(int)
    # What is stored is the nearest level, and the absence of ink.
    expected = by_transicc(files.cmyk(), (coded / 2.55).tolist())
    add("cmyk.jpg", files.with_segments(saved(patches(coded.tolist()), "CMYK", "JPEG", quality=100), *files.icc_segments(files.cmyk())),
        expected)


def compare(outputs):
    for line in open(os.path.join(folder, "patches.jsonl")):
        patch = json.loads(line)
        expected = np.array(patch["expected"]).reshape(4, 4, 3)
        result = {}
        for rendition, ending in (("png", "png"), ("jpeg", "jpg"), ("webp", "webp")):
            with Image.open(os.path.join(outputs, f"{patch['file']}-{rendition}.{ending}")) as image:
                seen = np.asarray(image.convert("RGBA"), float)
            middle = seen[SIDE // 2::SIDE, SIDE // 2::SIDE]
            wanted = expected
            if rendition == "jpeg" and patch["alpha"] < 255:
                wanted = (expected * patch["alpha"] + 255 * (255 - patch["alpha"])) / 255
            result[rendition] = round(float(np.abs(middle[..., :3] - wanted).max()), 2)
            if rendition != "jpeg" and np.abs(middle[..., 3] - patch["alpha"]).max() > 0:
                result[rendition] = 255
        print(json.dumps({"file": patch["file"], **result}))


folder = sys.argv[2]
if sys.argv[1] == "make":
    os.makedirs(folder, exist_ok=True)
    make()
else:
    compare(sys.argv[3])
