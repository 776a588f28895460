"""Exports of a scan ten times larger than --memory stay within it. Usage:
memory.py PROGRAM"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from volumes import print_result

BUDGET = 80_000_000
SIZE, ROWS = 512, 128  # of a slice, and how many of them: 134 MB of floats
PROJECTIONS = 100
TIMES = 10

# name of the volume, options
CASES = [("stack", []),
         ("stack.tif", ["--sample", "uint16", "--range", "0:1"]),
         ("plain.raw", []),
         ("binned.raw", ["--binning", "2"]),
         ("turned.raw", ["--plane", "xz"]),
         ("plain.h5", []),
         ("packed.h5", ["--compression", "5"]),
         ("packed.nxs", ["--compression", "9", "--sample", "float16"]),
         ("bytes.zarr", ["--sample", "uint8", "--range", "0:1"]),
         ("packed.zarr", ["--compression", "5"]),
         ("smallest.zarr", ["--compression", "9"])]


def make_scan(folder):
    """Returns: its path and layout; it takes no room on the disk"""
    scan = folder / "scan.raw"
    n_rows = TIMES * BUDGET // (SIZE * PROJECTIONS * 2) + 1
    with open(scan, "wb") as file:
        file.truncate(SIZE * PROJECTIONS * 2 * n_rows)
    return scan, f"{SIZE}x{n_rows}x{PROJECTIONS}:uint16le"


def check(program, scan, layout, volume, options):
    """Returns: the reason of a failure, or None"""
    done = subprocess.run(
        [program, "export", scan, "--raw", layout, "--engine", "host",
         "--centre", str(SIZE / 2), "--slices", f"0:{ROWS - 1}", *options,
         "--memory", str(BUDGET), "--json", "-o", volume],
        capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        return done.stderr
    answer = json.loads(done.stdout)
    plan = answer["plan"]
    print(f"# planned {plan['memory_bytes'] / 1e6:.1f} MB, took "
          f"{plan['peak_bytes'] / 1e6:.1f} MB")
    n_slices = answer["slices_per_s"] * answer["wall_s"]
    if abs(n_slices - answer["slices"]) > 1e-6 * n_slices:
        return f"slices/s counts {n_slices} slices in {plan['passes']} passes"
    if plan["memory_bytes"] > BUDGET:
        return "the plan is larger than the budget"
    return ("more memory was taken than allowed"
            if plan["peak_bytes"] > BUDGET else None)


def main():
    program = os.path.realpath(sys.argv[1])
    ballast = b"1" * 2 * BUDGET  # is no memory of the program
    print(f"1..{len(CASES)}")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        scan, layout = make_scan(scratch)
        for number, (name, options) in enumerate(CASES, 1):
            print_result(number, f"memory/{name}",
                         check(program, scan, layout, scratch / name, options))
    del ballast


main()
