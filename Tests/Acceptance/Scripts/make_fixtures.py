"""Makes the fixtures of picture files: FOLDER/NAME, and FOLDER/fixtures.jsonl with a line for each.

A line has its file, its kind in words, the oracles that it is compared with ("pillow", "vips"; none where `expected` has
an error code, or where `why` names another test), and whether its samples are exact (`lossless`)."""
import io
import json
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
from PIL import Image

import picture_files as files

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
lines = open(os.path.join(folder, "fixtures.jsonl"), "w")
BOTH = ("pillow", "vips")


def add(name, kind, data, oracles=BOTH, lossless=False, why=None, code=None):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    lines.write(json.dumps({"file": name, "kind": kind, "oracles": [] if code else list(oracles), "lossless": lossless,
                            "why": why, "code": code}) + "\n")


def scene(width=157, height=101):
    """Four corners of different colours with slopes between them, a grating and a disc: turned, exchanged, shifted or
    faded pictures have other means."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    u, v = (x + 0.5) / width, (y + 0.5) / height
    corners = [(210, 50, 60), (60, 190, 80), (40, 70, 220), (235, 215, 90)]
    weights = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v]
    picture = sum(w[..., None] * np.array(c, float) for w, c in zip(weights, corners))
    picture += (18 * np.sin(x / 5) * np.cos(y / 7))[..., None]
    disc = (u - 0.3) ** 2 + (v - 0.6) ** 2 < 0.03
    picture[disc] = 255 - picture[disc]
    return np.clip(np.round(picture), 0, 255).astype(np.uint8)


def piece(width, height):
    """The beginning of a scene: of a whole one, a few pixels would each have another colour."""
    return np.ascontiguousarray(scene(max(width, 157), max(height, 101))[:height, :width])


def alpha(height, width):
    y, x = np.mgrid[0:height, 0:width].astype(float)
    return np.clip(np.round(255 * (0.5 + 0.6 * np.sin(x / width * 5) * np.cos(y / height * 4))), 0, 255).astype(np.uint8)


rgb = scene()
height, width = rgb.shape[:2]
rgba = np.dstack([rgb, alpha(height, width)])
luma = np.asarray(Image.fromarray(rgb).convert("L"))


def saved(array, format, mode=None, **options):
    image = array if isinstance(array, Image.Image) else Image.fromarray(array)
    if mode:
        image = Image.frombytes(mode, image.size, array.tobytes())
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def cjpeg(array, *options):
    header = b"P%d %d %d 255\n" % (5 if array.ndim == 2 else 6, array.shape[1], array.shape[0])
    return subprocess.run(["cjpeg", *options], input=header + array.tobytes(), capture_output=True, check=True).stdout


# ---- JPEG

for sampling, words in enumerate(["4:4:4", "4:2:2", "4:2:0"]):
    for quality in (35, 75, 95):
        for progressive in (False, True):
            add(f"jpeg-{words.replace(':', '')}-q{quality}{'-progressive' if progressive else ''}.jpg",
                f"JPEG, {'progressive' if progressive else 'baseline'}, {words}, quality {quality}",
                saved(rgb, "JPEG", quality=quality, subsampling=sampling, progressive=progressive))
for factors, words in [("1x2", "4:4:0"), ("4x1", "4:1:1"), ("4x2", "4:1:0 wide"), ("1x4", "tall"), ("2x2,1x2,1x2", "mixed"),
                       ("2x2,2x1,2x1", "mixed the other way"), ("2x1,1x1,2x1", "unequal chroma"),
                       ("3x1", "odd factors"), ("1x3", "odd factors upright"), ("3x2", "odd and even factors")]:
    for progressive in (False, True):
        add(f"jpeg-sampling-{factors.replace(',', '-')}{'-progressive' if progressive else ''}.jpg",
            f"JPEG, sampling {factors} ({words}){', progressive' if progressive else ''}",
            cjpeg(rgb, "-quality", "88", "-sample", factors, *(["-progressive"] if progressive else [])))
for options, name, words in [
        (["-arithmetic"], "arithmetic", "arithmetic coding"),
        (["-arithmetic", "-progressive"], "arithmetic-progressive", "arithmetic coding, progressive"),
        (["-restart", "1"], "restart-rows", "a restart marker each row of blocks"),
        (["-restart", "3B"], "restart-blocks", "a restart marker each three blocks"),
        (["-restart", "2B", "-progressive"], "restart-progressive", "restart markers, progressive"),
        (["-arithmetic", "-restart", "2B"], "restart-arithmetic", "restart markers, arithmetic coding"),
        (["-optimize"], "optimized", "its own Huffman tables"),
        (["-quality", "4"], "wide-tables", "quantisation tables of 16 bits (extended sequential)"),
        (["-quality", "4", "-progressive"], "wide-tables-progressive", "quantisation tables of 16 bits, progressive"),
        (["-rgb"], "rgb", "RGB components"), (["-rgb", "-progressive"], "rgb-progressive", "RGB components, progressive")]:
    quality = [] if "-quality" in options else ["-quality", "88"]
    add(f"jpeg-{name}.jpg", f"JPEG, {words}", cjpeg(rgb, *quality, *options))
for progressive in (False, True):
    add(f"jpeg-gray{'-progressive' if progressive else ''}.jpg", f"JPEG, grey{', progressive' if progressive else ''}",
        saved(luma, "JPEG", quality=90, progressive=progressive))
add("jpeg-gray-2x2.jpg", "JPEG, grey with sampling factors of 2×2", cjpeg(luma, "-quality", "90", "-sample", "2x2"))
scans = os.path.join(folder, "separate.scans")
with open(scans, "w") as file:
    file.write("0;\n1;\n2;\n")
add("jpeg-separate-scans.jpg", "JPEG, a scan for each component, not progressive", cjpeg(rgb, "-quality", "88", "-scans", scans))
os.remove(scans)
for size in [(1, 1), (1, 200), (200, 1), (2, 3), (7, 7), (8, 8), (9, 9), (15, 17), (16, 16), (17, 15), (33, 31), (255, 3)]:
    add(f"jpeg-size-{size[0]}x{size[1]}.jpg", f"JPEG of {size[0]}×{size[1]}, 4:2:0",
        saved(piece(*size), "JPEG", quality=92, subsampling=2))

base = saved(rgb, "JPEG", quality=90)
large = saved(np.asarray(Image.fromarray(scene(640, 416))), "JPEG", quality=90)
add("jpeg-large.jpg", "JPEG of 640×416, 4:2:0", large)
add("jpeg-trailing-garbage.jpg", "JPEG, bytes behind its end", base + b"\0\r\n trailing \xff\xd8\xff")
add("jpeg-fill-bytes.jpg", "JPEG, fill bytes before markers",
    b"".join(b[:1] * (1 if m == 0xd8 else 4) + b[1:] for m, b in files.segments(base)))
add("jpeg-garbage-between.jpg", "JPEG, bytes between its segments",
    b"".join(b + (b"\0\1\2" if m == 0xe0 else b"") for m, b in files.segments(base)))
add("jpeg-leading-garbage.jpg", "bytes before a JPEG", b"\r\n" + base, code="not-an-image")
add("jpeg-no-jfif.jpg", "JPEG without JFIF", files.with_segments(base, drop=(0xe0,)))
add("jpeg-adobe-ycc.jpg", "JPEG, Adobe marker of YCbCr", files.with_segments(base, files.adobe(1), drop=(0xe0,)))
add("jpeg-adobe-rgb-components.jpg", "JPEG, RGB by the Adobe marker", saved(rgb, "JPEG", quality=92, keep_rgb=True))
add("jpeg-comments.jpg", "JPEG, comments and foreign segments",
    files.with_segments(base, files.segment(0xfe, b"hello"), files.segment(0xed, b"Photoshop 3.0\0" + bytes(300)),
                        files.segment(0xef, bytes(60000))))
at = base.index(b"\xff\xda")
add("jpeg-sos-parameters.jpg", "JPEG, wrong spectral numbers in its scan header", base[:at + 12] + b"\0" + base[at + 13:])
add("jpeg-end-missing.jpg", "JPEG without its end marker", base[:-2])
add("jpeg-truncated.jpg", "JPEG cut in its pixels", base[:len(base) * 2 // 3], code="truncated")
add("jpeg-truncated-progressive.jpg", "progressive JPEG cut in a late scan",
    (lambda d: d[:len(d) * 5 // 6])(saved(rgb, "JPEG", quality=90, progressive=True)), code="truncated")
broken = bytearray(base)
broken[len(base) // 2: len(base) // 2 + 40] = bytes(40)
add("jpeg-corrupt.jpg", "JPEG with overwritten pixels", bytes(broken[:-2]) + b"\xff\xd0\xff\xd9", code="corrupt")


def reframed(data, marker=None, precision=None, size=None):
    parts = []
    for m, b in files.segments(data):
        if m in (0xc0, 0xc2):
            b = bytes([0xff, marker or m]) + b[2:4] + bytes([precision or b[4]]) + \
                (struct.pack(">HH", size[1], size[0]) if size else b[5:9]) + b[9:]
        parts.append(b)
    return b"".join(parts)


add("jpeg-12-bit.jpg", "JPEG of 12 bits", reframed(base, 0xc1, 12), code="unsupported-feature")
add("jpeg-lossless.jpg", "lossless JPEG", reframed(base, 0xc3), code="unsupported-feature")
add("jpeg-64250.jpg", "small JPEG that claims 64250×64250", reframed(base, size=(64250, 64250))[:5000],
    code="too-many-pixels")
coarse = saved(scene(16, 16), "JPEG", quality=90, progressive=True)
scan_start = coarse.index(b"\xff\xda")
first_scan = coarse[scan_start:coarse.index(b"\xff", scan_start + 16)]
refinement = b"\xff\xda\x00\x08\x01\x01\x00\x01\x05\x00\x7f"
add("jpeg-1000-scans.jpg", "progressive JPEG of 1000 scans", coarse[:-2] + refinement * 1000 + b"\xff\xd9",
    code="too-many-scans")

# CMYK: Pillow has Adobe's marker and inverts. What libvips does without a profile is by one of its own.
inks = 255 - np.dstack([rgb, np.full_like(luma, 0)])
inks[..., 3] = luma // 4
cmyk = saved(inks, "JPEG", mode="CMYK", quality=92)
plain_ink = "libvips has an ink profile of its own for CMYK without one"
add("jpeg-cmyk-adobe.jpg", "JPEG, CMYK, Adobe marker 0", cmyk, ("pillow",), why=plain_ink)
add("jpeg-cmyk-unmarked.jpg", "JPEG, CMYK without Adobe marker (taken for inverted, as browsers do)",
    files.with_segments(cmyk, drop=(0xee,)), ("pillow",), why=plain_ink)
ycck = cjpeg(np.ascontiguousarray(rgb), "-quality", "92", "-sample", "1x1")


def four_components(data, transform):
    """YCbCr with a fourth component: the picture's luma again, as K of YCCK."""
    gray_coded = cjpeg(np.ascontiguousarray(luma), "-quality", "92")
    gray_scan = files.segments(gray_coded)[-1][1]
    parts = []
    for m, b in files.segments(data)[:-1]:
        if m == 0xc0:
            b = b[:2] + struct.pack(">H", 8 + 12) + b[4:9] + bytes([4]) + b[10:19] + bytes([4, 0x11, 0])
        if m != 0xe0:
            parts.append(b)
    scan = files.segments(data)[-1][1][:-2]
    entropy = gray_scan[10:]
    return (parts[0] + files.adobe(transform) + b"".join(parts[1:]) + scan
            + b"\xff\xda\x00\x08\x01\x04\x00\x00\x3f\x00" + entropy)


