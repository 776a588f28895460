"""What the tests of interrupted exports share: a scan, the formats of volumes,
and whether two volumes are the same."""

import filecmp
import subprocess

# name, options
FORMATS = [("volume", []), ("volume.tif", []), ("volume.raw", []),
           ("volume.zarr", []), ("volume.h5", []),
           ("volume.nxs", ["--compression", "1"])]


def is_same(a, b):
    if a.is_dir():
        names = sorted(p.relative_to(a) for p in a.rglob("*"))
        return (names == sorted(p.relative_to(b) for p in b.rglob("*"))
                and all(is_same(a / n, b / n) for n in names
                        if not (a / n).is_dir()))
    if a.suffix not in (".h5", ".nxs"):
        return filecmp.cmp(a, b, shallow=False)
    import h5py  # the files differ in their dates
    path = "exchange/data" if a.suffix == ".h5" else "entry/data/data"
    with h5py.File(a) as left, h5py.File(b) as right:
        return (left[path][:] == right[path][:]).all()


def make_scan(program, folder):
    scan = folder / "scan.h5"
    subprocess.run([program, "phantom", scan, "--size", "128", "--projections",
                    "64", "--rows", "160"], check=True,
                   stdout=subprocess.DEVNULL)
    return scan


def compare(whole, resumed, name):
    """Compares the folders in which a volume was made at once, and resumed.
    Returns: the reason of a failure, or None"""
    if sorted(p.name for p in resumed.iterdir()) != sorted(
            p.name for p in whole.iterdir()):
        return f"left: {sorted(resumed.iterdir())}"
    if not is_same(whole / name, resumed / name):
        return "what was resumed is not what was made at once"
    return None


def print_result(number, name, reason):
    """@reason: of a failure, or None"""
    if reason is not None:
        print(f"# {reason}".strip().replace("\n", "\n# "))
    print(f"{'not ' if reason else ''}ok {number} /{name}", flush=True)
