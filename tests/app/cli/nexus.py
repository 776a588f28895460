"""Compares the axes of exported NeXus and Zarr volumes with the part of the scan
that they show, and looks at joined NeXus volumes without a part. Usage: nexus.py
PROGRAM"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from volumes import print_result

N_ROWS, N_COLS = 12, 17
UM = 1.5

# options; for each axis the first pixel, the pixels of a step, and how many
CASES = [
    ("", "zyx", ((0, 1, N_ROWS), (0, 1, N_COLS), (0, 1, N_COLS))),
    ("--slices 1:9:4", "zyx", ((1, 4, 3), (0, 1, N_COLS), (0, 1, N_COLS))),
    ("--region 2,3,5,7", "zyx", ((0, 1, N_ROWS), (3, 1, 7), (2, 1, 5))),
    ("--plane xz --slices 2:9 --region 2,3,5,7", "yzx",
     ((3, 1, 7), (2, 1, 8), (2, 1, 5))),
    ("--plane yz --slices 2:9 --region 2,3,5,7", "xzy",
     ((2, 1, 5), (2, 1, 8), (3, 1, 7))),
    ("--binning 2", "zyx", ((0.5, 2, 6), (0.5, 2, 8), (0.5, 2, 8))),
    ("--plane xz --binning 2 --slices 4:11", "yzx",
     ((0.5, 2, 8), (4.5, 2, 4), (0.5, 2, 8))),
    ("--part 2/3", "zyx", ((4, 1, 4), (0, 1, N_COLS), (0, 1, N_COLS))),
]


def export(program, scan, path, options, um):
    """@um: the size of a pixel, or None"""
    size = [] if um is None else ["--pixel-size", str(um)]
    centre = [] if "--centre" in options else ["--centre", "8"]
    subprocess.run([program, "export", scan, "--engine", "host", *centre, *size,
                    *options.split(), "-o", path],
                   check=True, capture_output=True)


def check_zarr(program, scan, folder, options, axes, places, um):
    """Returns: the reason of a failure, or None"""
    path = folder / "v.zarr"
    export(program, scan, path, options, um)
    scales, = json.loads((path / ".zattrs").read_text("utf-8"))["multiscales"]
    unit = {} if um is None else {"unit": "micrometer"}
    want = [{"name": axis, "type": "space", **unit} for axis in axes]
    if scales["axes"] != want:
        return f"axes {scales['axes']}"
    scale, shift = scales["datasets"][0]["coordinateTransformations"]
    for got, number in ((scale["scale"], 1), (shift["translation"], 0)):
        want = [place[number] * (um or 1) for place in places]
        if got != want:
            return f"{got}, not {want}"
    return None


def check(program, scan, folder, options, axes, places, um=UM):
    """Returns: the reason of a failure, or None"""
    import h5py
    import numpy as np
    path = folder / "v.nxs"
    export(program, scan, path, options, um)
    if "--part" in options:
        path = folder / "v.parts" / "2-of-3.nxs"
    with h5py.File(path) as file:
        group = file["/entry/data"]
        if list(group.attrs["axes"]) != list(axes):
            return f"axes {group.attrs['axes']}"
        if group["data"].shape != tuple(n for _, _, n in places):
            return f"shape {group['data'].shape}"
        for number, (axis, (first, step, n)) in enumerate(zip(axes, places)):
            if group.attrs[axis + "_indices"] != number:
                return f"{axis}_indices"
            want = (first + step * np.arange(n)) * (um or 1)
            got = group[axis][()]
            if got.shape != want.shape or not np.allclose(got, want):
                return f"{axis}: {got}, not {want}"
            if group[axis].attrs["units"] != ("pixel" if um is None else "um"):
                return f"{axis}: {group[axis].attrs['units']}"
    if "--part" in options:
        return None
    return check_zarr(program, scan, folder, options, axes, places, um)


def check_missing(program, scan, folder, sample):
    """A part that is not found any more is not mistaken for slices. Returns: the
    reason of a failure, or None"""
    import h5py
    import numpy as np
    command = [program, "export", scan, "--engine", "host", "--centre", "8",
               "--sample", sample, "-o", folder / "v.nxs"]
    if sample == "uint16":
        command += ["--range", "-1:1"]
    for share in ("--part=1/2", "--part=2/2", "--join=2"):
        subprocess.run([*command, share], check=True, capture_output=True)
    (folder / "v.parts" / "2-of-2.nxs").unlink()
    with h5py.File(folder / "v.nxs") as file:
        there, missing = np.split(file["/entry/data/data"][:], 2)
    if np.isnan(there).any() or not there.any():
        return f"there: {there}"
    good = (missing == 0) if sample == "uint16" else np.isnan(missing)
    return None if good.all() else f"missing: {missing}"


SAMPLES = ["float32", "float16", "uint16"]


def main():
    program = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        scan = scratch / "scan.h5"
        subprocess.run([program, "phantom", scan, "--size", str(N_COLS),
                        "--projections", "13", "--rows", str(N_ROWS),
                        "--pixel-size", "0"],
                       check=True, stdout=subprocess.DEVNULL)
        checks = [(options.replace(" ", "_") or "whole", check,
                   (options, axes, places)) for options, axes, places in CASES]
        checks.append(("no-size", check, (
            "--binning 2 --slices 3:10", "zyx",
            ((3.5, 2, 4), (0.5, 2, 8), (0.5, 2, 8)), None)))
        checks.append(("bin", check, (  # slices and region count bins
            "--bin 2 --centre 3.5 --binning 2 --slices 2:5 --region 2,1,4,6",
            "zyx", ((5.5, 4, 2), (3.5, 4, 3), (5.5, 4, 2)), None)))
        checks += [(f"missing-{sample}", check_missing, (sample,))
                   for sample in SAMPLES]
        print(f"1..{len(checks)}")
        for number, (name, function, arguments) in enumerate(checks, 1):
            folder = scratch / str(number)
            folder.mkdir()
            name = f"nexus/{name}"
            try:
                reason = function(program, scan, folder, *arguments)
            except ImportError as error:
                print(f"ok {number} /{name} # SKIP {error}")
                continue
            print_result(number, name, reason)


main()