add("jpeg-ycck-adobe.jpg", "JPEG, YCCK, Adobe marker 2", four_components(ycck, 2), ("pillow",), why=plain_ink)
add("jpeg-cmyk-separate.jpg", "JPEG, CMYK, Adobe marker 0, black in a scan of its own", four_components(ycck, 0),
    ("pillow",), why=plain_ink)
add("jpeg-cmyk-wrong-profile.jpg", "JPEG, CMYK with a profile of RGB (ignored)",
    files.with_segments(cmyk, *files.icc_segments(files.srgb())), ("pillow",), why=plain_ink)
add("jpeg-cmyk-profile.jpg", "JPEG, CMYK with its profile",
    files.with_segments(cmyk, *files.icc_segments(files.cmyk())))

# Profiles and EXIF
p3 = files.display_p3()
add("jpeg-icc.jpg", "JPEG, Display P3", files.with_segments(base, *files.icc_segments(p3)))
add("jpeg-icc-split.jpg", "JPEG, ICC profile in five parts", files.with_segments(base, *files.icc_segments(p3, 5)))
add("jpeg-icc-reversed.jpg", "JPEG, ICC profile in five parts, the last first",
    files.with_segments(base, *files.icc_segments(p3, 5, order=[4, 2, 0, 3, 1])),
    ("pillow",), why="libvips takes the parts as they come")
