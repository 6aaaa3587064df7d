#!/usr/bin/env python3
"""Makes the pictures of the quickstart's origin. They are committed; this is how they came to be.

All of them are drawn here from formulas. Needs Pillow and numpy.
"""
import io
import os
import struct

import numpy as np
from PIL import Image, ImageDraw

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "origin")


def grid(width, height):
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    return x / width, y / height


def picture(*channels):
    return Image.fromarray(np.clip(np.stack(channels, -1) * 255 + 0.5, 0, 255).astype(np.uint8))


def dunes(width, height, seed):
    """Hills in the evening, the nearer the darker."""
    rng = np.random.default_rng(seed)
    x, y = grid(width, height)
    r, g, b = 0.98 - 0.35 * y, 0.62 + 0.2 * y, 0.45 + 0.45 * (1 - y)
    sun = np.hypot((x - 0.7) * width / height, y - 0.3)
    glow = np.exp(-((sun / 0.12) ** 2))
    r, g, b = r + 0.3 * glow, g + 0.3 * glow, b + 0.1 * glow
    for layer in range(5):
        level = 0.45 + 0.11 * layer
        for octave in range(1, 5):
            level = level + 0.06 / octave * np.sin(x * octave * 7 + rng.uniform(0, 6.28))
        shade = 0.75 - 0.15 * layer
        hill = (y > level).astype(np.float64)
        texture = 0.03 * np.sin((x * 60 + y * 90) * (layer + 2))
        r = r * (1 - hill) + hill * (shade * 0.9 + texture)
        g = g * (1 - hill) + hill * (shade * 0.55 + texture)
        b = b * (1 - hill) + hill * (shade * 0.62 + texture)
    return picture(r, g, b)


def mandelbrot(width, height):
    x, y = grid(width, height)
    c = (x - 0.5) * 0.09 * width / height - 0.745 + 1j * ((y - 0.5) * 0.09 + 0.12)
    z = np.zeros_like(c)
    n = np.zeros(c.shape)
    for _ in range(150):
        alive = np.abs(z) < 8
        z[alive] = z[alive] ** 2 + c[alive]
        n += alive
    t = np.log1p(n) / np.log(151)
    return picture(np.clip(t * 1.6 - 0.4, 0, 1), t ** 2, np.clip(0.25 + t * 0.6, 0, 1))


def waves(width, height):
    x, y = grid(width, height)
    a = np.sin(40 * np.hypot((x - 0.3) * width / height, y - 0.4))
    b = np.sin(36 * np.hypot((x - 0.8) * width / height, y - 0.7))
    return picture(0.5 + 0.25 * (a + b), 0.5 + 0.2 * a, 0.6 - 0.2 * b)


def arrow_up(width, height):
    """Something with an unmistakable up."""
    im = Image.new("RGB", (width, height), (38, 70, 83))
    d = ImageDraw.Draw(im)
    d.rectangle([0, 0, width, height * 0.08], fill=(231, 111, 81))
    d.polygon([(width / 2, height * 0.15), (width * 0.85, height * 0.5), (width * 0.15, height * 0.5)], fill=(233, 196, 106))
    d.rectangle([width * 0.4, height * 0.5, width * 0.6, height * 0.9], fill=(233, 196, 106))
    return im


def badge(size):
    """A ring with a soft shadow on nothing."""
    x, y = grid(size, size)
    r = np.hypot(x - 0.5, y - 0.5)
    ring = np.clip((0.42 - r) * size / 2, 0, 1) * np.clip((r - 0.25) * size / 2, 0, 1)
    shadow = np.clip(1 - np.abs(np.hypot(x - 0.52, y - 0.53) - 0.335) / 0.14, 0, 1) * 0.4
    alpha = np.maximum(ring, shadow)
    hue = (np.arctan2(y - 0.5, x - 0.5) / 6.2832) % 1
    colour = [0.5 + 0.5 * np.cos(6.2832 * (hue + p)) for p in (0, 0.33, 0.67)]
    return picture(*[c * ring / np.maximum(alpha, 1e-6) for c in colour], alpha)


def exif(orientation):
    """An EXIF block with the one tag Orientation."""
    tiff = b"II*\0\x08\0\0\0" + struct.pack("<HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    return b"Exif\0\0" + tiff


def save(image, name, **options):
    path = os.path.join(OUT, name)
    image.save(path, **options)
    print(f"{os.path.getsize(path):7d}  {image.width}x{image.height}  {name}")


def main():
    os.makedirs(OUT, exist_ok=True)
    save(dunes(1600, 1067, 1), "dunes-landscape.jpg", quality=82)
    save(dunes(900, 1350, 2), "dunes-portrait.jpg", quality=82)
    save(dunes(1200, 800, 3), "dunes-progressive.jpg", quality=80, progressive=True)
    turned = arrow_up(600, 800).transpose(Image.Transpose.ROTATE_90)
    save(turned, "arrow-turned-by-exif.jpg", quality=85, exif=exif(6))
    save(arrow_up(640, 480).convert("L"), "arrow-grey.jpg", quality=85)
    save(badge(480), "badge-transparent.png", optimize=True)
    save(waves(640, 360).quantize(64), "waves-palette.png", optimize=True)
    save(mandelbrot(1280, 960), "mandelbrot-lossy.webp", quality=75)
    save(waves(400, 300).quantize(48).convert("RGB"), "waves-lossless.webp", lossless=True)
    save(mandelbrot(200, 150), "mandelbrot-small.jpg", quality=85)
    page = "<!doctype html>\n<title>Sign in</title>\n<p>This is a page, though its name says otherwise.\n"
    with io.open(os.path.join(OUT, "page-named-picture.jpg"), "w") as f:
        f.write(page)


if __name__ == "__main__":
    main()
