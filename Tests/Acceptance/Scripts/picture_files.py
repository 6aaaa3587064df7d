"""Writes picture files by their specifications: PNG chunk by chunk, JPEG segments, RIFF chunks, TIFF blocks, ICC profiles."""
import struct
import zlib

import numpy as np

ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


# PNG (third edition)

def chunk(kind, data, wrong=False):
    body = kind.encode() + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body) ^ (1 if wrong else 0))


def packed(samples, depth):
    """Rows of samples (rows × columns·channels) as bytes, each row with the filter byte 0."""
    rows = []
    for row in samples:
        if depth == 16:
            data = np.asarray(row, dtype=">u2").tobytes()
        elif depth == 8:
            data = np.asarray(row, dtype=np.uint8).tobytes()
        else:
            bits = ((np.asarray(row)[:, None] >> np.arange(depth - 1, -1, -1)) & 1).astype(np.uint8).reshape(-1)
            data = np.packbits(bits).tobytes()
        rows.append(b"\0" + data)
    return b"".join(rows)


def png(samples, color, depth, interlaced=False, before=(), after=(), size=None, scanlines=None, pieces=1,
        wrong_pixels=False, end=True):
    """A PNG of `samples`: rows × columns × channels."""
    height, width = samples.shape[:2]
    if scanlines is None:
        scanlines = b""
        for x, y, step_x, step_y in (ADAM7 if interlaced else [(0, 0, 1, 1)]):
            part = samples[y::step_y, x::step_x]
            if part.size:
                scanlines += packed(part.reshape(part.shape[0], -1), depth)
    width, height = size or (width, height)
    data = zlib.compress(scanlines, 6)
    cuts = [len(data) * i // pieces for i in range(pieces + 1)]
    return (b"\x89PNG\r\n\x1a\n" + chunk("IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced))
            + b"".join(before) + b"".join(chunk("IDAT", data[a:b], wrong_pixels and i == pieces // 2)
                                         for i, (a, b) in enumerate(zip(cuts, cuts[1:])))
            + b"".join(after) + (chunk("IEND", b"") if end else b""))


def chrm(white, red, green, blue):
    return chunk("cHRM", struct.pack(">8i", *[round(v * 100000) for p in (white, red, green, blue) for v in p]))


def gama(value):
    return chunk("gAMA", struct.pack(">I", round(value * 100000)))


def iccp(profile, **options):
    return chunk("iCCP", b"profile\0\0" + zlib.compress(profile), **options)


# TIFF blocks of EXIF

def tiff(orientation, order="<", damaged=False):
    """A TIFF block with an orientation; `damaged`: the entry behind it reaches beyond the block."""
    entries = struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)
    if damaged:
        entries += struct.pack(order + "HHII", 0x8769, 4, 1, 0x7fffffff)
    return ((b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8)
            + struct.pack(order + "H", len(entries) // 12 + (3 if damaged else 0)) + entries
            + (b"" if damaged else b"\0\0\0\0"))


# JPEG (ITU-T T.81)

def segment(marker, data):
    return bytes([0xff, marker]) + struct.pack(">H", len(data) + 2) + data


def segments(data):
    """The segments of a JPEG as (marker, bytes), the last one with everything from the first scan on."""
    found, at = [(0xd8, data[:2])], 2
    while data[at + 1] != 0xda:
        length = struct.unpack(">H", data[at + 2:at + 4])[0]
        found.append((data[at + 1], data[at:at + 2 + length]))
        at += 2 + length
    return found + [(0xda, data[at:])]


def with_segments(data, *extra, drop=()):
    """A JPEG with segments behind its start, without those of some markers."""
    found = segments(data)
    return b"".join([found[0][1]] + list(extra) + [b for m, b in found[1:] if m not in drop])


def exif(block):
    return segment(0xe1, b"Exif\0\0" + block)


def icc_segments(profile, parts=1, order=None, missing=()):
    size = (len(profile) + parts - 1) // parts
    made = [segment(0xe2, b"ICC_PROFILE\0" + bytes([i + 1, parts]) + profile[i * size:(i + 1) * size])
            for i in range(parts) if i not in missing]
    return [made[i] for i in order] if order else made


def adobe(transform):
    return segment(0xee, b"Adobe\0\x64\0\0\0\0" + bytes([transform]))


# WebP (RFC 9649)

def riff(*chunks):
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def riff_chunk(kind, data):
    return kind.encode() + struct.pack("<I", len(data)) + data + (b"\0" if len(data) % 2 else b"")


def riff_chunks(data):
    found, at = {}, 12
    while at < len(data):
        size = struct.unpack("<I", data[at + 4:at + 8])[0]
        found[data[at:at + 4].decode()] = data[at + 8:at + 8 + size]
        at += 8 + size + size % 2
    return found


def vp8x(size, flags):
    return riff_chunk("VP8X", struct.pack("<I", flags) + (size[0] - 1).to_bytes(3, "little")
                      + (size[1] - 1).to_bytes(3, "little"))


def extended(data, size, exif_block=None, profile=None):
    """A still WebP with metadata around its coded picture."""
    chunks = riff_chunks(data)
    flags = (0x20 if profile else 0) | (0x08 if exif_block else 0)
    lossless = "VP8L" in chunks
    if "ALPH" in chunks or lossless and chunks["VP8L"][4] & 0x10:
        flags |= 0x10
    parts = [vp8x(size, flags)] + ([riff_chunk("ICCP", profile)] if profile else [])
    parts += [riff_chunk(k, chunks[k]) for k in ("ALPH", "VP8 ", "VP8L") if k in chunks]
    return riff(*parts, *([riff_chunk("EXIF", exif_block)] if exif_block else []))


def frame(data, left, top, size):
    """An ANMF chunk of a still WebP."""
    chunks = riff_chunks(data)
    coded = b"".join(riff_chunk(k, chunks[k]) for k in ("ALPH", "VP8 ", "VP8L") if k in chunks)
    three = lambda value: value.to_bytes(3, "little")
    return riff_chunk("ANMF", three(left // 2) + three(top // 2) + three(size[0] - 1) + three(size[1] - 1)
                      + three(100) + b"\0" + coded)


# ICC profiles (ICC.1:2001-04, version 2)

D50 = (0.9642, 1.0, 0.8249)


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def xyz_tag(values):
    return b"XYZ \0\0\0\0" + b"".join(map(fixed, values))


def curve_tag(curve):
    """A gamma, or a table of 16-bit values."""
    if isinstance(curve, (int, float)):
        return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(curve * 256))
    return b"curv\0\0\0\0" + struct.pack(">I", len(curve)) + struct.pack(">%dH" % len(curve), *curve)


def profile(space, tags, kind="mntr", connection="XYZ "):
    text = b"made by hand\0"
    tags = dict(tags, desc=b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78 - 0),
                cprt=b"text\0\0\0\0none\0", wtpt=xyz_tag(D50))
    table, data = b"", b""
    start = 128 + 4 + 12 * len(tags)
    for name, tag in tags.items():
        table += name.encode() + struct.pack(">II", start + len(data), len(tag))
        data += tag + bytes(-len(tag) % 4)
    head = bytearray(128)
    head[0:4] = struct.pack(">I", start + len(data))
    head[8:12] = b"\x02\x40\0\0"
    head[12:24] = kind.encode() + space.encode() + connection.encode()
    head[24:36] = struct.pack(">6H", 2024, 1, 1, 0, 0, 0)
    head[36:40] = b"acsp"
    head[68:80] = b"".join(map(fixed, D50))
    return bytes(head) + struct.pack(">I", len(tags)) + table + data


def srgb_curve(count=1024):
    values = np.arange(count) / (count - 1)
    light = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return [int(v) for v in np.round(light * 65535)]


def primaries_matrix(red, green, blue, white):
    """Columns: the XYZ of the primaries, adapted from `white` to D50 by Bradford's matrix."""
    to_xyz = lambda p: np.array([p[0] / p[1], 1, (1 - p[0] - p[1]) / p[1]])
    columns = np.stack([to_xyz(p) for p in (red, green, blue)], axis=1)
    columns = columns * np.linalg.solve(columns, to_xyz(white))
    bradford = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    scale = (bradford @ np.array(D50)) / (bradford @ to_xyz(white))
    return np.linalg.inv(bradford) @ np.diag(scale) @ bradford @ columns


def matrix_profile(red, green, blue, white, curve):
    matrix = primaries_matrix(red, green, blue, white)
    tags = {name: xyz_tag(matrix[:, i]) for i, name in enumerate(("rXYZ", "gXYZ", "bXYZ"))}
    tags.update({name: curve_tag(curve) for name in ("rTRC", "gTRC", "bTRC")})
    return profile("RGB ", tags)


D65_XY, D50_XY = (0.3127, 0.3290), (0.3457, 0.3585)
SRGB_PRIMARIES = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
P3_PRIMARIES = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))


