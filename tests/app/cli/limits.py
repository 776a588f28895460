"""Scans of sizes at the limits: an answer or a refusal in one sentence, soon and
in little memory. Usage: limits.py PROGRAM

The files are sparse: their sizes are real, their samples take no room on the
disk. "short" has the beginning only, and a header that pretends the rest."""

import json
import os
import pathlib
import resource
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from cases import Skip, need, run  # noqa: E402

PROGRAM = sys.argv[1]
# Time of the processor, because the machine may be busy with other tests.
LIMIT_S = 2
MANY_LIMIT_S = 10  # with a million projections, which have to be sorted
MAX_MIB = 400
# of address space: 128 threads have stacks
LIMIT_MIB = 6000

SHAPES = [
    (1, 1, 1),
    (1, 7, 9),
    (9, 1, 1),
    (3, 2, 65535),
    (3, 65535, 2),
    (65535, 2, 3),
    (300, 3000, 3000),   # beyond 2^31 samples
    (2, 65535, 65535),   # beyond 2^32
    (600, 3000, 3000),   # beyond 2^32
    (1 << 21, 1 << 10, 1 << 10),  # 2^41
    (1 << 32, 1, 1),
    (1, 1 << 32, 1),
    (1, 1, 1 << 32),
    (1, 1, (1 << 62) + 1),
    (1 << 40, 1 << 40, 1 << 40),
]
LARGEST = 1 << 43  # bytes that the file systems of today can pretend


def grow(path, header, n_bytes, is_short):
    """Writes @header and so many bytes of zeros."""
    with open(path, "wb") as f:
        f.write(header)
        size = len(header) + (min(n_bytes, 1000) if is_short else n_bytes)
        if size > LARGEST:
            raise Skip("no file can be that long")
        try:
            f.truncate(size)
        except OSError as why:
            raise Skip(f"no file can be that long here: {why}") from None


def count(shape, size=2):
    return shape[0] * shape[1] * shape[2] * size


def make_hdf5(folder, shape, is_short):
    h5py = need("h5py")
    path = folder / "scan.h5"
    if is_short and count(shape) >= 1 << 62:
        raise Skip("HDF5 makes no such chunks")
    try:
        with h5py.File(path, "w") as f:
            f.create_dataset("/exchange/data", shape, "u2", **(
                {"chunks": (1, 1, min(shape[2], 1 << 20))} if is_short else {}))
    except (ValueError, OverflowError, OSError) as why:
        raise Skip(f"h5py makes no such file: {why}") from None
    if not is_short and count(shape) < LARGEST:
        with h5py.File(path, "r+") as f:
            f["/exchange/data"][-1, -1, -1] = 1
    return [path]


def make_zarr(folder, shape, is_short):
    path = folder / "scan.zarr"
    path.mkdir()
    path.joinpath(".zarray").write_text(json.dumps({
        "zarr_format": 2, "shape": shape, "dtype": "<u2", "order": "C",
        "chunks": [1, *shape[1:]] if is_short else [1, 1, min(shape[2], 4096)],
        "compressor": None, "filters": None, "fill_value": 0}))
    return [path]


def make_tiff(folder, shape, is_short):
    """One image for the first 20 projections, all with the same samples"""
    n, rows, cols = min(shape[0], 20), *shape[1:]
    if max(rows, cols) >= 1 << 32:
        raise Skip("a TIFF has no such sizes")
    path = folder / "scan.tif"
    bytes_ = rows * cols * 2
    ifds = b""
    for i in range(n):
        tags = [(256, 4, cols), (257, 4, rows), (258, 3, 16), (259, 3, 1),
                (262, 3, 1), (273, 16, 16 + 8192), (277, 3, 1),
                (278, 4, rows), (279, 16, bytes_)]
        ifd = struct.pack("<Q", len(tags))
        for tag, kind, value in tags:
            ifd += struct.pack("<HHQQ", tag, kind, 1, value)
        at = 16 + len(ifds) + len(ifd) + 8
        ifds += ifd + struct.pack("<Q", at if i + 1 < n else 0)
    header = struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16) + ifds
    grow(path, header.ljust(16 + 8192, b"\0"), bytes_, is_short)
    return [path]