add("jpeg-icc-part-missing.jpg", "JPEG, ICC profile that lacks a part (ignored)",
    files.with_segments(base, *files.icc_segments(p3, 5, missing=(2,))))
add("jpeg-icc-broken.jpg", "JPEG, ICC profile of nonsense (ignored)",
    files.with_segments(base, *files.icc_segments(b"nonsense" * 50)))
add("jpeg-icc-gray-for-rgb.jpg", "JPEG of colours with a grey profile (ignored)",
    files.with_segments(base, *files.icc_segments(files.gray())))
for name, make in [("adobe-rgb", files.adobe_rgb), ("prophoto", files.prophoto), ("exchanged", files.exchanged)]:
    add(f"jpeg-icc-{name}.jpg", f"JPEG, ICC profile: {name}", files.with_segments(base, *files.icc_segments(make())))
    add(f"png-icc-{name}.png", f"PNG, ICC profile: {name}", files.png(rgb, 2, 8, before=[files.iccp(make())]), lossless=True)
for orientation in range(1, 9):
    for order, words in (("<", "little"), (">", "big")):
        add(f"jpeg-orientation-{orientation}-{words}.jpg", f"JPEG, EXIF orientation {orientation}, {words}-endian",
            files.with_segments(base, files.exif(files.tiff(orientation, order))))
    add(f"png-orientation-{orientation}.png", f"PNG, eXIf orientation {orientation}",
        files.png(rgb, 2, 8, before=[files.chunk("eXIf", files.tiff(orientation))]), lossless=True)
    for lossless in (False, True):
        data = saved(rgb, "WEBP", lossless=lossless, quality=90)
        add(f"webp-orientation-{orientation}{'-lossless' if lossless else ''}.webp",
            f"WebP, {'lossless' if lossless else 'lossy'}, EXIF orientation {orientation}",
            files.extended(data, (width, height), exif_block=files.tiff(orientation)), lossless=lossless)
