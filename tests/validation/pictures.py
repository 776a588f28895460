"""Pixels of the pictures that tomolens-cli writes; ValueError where a file is
of another kind."""

import struct
import zlib


def read_tiff(path):
    """Shape and pixel bytes of an uncompressed little-endian TIFF file."""
    blob = path.read_bytes()
    if blob[:4] != b"II*\0":
        raise ValueError(f"{path.name}: no little-endian TIFF file")
    place, = struct.unpack_from("<I", blob, 4)
    n_tags, = struct.unpack_from("<H", blob, place)
    tags = {}
    for k in range(n_tags):
        at = place + 2 + 12 * k
        tag, kind, n = struct.unpack_from("<HHI", blob, at)
        if kind in (3, 4):
            code = "H" if kind == 3 else "I"
            if n * struct.calcsize(code) > 4:
                at = struct.unpack_from("<I", blob, at + 8)[0] - 8
            tags[tag] = struct.unpack_from(f"<{n}{code}", blob, at + 8)
    if tags.get(259, (1,)) != (1,) or struct.unpack_from(
            "<I", blob, place + 2 + 12 * n_tags) != (0,):
        raise ValueError(f"{path.name}: compressed, or more than one page")
    shape = tuple(tags[tag][0] for tag in (256, 257, 258, 339))
    pixels = b"".join(blob[at:at + n] for at, n in zip(tags[273], tags[279]))
    if len(pixels) * 8 != shape[0] * shape[1] * shape[2]:
        raise ValueError(f"{path.name}: {len(pixels)} bytes of pixels")
    return shape, pixels


def unfilter_png_row(kind, row, above, step):
    """Undoes the row filter of PNG; @step is the bytes of a pixel."""
    for k, value in enumerate(row):
        a = row[k - step] if k >= step else 0
        b, c = above[k], above[k - step] if k >= step else 0
        if kind == 4:
            nearest = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
            guess = (a, b, c)[nearest.index(min(nearest))]
        else:
            guess = (0, a, b, (a + b) // 2)[kind]
        row[k] = (value + guess) % 256


def read_png(path):
    """Shape and pixel bytes of a PNG file of 8 bits a channel."""
    blob = path.read_bytes()
    place, packed, shape = 8, b"", None
    while place < len(blob):
        length, kind = struct.unpack_from(">I4s", blob, place)
        if kind == b"IHDR":
            shape = struct.unpack_from(">IIBB", blob, place + 8)
        elif kind == b"IDAT":
            packed += blob[place + 8:place + 8 + length]
        place += length + 12
    n_cols, n_rows, bits, colour = shape
    if bits != 8 or colour not in (0, 2, 4, 6):
        raise ValueError(f"{path.name}: {bits} bits, colour type {colour}")
    step = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    stride = n_cols * step
    plain = zlib.decompress(packed)
    above, pixels = bytearray(stride), bytearray()
    for k in range(n_rows):
        at = k * (stride + 1)
        row = bytearray(plain[at + 1:at + 1 + stride])
        unfilter_png_row(plain[at], row, above, step)
        pixels += row
        above = row
    return shape, bytes(pixels)
