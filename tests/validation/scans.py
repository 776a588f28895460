"""Scans with the faults of real ones, in the TIFF formats that are read."""

import math
import random
import struct
import zlib

DEFLATE = 8         # as TIFF numbers it; 1 is no compression


def write_tiff(path, pages, order="<", code="H", compression=1):
    """Writes pages of rows of numbers; @order and @code are those of struct."""
    blob = bytearray((b"II" if order == "<" else b"MM")
                     + struct.pack(order + "HI", 42, 0))
    link = 4
    for rows in pages:
        pixels = b"".join(struct.pack(f"{order}{len(row)}{code}", *row)
                          for row in rows)
        if compression == DEFLATE:
            pixels = zlib.compress(pixels)
        place = len(blob)
        blob += pixels + b"\0" * (len(pixels) % 2)
        struct.pack_into(order + "I", blob, link, len(blob))
        long_tags = {256: len(rows[0]), 257: len(rows), 273: place,
                     278: len(rows), 279: len(pixels)}
        sample_format = 3 if code in "fd" else 2 if code.islower() else 1
        tags = {258: 8 * struct.calcsize(order + code), 259: compression,
                262: 1, 277: 1, 339: sample_format}
        blob += struct.pack(order + "H", len(long_tags) + len(tags))
        for tag in sorted([*long_tags, *tags]):
            if tag in tags:
                blob += struct.pack(order + "HHIHH", tag, 3, 1, tags[tag], 0)
            else:
                blob += struct.pack(order + "HHII", tag, 4, 1, long_tags[tag])
        link = len(blob)
        blob += b"\0\0\0\0"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(blob)


def integrate_discs(row, col, angle_rad):
    """Attenuation of three discs, of which one ends half-way up."""
    total = 0.0
    for x, y, radius, value, last_row in ((0, 0, 40, 0.02, 9),
                                          (14, -9, 11, 0.05, 9),
                                          (-17, 12, 7, 0.09, 2)):
        away = col - 49.4 - x * math.cos(angle_rad) - y * math.sin(angle_rad)
        if row <= last_row and abs(away) < radius:
            total += 2 * value * math.sqrt(radius * radius - away * away)
    return total


def make_spoilt_scans(folder):
    """Writes a scan with rings, zingers, noise, a dead and a saturated column:
    as a folder of TIFF files, as stacks, and one row of it as a sinogram, once
    for each type of sample and once with NaN."""
    chance = random.Random(7)
    n_projections, n_rows, n_cols = 90, 6, 97
    gain = [[12000 + 40 * row + (700 if col % 23 == 5 else 0)
             + chance.randrange(400) for col in range(n_cols)]
            for row in range(n_rows)]
    darks = [[[100 + (row + col + k) % 5 for col in range(n_cols)]
              for row in range(n_rows)] for k in range(3)]
    flats = [[[100 if col == 71 else 100 + count + chance.randrange(90)
               for col, count in enumerate(counts)] for counts in gain]
             for _ in range(4)]
    projections = []
    for k in range(n_projections):
        angle_rad = math.pi * k / n_projections
        picture = [[100 + int(count * math.exp(
                        -integrate_discs(row, col, angle_rad)))
                    + chance.randrange(60) for col, count in enumerate(counts)]
                   for row, counts in enumerate(gain)]
        for counts in picture:
            counts[30] += 300                   # a ring
            counts[71] = 100                    # dead
            counts[90] = 65535                  # saturated
            if chance.random() < 0.2:
                counts[chance.randrange(n_cols)] += 25000       # a zinger
        picture = [[min(count, 65535) for count in counts]
                   for counts in picture]
        projections.append(picture)
        write_tiff(folder / "spoilt" / f"scan_{k:03}.tif", [picture])
    for k, dark in enumerate(darks):
        write_tiff(folder / "spoilt" / "darks" / f"dark_{k}.tif", [dark])
    for k, flat in enumerate(flats):
        write_tiff(folder / "spoilt" / "flats" / f"flat_{k}.tif", [flat], ">")
    (folder / "spoilt" / "angles.txt").write_text(
        "".join(f"{2 * k}\n" for k in range(n_projections)))
    write_tiff(folder / "stack" / "scan.tif", projections)
    write_tiff(folder / "stack" / "flats.tif", flats)
    write_tiff(folder / "stack" / "darks.tif", darks)
    write_tiff(folder / "packed" / "scan.tif", projections,
               compression=DEFLATE)
    for code, high in zip("BbHhIid", (255, 127, 60000, 30000, 4e9, 2e9, 1)):
        scaled = [[count / 65535 * high for count in picture[2]]
                  for picture in projections]
        write_tiff(folder / f"sinogram-{code}.tif",
                   [scaled if code == "d" else
                    [[int(value) for value in row] for row in scaled]],
                   code=code)
    sinogram = [[-math.log(picture[2][col] / 13000) for col in range(n_cols)]
                for picture in projections]
    for _ in range(40):
        sinogram[chance.randrange(n_projections)][chance.randrange(n_cols)] = \
            math.nan
    write_tiff(folder / "sinogram.tif", [sinogram], ">", "f")
