"""Makes thumbnails of scans, of what is none, and of files that would take
long. Usage: thumbnail.py PROGRAM"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import need, need_tool, run, same

PROGRAM = os.path.realpath(sys.argv[1])
# seconds; a busy machine is slow
SOON, LIMIT = 5, 10


def call(folder, scan, *options):
    """Returns: the exit status, what was said, the seconds"""
    start = time.monotonic()
    done = subprocess.run([PROGRAM, "thumbnail", scan, "-o", folder / "t.png",
                           *options], capture_output=True, encoding="utf-8",
                          errors="replace", check=False)
    return done.returncode, done.stderr, time.monotonic() - start


def read(path):
    """Returns: the pixels of a PNG"""
    np = need("numpy")
    size = subprocess.run([need_tool("identify"), "-format", "%h %w %m", path],
                          check=True, capture_output=True, encoding="utf-8")
    rows, cols, kind = size.stdout.split()
    same(kind, "PNG")
    grey = subprocess.run(["convert", path, "-depth", "8", "gray:-"],
                          check=True, capture_output=True).stdout
    return np.frombuffer(grey, np.uint8).reshape(int(rows), int(cols))


def make_scan(path, pixels):
    h5py = need("h5py")
    with h5py.File(path, "w") as file:
        file["exchange/data"] = pixels
        file["exchange/theta"] = list(range(len(pixels)))
    return path


def refused(folder, scan, says, soon=SOON):
    status, said, seconds = call(folder, scan)
    same(status, 1, said)
    assert says in said, said
    assert seconds < soon, f"{seconds} s"
    assert not (folder / "t.png").exists()


def check_middle(folder):
    """Means of the middle projection, from the 0.5th to the 99.5th percentile
    of them; what a file manager has made under the name is replaced."""
    np = need("numpy")
    pixels = np.random.default_rng(1).integers(0, 60000, (5, 300, 600), "u2")
    scan = make_scan(folder / "scan.h5", pixels)
    (folder / "t.png").touch()
    same(call(folder, scan)[0], 1)
    same(call(folder, scan, "--overwrite", "--size", "60")[0], 0)
    small = pixels[2].reshape(30, 10, 60, 10).mean((1, 3))
    ordered = np.sort(small, None)
    low, high = (ordered[int(part * (small.size - 1))]
                 for part in (0.005, 0.995))
    want = np.clip((small - low) / (high - low), 0, 1) * 255
    got = read(folder / "t.png")
    same(got.shape, (30, 60))
    assert abs(got - want).max() < 0.6, abs(got - want).max()


def check_odd(folder):
    """Small, flat, and not finite."""
    np = need("numpy")
    flat = np.full((3, 7, 1000), 5, "f4")
    flat[1, 3, 500] = np.nan
    scan = make_scan(folder / "flat.h5", flat)
    same(call(folder, scan)[0], 0)
    same(read(folder / "t.png").shape, (2, 256))
    scan = make_scan(folder / "small.h5", np.arange(60).reshape(3, 4, 5))
    same(call(folder, scan, "--overwrite")[0], 0)
    same(read(folder / "t.png").shape, (4, 5))


def check_row(folder):
    """Of a scan of one row the sinogram is drawn."""
    np = need("numpy")
    row = np.random.default_rng(2).integers(0, 60000, (90, 1, 40), "u2")
    scan = make_scan(folder / "row.h5", row)
    same(call(folder, scan)[0], 0)
    same(read(folder / "t.png").shape, (90, 40))


def check_none(folder):
    """Files that are no scan."""
    h5py = need("h5py")
    (folder / "text.h5").write_text("no HDF5", encoding="utf-8")
    refused(folder, folder / "text.h5", "text.h5")
    (folder / "empty.h5").touch()
    refused(folder, folder / "empty.h5", "empty.h5")
    refused(folder, folder / "missing.h5", "missing.h5")
    with h5py.File(folder / "many.h5", "w", libver="latest") as file:
        for group in range(100):
            for number in range(100):
                file.create_group(f"{group}/{number}").attrs["n"] = number
        file["loop"] = h5py.SoftLink("/loop")
        file["self"] = file["/"]
    refused(folder, folder / "many.h5", "many.h5")


def check_large(folder):
    h5py = need("h5py")
    with h5py.File(folder / "large.h5", "w") as file:
        file.create_dataset("exchange/data", (4, 20000, 20000), "u1")
        file["exchange/theta"] = range(4)
    refused(folder, folder / "large.h5", "too many for a small picture")


def check_damaged(folder):
    """No damage ends the program by a signal."""
    np = need("numpy")
    whole = make_scan(folder / "whole.h5", np.ones((9, 20, 30), "u2"))
    content = whole.read_bytes()
    chance = random.Random(18)
    for number in range(60):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 40)):
            damaged[chance.randrange(min(len(damaged), 4000))] = \
                chance.randrange(256)
        if number % 3 == 0:
            del damaged[chance.randrange(len(damaged)):]
        (folder / "damaged.h5").write_bytes(damaged)
        status, said, seconds = call(folder, folder / "damaged.h5",
                                     "--overwrite")
        if status not in (0, 1) or seconds > LIMIT + SOON:
            yield f"{number}: status {status}, {seconds} s: {said}"


def check_endless(folder):
    """Samples in a pipe that nobody writes to."""
    h5py = need("h5py")
    os.mkfifo(folder / "pipe")
    with h5py.File(folder / "scan.h5", "w") as file:
        file.create_dataset("exchange/data", (4, 20, 30), "u1",
                            external=[(folder / "pipe", 0, 2400)])
        file["exchange/theta"] = range(4)
    refused(folder, folder / "scan.h5", "", LIMIT + SOON)


if __name__ == "__main__":
    sys.exit(run([(check_middle,), (check_odd,), (check_none,), (check_large,),
                  (check_damaged,), (check_endless,)]))