def display_p3():
    return matrix_profile(*P3_PRIMARIES, D65_XY, srgb_curve())


def adobe_rgb():
    return matrix_profile((0.64, 0.33), (0.21, 0.71), (0.15, 0.06), D65_XY, 563 / 256)


def prophoto():
    return matrix_profile((0.7347, 0.2653), (0.1596, 0.8404), (0.0366, 0.0001), D50_XY, 1.8)


def exchanged():
    return matrix_profile(SRGB_PRIMARIES[2], SRGB_PRIMARIES[1], SRGB_PRIMARIES[0], D65_XY, srgb_curve())


def srgb():
    return matrix_profile(*SRGB_PRIMARIES, D65_XY, srgb_curve())


def gray(gamma=1.8):
    return profile("GRAY", {"kTRC": curve_tag(gamma)})


def cmyk():
    """Inks by a table of 5⁴ colours in Lab (lut16Type): the plain formula, with inks that are less than perfect."""
    grid = np.linspace(0, 1, 5)
    c, m, y, k = np.meshgrid(grid, grid, grid, grid, indexing="ij")
    ink = np.stack([c, m, y], axis=-1)
    light = np.prod(1 - ink[..., None, :] * np.array([[0.95, 0.15, 0.05], [0.35, 0.85, 0.10], [0.15, 0.40, 0.90]]), -1)
    light = light * (1 - 0.96 * k[..., None])
    matrix = primaries_matrix(*SRGB_PRIMARIES, D65_XY)
    ratio = (light @ matrix.T) / np.array(D50)
    cube = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    lab = np.stack([116 * cube[..., 1] - 16, 500 * (cube[..., 0] - cube[..., 1]), 200 * (cube[..., 1] - cube[..., 2])], -1)
    # The encoding of version 2: 65280 is 100, and 32768 is 0.
    coded = np.stack([lab[..., 0] * 652.8, (lab[..., 1] + 128) * 256, (lab[..., 2] + 128) * 256], -1)
    table = np.clip(np.round(coded), 0, 65535).astype(">u2").tobytes()
    identity = struct.pack(">2H", 0, 65535)
    lut = (b"mft2\0\0\0\0" + bytes([4, 3, 5, 0]) + b"".join(map(fixed, (1, 0, 0, 0, 1, 0, 0, 0, 1)))
           + struct.pack(">HH", 2, 2) + identity * 4 + table + identity * 3)
    return profile("CMYK", {"A2B0": lut}, kind="prtr", connection="Lab ")
