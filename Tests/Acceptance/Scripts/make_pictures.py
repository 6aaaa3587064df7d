"""Makes source pictures for the acceptance tests, with Pillow.

make_pictures.py FOLDER SET...
  mixed N        N small pictures of all formats and sizes, named 0000.jpg, 0001.png …
  corners        orientations 1 to 8 of a picture with four different corners: corners-1.jpg …
  sizes          1x1, 1x5000, 5000x1, 257x255 and others as JPEG, PNG and WebP: 257x255.png …
  large          one 12 MP baseline 4:2:0 JPEG: large.jpg
  megapixel      one picture of 1 MP in each format: megapixel.jpg, .png, .webp
  tiny N         N distinct JPEGs of a few hundred bytes: tiny-000000.jpg …
  odd            files that are not what they say: truncated.jpg, huge-header.jpg, page.jpg, empty.jpg …
"""
import io
import os
import struct
import sys

import numpy as np
from PIL import Image

CORNERS = [(220, 40, 40), (40, 200, 60), (50, 70, 230), (240, 220, 60)]  # top left, top right, bottom left, bottom right


def corners(width, height):
    """Four quadrants of their own colour."""
    im = np.zeros((height, width, 3), np.uint8)
    h, w = height // 2, width // 2
    im[:h, :w], im[:h, w:], im[h:, :w], im[h:, w:] = CORNERS
    return im


def exif(orientation):
    tiff = b"MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    return b"Exif\0\0" + tiff


def stored(displayed, orientation):
    """The rows to store, by the definition of the tag: which displayed sides row 0 and column 0 are (Exif 2.32, 4.6.4)."""
    sides = {1: ("top", "left"), 2: ("top", "right"), 3: ("bottom", "right"), 4: ("bottom", "left"),
             5: ("left", "top"), 6: ("right", "top"), 7: ("right", "bottom"), 8: ("left", "bottom")}
    row0, column0 = sides[orientation]
    height, width = displayed.shape[:2]
    swapped = row0 in ("left", "right")
    rows, columns = (width, height) if swapped else (height, width)
    result = np.zeros((rows, columns, 3), np.uint8)
    for r in range(rows):
        for c in range(columns):
            place = {row0: r, column0: c}
            x = place["left"] if "left" in place else width - 1 - place["right"]
            y = place["top"] if "top" in place else height - 1 - place["bottom"]
            result[r, c] = displayed[y, x]
    return result


def noise(width, height, seed, texture=4):
    """Smooth colour with some texture."""
    r = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    a, b, c = r.uniform(0.5, 6, 3)
    base = np.stack([np.sin(a * x / width + b * y / height + k + c) for k in range(3)], -1)
    return np.clip(128 + 100 * base + r.normal(0, texture, (height, width, 3)), 0, 255).astype(np.uint8)


def mixed(folder, count):
    for i in range(count):
        r = np.random.default_rng(1000 + i)
        width, height = int(r.integers(20, 640)), int(r.integers(20, 640))
        im = Image.fromarray(noise(width, height, i))
        name = os.path.join(folder, f"{i:04d}")
        kind = i % 6
        if kind == 0: im.save(name + ".jpg", quality=85)
        elif kind == 1: im.save(name + ".jpg", quality=80, progressive=True)
        elif kind == 2: im.save(name + ".png")
        elif kind == 3:
            im.putalpha(Image.fromarray((np.hypot(*(np.mgrid[0:height, 0:width] - 150)) % 256).astype(np.uint8)))
            im.save(name + ".png")
        elif kind == 4: im.save(name + ".webp", quality=80)
        else: im.convert("L").save(name + ".jpg", quality=85)


def sizes(folder):
    for width, height in [(1, 1), (1, 5000), (5000, 1), (257, 255), (256, 256), (300, 100), (2, 9000), (640, 479)]:
        y, x = np.mgrid[0:height, 0:width]
        im = Image.fromarray(np.stack([(x * 255 // max(width - 1, 1)), (y * 255 // max(height - 1, 1)), np.full_like(x, 90)], -1).astype(np.uint8))
        name = os.path.join(folder, f"{width}x{height}")
        im.save(name + ".jpg", quality=92)
        im.save(name + ".png")
        im.save(name + ".webp", quality=92)


def odd(folder):
    good = io.BytesIO()
    Image.fromarray(noise(400, 300, 7)).save(good, "JPEG", quality=85)
    good = good.getvalue()
    write = lambda name, data: open(os.path.join(folder, name), "wb").write(data)
    write("good.jpg", good)
    write("truncated.jpg", good[: len(good) * 2 // 3])
    frame = good.index(b"\xff\xc0")
    write("huge-header.jpg", good[: frame + 5] + struct.pack(">HH", 64250, 64250) + good[frame + 9:][:4000])
    write("page.jpg", b"<!doctype html><title>no picture</title>")
    write("empty.jpg", b"")
    write("trailing.jpg", good + b"\0" * 100)


def main():
    folder, words = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    while words:
        kind = words.pop(0)
        if kind == "mixed": mixed(folder, int(words.pop(0)))
        elif kind == "corners":
            for o in range(1, 9):
                Image.fromarray(stored(corners(640, 400), o)).save(
                    os.path.join(folder, f"corners-{o}.jpg"), quality=92, subsampling=2, exif=exif(o))
        elif kind == "sizes": sizes(folder)
        elif kind == "large":
            Image.fromarray(noise(4000, 3000, 5)).save(os.path.join(folder, "large.jpg"), quality=85, subsampling=2)
        elif kind == "megapixel":
            im = Image.fromarray(noise(1000, 1000, 11, 12))  # as many bytes as a photograph's
            im.save(os.path.join(folder, "megapixel.jpg"), quality=85)
            im.save(os.path.join(folder, "megapixel.png"), compress_level=1)
            im.save(os.path.join(folder, "megapixel.webp"), quality=80, method=0)
        elif kind == "tiny":
            for i in range(int(words.pop(0))):
                Image.new("RGB", (24, 16), (i % 251, i // 251 % 251, 90)).save(os.path.join(folder, f"tiny-{i:06d}.jpg"), quality=70)
        elif kind == "odd": odd(folder)
        else: sys.exit(f"no such set: {kind}")


main()