def make_tile(folder, shape, is_short):
    """A compressed image of one tile"""
    rows, cols = (-(-n // 16) * 16 for n in shape[1:])
    if max(rows, cols) >= 1 << 32:
        raise Skip("a TIFF has no such sizes")
    path = folder / "scan.tif"
    tags = [(256, 4, shape[2]), (257, 4, shape[1]), (258, 3, 16), (259, 3, 8),
            (262, 3, 1), (277, 3, 1), (322, 4, cols), (323, 4, rows),
            (324, 16, 16 + 8192), (325, 16, 100)]
    ifd = struct.pack("<Q", len(tags))
    for tag, kind, value in tags:
        ifd += struct.pack("<HHQQ", tag, kind, 1, value)
    header = struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16) + ifd + bytes(8)
    grow(path, header.ljust(16 + 8192, b"\0"), 100, is_short)
    return [path]


def make_edf(folder, shape, is_short):
    """At most 20 projections, because each has a header"""
    path = folder / "scan.edf"
    size = count((1, *shape[1:]))
    header = (f"{{\nHeaderID = EH:000001:000000:000000 ;\nImage = 1 ;\n"
              f"ByteOrder = LowByteFirst ;\nDataType = UnsignedShort ;\n"
              f"Dim_1 = {shape[2]} ;\nDim_2 = {shape[1]} ;\nSize = {size} ;\n")
    header = header.ljust(1022).encode() + b"}\n"
    n = 1 if is_short else min(shape[0], 20)
    grow(path, header, (n - 1) * (1024 + size) + size, is_short)
    with open(path, "r+b") as f:
        for i in range(n):
            f.seek(i * (1024 + size))
            f.write(header)
    return [path]


def make_fits(folder, shape, is_short):
    path = folder / "scan.fits"
    cards = ["SIMPLE  =                    T", "BITPIX  =                   16",
             "NAXIS   =                    3"]
    cards += [f"NAXIS{i}  = {n:20}" for i, n in enumerate(shape[::-1], 1)]
    header = "".join(c.ljust(80) for c in cards + ["END"])
    size = -(-count(shape) // 2880) * 2880
    grow(path, header.ljust(2880).encode(), size, is_short)
    return [path]


def make_nrrd(folder, shape, is_short):
    path = folder / "scan.nrrd"
    header = (f"NRRD0004\ntype: uint16\ndimension: 3\nsizes: {shape[2]} "
              f"{shape[1]} {shape[0]}\nendian: little\nencoding: raw\n\n")
    grow(path, header.encode(), count(shape), is_short)
    return [path]


def make_txrm(folder, shape, is_short):
    """At most one projection that is large: its header pretends"""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] /
                           "data" / "read" / "formats"))
    from txrm import write_txrm
    np = need("numpy")
    if max(shape) >= 1 << 31:
        raise Skip("the format has no such sizes")
    there = tuple(min(n, 9) for n in shape)
    names = ("NoOfImages", "ImageHeight", "ImageWidth")
    write_txrm(folder / "scan.txrm", np.zeros(there, "u2"), **{
        "ImageInfo_" + name: np.int32(n).tobytes()
        for name, n in zip(names, shape if is_short else there)})
    return [folder / "scan.txrm"]


def make_raw(folder, shape, is_short):
    path = folder / "scan.raw"
    grow(path, b"", count(shape), is_short)
    return ["--raw", f"{shape[2]}x{shape[1]}x{shape[0]}:uint16le", path]


MAKERS = {f.__name__[len("make_"):]: f for f in (
    make_hdf5, make_zarr, make_tiff, make_tile, make_edf, make_fits, make_nrrd,
    make_txrm, make_raw)}


def call(limit_s, *args):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_MIB << 20,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (2 * limit_s,) * 2)
    # to fill all memory that is freed would take most of the time
    environment = {k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"}
    with subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8",
                          env=environment, preexec_fn=limit) as process:
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds, mib = usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10
    print(f"# {args[0]}: {seconds:.2f} s, {mib} MiB, status"
          f" {process.returncode}"
          + (f": {said.strip().splitlines()[-1]}" if said else ""))
    sentences = [s for s in said.splitlines() if s.startswith("tomolens-cli: ")]
    assert process.returncode in (0, 1), said
    assert len(sentences) == process.returncode, said
    assert seconds < limit_s, f"{seconds} s"
    assert mib < MAX_MIB, f"{mib} MiB"


def check_size(folder, kind, size, state):
    shape = tuple(map(int, size.split("x")))
    scan = MAKERS[kind](folder, shape, state == "short")
    call(MANY_LIMIT_S if shape[0] > 1 << 20 else LIMIT_S, "info", *scan)
    if state == "whole" and count(shape) < 1 << 20:
        call(LIMIT_S, "recon", *scan, "-o", folder / "slice.tif")


def check_circles(folder):
    """A group that holds itself sixty times, as hard links can make it."""
    h5py = need("h5py")
    with h5py.File(folder / "scan.nxs", "w") as file:
        entry = file.create_group("entry")
        entry.attrs["NX_class"] = "NXentry"
        for k in range(60):
            entry[f"again{k}"] = entry
            entry[f"all{k}"] = file["/"]
        entry.create_dataset("frames", (10, 4, 16), "u2")
    call(LIMIT_S, "info", folder / "scan.nxs")


def check_angles(folder, n_bits):
    """Far more angles than projections."""
    h5py = need("h5py")
    with h5py.File(folder / "scan.h5", "w") as file:
        file.create_dataset("exchange/data", (10, 2, 16), "u2")
        file.create_dataset("exchange/theta", (1 << n_bits,), "f8",
                            chunks=(1 << 20,))
    call(LIMIT_S, "info", folder / "scan.h5")


CASES = [(check_circles,), (check_angles, 24), (check_angles, 36),
         (check_angles, 62)]
CASES += [(check_size, kind, "x".join(map(str, shape)), state)
          for kind in MAKERS for shape in SHAPES for state in ("whole", "short")]

if __name__ == "__main__":
    sys.exit(run(CASES))
