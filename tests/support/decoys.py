"""Writes a Data Exchange scan again as a folder of TIFF files, among images
that are none of its projections: decoys.py SCAN FOLDER

  proj_NNNN.tif       the projections
  proj_NNNN_bb.tif    every fifth one again, nearly black
  align_NNN.tif       some of them mirrored
  overview_NNN.tif    some in half the size
  flat_NN.tif         the flats
  closed/NN.tif       the darks, whose names do not say so

Exit status 77 where h5py is missing."""

import struct
import sys
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)


def write_tiff(path, image):
    """One strip of unsigned 16 bits, little-endian."""
    n_rows, n_cols = image.shape
    tags = [(256, n_cols), (257, n_rows), (258, 16), (259, 1), (262, 1),
            (273, 8), (277, 1), (278, n_rows), (279, image.nbytes), (339, 1)]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value)
                       for tag, value in tags)
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(struct.pack("<2sHI", b"II", 42, 8 + image.nbytes)
                     + image.astype("<u2").tobytes()
                     + struct.pack("<H", len(tags)) + entries + bytes(4))


with h5py.File(sys.argv[1]) as scan:
    data, flats, darks = (scan["/exchange/" + name][...]
                          for name in ("data", "data_white", "data_dark"))
FOLDER = Path(sys.argv[2])
for i, frame in enumerate(data):
    write_tiff(FOLDER / f"proj_{i:04}.tif", frame)
    if i % 5 == 0:
        write_tiff(FOLDER / f"proj_{i:04}_bb.tif", frame // 10)
for i, frame in enumerate(data[:3]):
    write_tiff(FOLDER / f"align_{i:03}.tif", frame[:, ::-1])
for i, frame in enumerate(data[:4]):
    write_tiff(FOLDER / f"overview_{i:03}.tif", frame[::2, ::2])
for i, frame in enumerate(flats):
    write_tiff(FOLDER / f"flat_{i:02}.tif", frame)
for i, frame in enumerate(darks):
    write_tiff(FOLDER / "closed" / f"{i:02}.tif", frame)
