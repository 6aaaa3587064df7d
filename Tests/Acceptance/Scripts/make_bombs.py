"""Makes small files that claim or unpack to something huge. make_bombs.py FOLDER"""
import io
import os
import struct
import sys
import zlib

import numpy as np
from PIL import Image

import picture_files as files

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def write(name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def jpeg(size, **options):
    out = io.BytesIO()
    Image.fromarray(np.full((size, size, 3), 90, np.uint8)).save(out, "JPEG", **options)
    return out.getvalue()


def claiming(data, size):
    return b"".join(b[:5] + struct.pack(">HH", size, size) + b[9:] if m in (0xc0, 0xc2) else b for m, b in files.segments(data))


# A gibibyte of zeros. Behind a full flush nothing refers to what is before, so that one piece can stand 1,024 times.
coder = zlib.compressobj(9, wbits=-15)
piece = coder.compress(bytes(1 << 20)) + coder.flush(zlib.Z_FULL_FLUSH)
packed = b"\x78\xda" + piece * 1024 + coder.flush() + struct.pack(">HH", (1 << 30) % 65521, 1)
pixels = np.full((8, 8, 3), 90, np.uint8)
write("tiny.png", files.png(pixels, 2, 8))
write("claims.jpg", claiming(jpeg(200, quality=95), 64250)[:5000])
write("claims.png", files.png(np.zeros((1, 1), int), 0, 1, size=(50000, 50000)))
scan = b"\xff\xda\x00\x08\x01\x01\x00\x01\x05\x00\x7f"
write("scans.jpg", jpeg(64, progressive=True)[:-2] + scan * 1000 + b"\xff\xd9")
write("text.png", files.png(pixels, 2, 8, before=[files.chunk("zTXt", b"Comment\0\0" + packed)]))
write("late-text.png", files.png(pixels, 2, 8, after=[files.chunk("iTXt", b"Comment\0\1\0\0\0" + packed)]))
write("profile.png", files.png(pixels, 2, 8, before=[files.chunk("iCCP", b"profile\0\0" + packed)]))