add("jpeg-orientation-damaged-exif.jpg", "JPEG, orientation in an EXIF block that ends early",
    files.with_segments(base, files.exif(files.tiff(6, damaged=True))))
add("jpeg-orientation-9.jpg", "JPEG, EXIF orientation 9, which there is not",
    files.with_segments(base, files.exif(files.tiff(9))))
add("jpeg-exif-and-jfif.jpg", "JPEG, EXIF before JFIF",
    files.with_segments(base, files.exif(files.tiff(3)), files.segments(base)[1][1], drop=(0xe0,)))

# ---- PNG

palette = np.array([[i * 13 % 256, i * 57 % 256, (255 - i * 31) % 256] for i in range(256)], np.uint8)
plte = lambda count: files.chunk("PLTE", palette[:count].tobytes())
smooth = np.mgrid[0:height, 0:width][1] / (width - 1) * 0.7 + np.mgrid[0:height, 0:width][0] / (height - 1) * 0.3
deep = np.dstack([smooth, 1 - smooth, np.abs(smooth - 0.5) * 2, np.clip(smooth * 1.4, 0, 1)])
for interlaced in (False, True):
    tail, words = ("-interlaced", ", interlaced") if interlaced else ("", "")
    for color, depths, name in [(0, (1, 2, 4, 8, 16), "gray"), (2, (8, 16), "rgb"), (3, (1, 2, 4, 8), "palette"),
                                (4, (8, 16), "gray-alpha"), (6, (8, 16), "rgba")]:
        for depth in depths:
            channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
            if color == 4:
                values = deep[..., [0, 3]]
            else:
                values = deep[..., :channels]
            samples = np.round(values * (2 ** depth - 1)).astype(int)
            # Pillow keeps eight of sixteen bits, of RGB those in front; both are right to a level.
            oracles = BOTH
            before = [plte(2 ** depth)] if color == 3 else []
            add(f"png-{name}-{depth}{tail}.png", f"PNG, {name} of {depth} bits{words}",
                files.png(samples, color, depth, interlaced, before), oracles, lossless=True)
            if color == 0:
                key = struct.pack(">H", int(samples[height // 2, width // 2, 0]))
            elif color == 2:
                key = struct.pack(">3H", *[int(v) for v in samples[height // 2, width // 2]])
            elif color == 3:
                key = bytes((i * 85) % 256 for i in range(2 ** depth))
            else:
                continue
            why = None
            if color == 0 and depth in (2, 4):
                oracles, why = ("vips",), "Pillow does not scale a key of 2 or 4 bits with its samples"
            if color in (0, 2) and depth == 16:
                oracles, why = ("vips",), "Pillow keeps no key of 16 bits"
            add(f"png-{name}-{depth}-trns{tail}.png", f"PNG, {name} of {depth} bits with tRNS{words}",
                files.png(samples, color, depth, interlaced, before + [files.chunk("tRNS", key)]), oracles, lossless=True,
                why=why)
for size in [(1, 1), (1, 200), (200, 1), (3, 5), (9, 7)]:
    for interlaced in (False, True):
        add(f"png-size-{size[0]}x{size[1]}{'-interlaced' if interlaced else ''}.png",
            f"PNG of {size[0]}×{size[1]}{', interlaced' if interlaced else ''}",
            files.png(piece(*size), 2, 8, interlaced), lossless=True)
for kind in ("pillow", "large"):
    add(f"png-filters-{kind}.png", "PNG, all filters", saved(rgb if kind == "pillow" else scene(640, 416), "PNG"), lossless=True)
add("png-many-idat.png", "PNG, pixels in 40 chunks", files.png(rgb, 2, 8, pieces=40), lossless=True)
add("png-green-index-0.png", "PNG, palette whose vivid green entry 0 is transparent",
    files.png((smooth * 3).astype(int), 3, 2, before=[
        files.chunk("PLTE", bytes([0, 255, 0, 200, 30, 30, 30, 30, 200, 240, 240, 240])), files.chunk("tRNS", b"\0")]),
    lossless=True)
cells = np.zeros((96, 96, 4), np.uint8)
yy, xx = np.mgrid[0:96, 0:96]
cells[(xx // 3 + yy // 3) % 2 == 0] = (255, 0, 0, 0)
cells[(xx // 3 + yy // 3) % 2 == 1] = (0, 0, 255, 255)
add("png-halo.png", "PNG, a checkerboard of transparent red and opaque blue", files.png(cells, 6, 8), lossless=True)
add("png-ramp-16.png", "PNG, a ramp of grey in 16 bits",
    files.png(np.tile(np.linspace(0, 65535, 256).astype(int), (32, 1)), 0, 16), lossless=True)
still = [files.chunk("acTL", struct.pack(">II", 2, 0)),
         files.chunk("fcTL", struct.pack(">IIIIIHHBB", 0, width, height, 0, 0, 1, 10, 0, 0))]
second = [files.chunk("fcTL", struct.pack(">IIIIIHHBB", 1, width, height, 0, 0, 1, 10, 0, 0)),
          files.chunk("fdAT", struct.pack(">I", 2) + zlib.compress(files.packed(255 - rgb.reshape(height, -1), 8)))]
add("png-animated.png", "animated PNG: its default picture", files.png(rgb, 2, 8, before=still, after=second), lossless=True)
add("png-icc-p3.png", "PNG, Display P3", files.png(rgb, 2, 8, before=[files.iccp(p3)]), lossless=True)
add("png-icc-p3-alpha.png", "PNG, Display P3 with alpha", files.png(rgba, 6, 8, before=[files.iccp(p3)]), lossless=True)
add("png-icc-p3-16.png", "PNG, Display P3 in 16 bits", files.png(rgb.astype(int) * 257, 2, 16, before=[files.iccp(p3)]), lossless=True)
add("png-icc-gray.png", "PNG, grey with its profile", files.png(luma, 0, 8, before=[files.iccp(files.gray())]), lossless=True)
add("png-icc-broken.png", "PNG, ICC profile of nonsense (ignored)",
    files.png(rgb, 2, 8, before=[files.iccp(b"nonsense" * 50)]), lossless=True)
add("png-icc-wrong-crc.png", "PNG, ICC profile with a wrong checksum (used all the same)",
    files.png(rgb, 2, 8, before=[files.iccp(p3, wrong=True)]), ("vips",), lossless=True, why="Pillow refuses it")
bare = files.png(rgb, 2, 8)
add("png-iend-missing.png", "PNG without IEND, all rows there", files.png(rgb, 2, 8, end=False), lossless=True)
add("png-trailing-garbage.png", "PNG, bytes behind its end", bare + b"trailing", lossless=True)
add("png-text-wrong-crc.png", "PNG, text with a wrong checksum",
    files.png(rgb, 2, 8, before=[files.chunk("tEXt", b"a\0b", wrong=True)]), ("vips",), lossless=True, why="Pillow refuses it")
add("png-truncated.png", "PNG cut in its pixels", bare[:len(bare) * 2 // 3], code="truncated")
add("png-wrong-crc.png", "PNG, wrong checksum of its pixels", files.png(rgb, 2, 8, pieces=4, wrong_pixels=True), code="corrupt")
add("png-50000.png", "PNG of one bit that claims 50000×50000", files.png(np.zeros((1, 1), int), 0, 1, size=(50000, 50000)),
    code="too-many-pixels")
hand = "hand computation (PNGColorTests)"
add("png-gamma-1.png", "PNG, gAMA of 1", files.png(rgb, 2, 8, before=[files.gama(1)]), (), why=hand)
add("png-gamma-srgb.png", "PNG, gAMA of 1/2.2 (taken for sRGB)", files.png(rgb, 2, 8, before=[files.gama(0.45455)]), lossless=True)
add("png-chrm.png", "PNG, gAMA of 1/2.2 and cHRM of Display P3",
    files.png(rgb, 2, 8, before=[files.gama(0.45455), files.chrm(files.D65_XY, *files.P3_PRIMARIES)]), (), why=hand)
add("png-srgb-before-gamma.png", "PNG, sRGB goes before gAMA",
    files.png(rgb, 2, 8, before=[files.gama(1), files.chunk("sRGB", b"\0")]), lossless=True)
add("png-icc-before-srgb.png", "PNG, iCCP goes before gAMA", files.png(rgb, 2, 8, before=[files.gama(1), files.iccp(p3)]),
    lossless=True)
add("png-cicp-srgb.png", "PNG, cICP of sRGB goes before iCCP",
    files.png(rgb, 2, 8, before=[files.chunk("cICP", bytes([1, 13, 0, 1])), files.iccp(files.exchanged())]), (), why=hand)
add("png-cicp-p3.png", "PNG, cICP of Display P3", files.png(rgb, 2, 8, before=[files.chunk("cICP", bytes([12, 13, 0, 1]))]),
    (), why=hand)
add("png-cicp-pq.png", "PNG, cICP of BT.2100 PQ", files.png(rgb, 2, 8, before=[files.chunk("cICP", bytes([9, 16, 0, 1]))]),
    (), why=hand)
add("png-cicp-hlg.png", "PNG, cICP of BT.2100 HLG", files.png(rgb, 2, 8, before=[files.chunk("cICP", bytes([9, 18, 0, 1]))]),
    (), why=hand)

# ---- WebP

for quality in (20, 60, 95):
    for method in (0, 6):
        add(f"webp-lossy-q{quality}-m{method}.webp", f"WebP, lossy, quality {quality}, method {method}",
            saved(rgb, "WEBP", quality=quality, method=method))
    add(f"webp-alpha-q{quality}.webp", f"WebP, lossy with alpha, quality {quality}",
        saved(rgba, "WEBP", quality=quality, exact=True))
for method in (0, 4, 6):
    add(f"webp-lossless-m{method}.webp", f"WebP, lossless, method {method}",
        saved(rgb, "WEBP", lossless=True, method=method), lossless=True)
    add(f"webp-lossless-alpha-m{method}.webp", f"WebP, lossless with alpha, method {method}",
        saved(rgba, "WEBP", lossless=True, method=method, exact=True), lossless=True)
source = os.path.join(folder, "source.ppm")
with open(source, "wb") as file:
    file.write(b"P6\n%d %d\n255\n" % (width, height) + rgb.tobytes())
for name, options in [("segments", ["-segments", "4", "-sns", "100"]), ("simple-filter", ["-nostrong", "-f", "80"]),
                      ("sharp", ["-sharpness", "7", "-f", "60"]), ("sharp-yuv", ["-sharp_yuv"]),
                      ("near-lossless", ["-near_lossless", "40"]), ("partitions", ["-partition_limit", "80"])]:
    made = subprocess.run(["cwebp", "-quiet", *options, source, "-o", "-"], capture_output=True, check=True).stdout
    add(f"webp-{name}.webp", f"WebP, {' '.join(options)}", made)
os.remove(source)
few = Image.fromarray(rgb).quantize(12).convert("RGB")
add("webp-lossless-palette.webp", "WebP, lossless of few colours", saved(few, "WEBP", lossless=True), lossless=True)
for size in [(1, 1), (1, 200), (200, 1), (17, 15), (640, 416)]:
    for lossless in (False, True):
        add(f"webp-size-{size[0]}x{size[1]}{'-lossless' if lossless else ''}.webp",
            f"WebP of {size[0]}×{size[1]}, {'lossless' if lossless else 'lossy'}",
            saved(piece(*size), "WEBP", lossless=lossless, quality=90), lossless=lossless)
for lossless in (False, True):
    tail, words = ("-lossless", "lossless") if lossless else ("", "lossy")
    data = saved(rgb, "WEBP", lossless=lossless, quality=92)
    with_alpha = saved(rgba, "WEBP", lossless=lossless, quality=92, exact=True)
    add(f"webp-icc{tail}.webp", f"WebP, {words}, Display P3", files.extended(data, (width, height), profile=p3), lossless=lossless)
    add(f"webp-icc-exchanged{tail}.webp", f"WebP, {words}, red and blue exchanged by its profile",
        files.extended(data, (width, height), profile=files.exchanged()), lossless=lossless)
    add(f"webp-icc-alpha{tail}.webp", f"WebP, {words} with alpha, Display P3",
        files.extended(with_alpha, (width, height), profile=p3), lossless=lossless)
    canvas = (width + 40, height + 30)
    add(f"webp-animated{tail}.webp", f"animated WebP, {words}, first frame smaller than its canvas",
        files.riff(files.vp8x(canvas, 0x12), files.riff_chunk("ANIM", bytes(6)),
                   files.frame(data, 20, 10, (width, height)), files.frame(data, 0, 0, (width, height))),
        lossless=lossless)
    add(f"webp-animated-alpha{tail}.webp", f"animated WebP, {words} with alpha, first frame as large as its canvas",
        files.riff(files.vp8x((width, height), 0x12), files.riff_chunk("ANIM", bytes(6)),
                   files.frame(with_alpha, 0, 0, (width, height)), files.frame(data, 0, 0, (width, height))),
        lossless=lossless)
    add(f"webp-truncated{tail}.webp", f"WebP, {words}, cut in its pixels", data[:len(data) * 2 // 3], code="truncated")
    add(f"webp-wrong-length{tail}.webp", f"WebP, {words}, of a RIFF that says 0xfffffff0 bytes",
        data[:4] + b"\xf0\xff\xff\xff" + data[8:], code=None, oracles=(), why="libwebp alone decides")

# ---- What is no picture, or of a format that is not decoded

for name, words, data, code in [
        ("html.jpg", "an HTML page", b"<!DOCTYPE html><html><body>404</body></html>", "not-an-image"),
        ("xml.png", "an XML document", b"<?xml version='1.0'?><error>no</error>", "not-an-image"),
        ("json.webp", "JSON", b'{"error": "not found"}', "not-an-image"),
        ("svg.png", "SVG", b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "unsupported-format"),
        ("gif.jpg", "GIF", saved(luma, "GIF"), "unsupported-format"),
        ("tiff.jpg", "TIFF", saved(rgb, "TIFF"), "unsupported-format"),
        ("bmp.png", "BMP", saved(rgb, "BMP"), "unsupported-format"),
        ("ico.png", "ICO", saved(rgb, "ICO"), "unsupported-format"),
        ("avif.jpg", "AVIF", b"\0\0\0\x1cftypavif\0\0\0\0mif1miafMA1B", "unsupported-format"),
        ("heic.jpg", "HEIC", b"\0\0\0\x18ftypmif1\0\0\0\0heicmif1", "unsupported-format"),
        ("jxl.jpg", "JPEG XL", b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\0", "unsupported-format"),
        ("pdf.jpg", "PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "not-an-image"),
        ("gzip.jpg", "gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"x" * 30, "not-an-image"),
        ("zip.jpg", "zip", b"PK\x03\x04" + b"\x14\0" * 20, "not-an-image"),
        ("mp4.jpg", "a video", b"\0\0\0\x18ftypisom\0\0\2\0isommp41", "not-an-image"),
        ("text.jpg", "text", b"Forbidden\x07\r\n", "not-an-image"),
        ("empty.jpg", "an empty file", b"", "not-an-image")]:
    add("other-" + name, words, data, code=code)
add("lies-png.jpg", "PNG with the name of a JPEG", bare, lossless=True)
lines.close()
