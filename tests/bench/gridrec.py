#!/usr/bin/env python3
"""Measures gridrec of tomopy, for the comparison in README.md.

gridrec.py TOMOPY [--size N] [--repeat N]

TOMOPY is its source tree, of which gridrec alone is built, by cc with FFTW. One
slice of N columns (2048) and as many projections is timed in one thread, with
rows padded to twice their length and not, of the two that gridrec makes at once;
so is its error on Gaussians in 512 columns from 800 angles, as it comes and with
the factor that makes it least. Run it on one processor: taskset -c 1.
"""

import argparse
import ctypes
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "validation"))
from objects import Gaussian  # noqa: E402

GAUSSIANS = [Gaussian(0.02, 0, 0, 60, 60), Gaussian(0.03, 90, 40, 12, 12),
             Gaussian(-0.01, -70, 80, 20, 20), Gaussian(0.04, -50, -110, 8, 8),
             Gaussian(0.02, 120, -90, 15, 15)]


def build(source, folder):
    """Returns: gridrec() of a library that is made in @folder"""
    library = folder / "gridrec.so"
    subprocess.run(
        ["cc", "-O3", "-march=native", "-shared", "-fPIC", "-w",
         "-DTOMOPY_USE_FFTW", f"-I{source / 'include'}",
         source / "source/libtomo/gridrec/gridrec.c", "-o", library,
         "-lfftw3f_threads", "-lfftw3f", "-lm"], check=True)
    return ctypes.CDLL(str(library)).gridrec


def point(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


def reconstruct(gridrec, sinogram, angles, is_padded):
    """Returns: two slices, [2][columns][columns], and the seconds of one"""
    n = sinogram.shape[1]
    side = 2 * n if is_padded else n
    first = (side - n) // 2
    rows = np.zeros((2, len(angles), side), np.float32)
    rows[:, :, first:first + n] = sinogram
    slices = np.zeros((2, side, side), np.float32)
    centre = np.full(2, side / 2, np.float32)
    began = time.perf_counter()
    gridrec(point(rows), 2, len(angles), side, point(centre), point(angles),
            point(slices), side, side, b"ramlak",
            point(np.array([0.5, 8], np.float32)))
    seconds = (time.perf_counter() - began) / 2
    return slices[:, first:first + n, first:first + n], seconds


def find_errors(gridrec, is_padded, n=512, n_angles=800):
    """Returns: relative L2 within 246 columns of the axis, as it comes and with
    the best factor; of the ways to turn and mirror the slice, the best"""
    angles = np.arange(n_angles, dtype=np.float32) * np.float32(np.pi / n_angles)
    at = np.arange(n) - n / 2
    sinogram = sum(g.project(at[None, :], angles[:, None].astype(float))
                   for g in GAUSSIANS)
    made = reconstruct(gridrec, sinogram, angles, is_padded)[0][0].astype(float)
    x, y = np.meshgrid(at, at)
    inside = np.hypot(x, y) < 246
    found = []
    for sign_x, sign_y, swap in itertools.product((1, -1), (1, -1), (0, 1)):
        u, v = (y, x) if swap else (x, y)
        want = sum(g.draw(sign_x * u, sign_y * v) for g in GAUSSIANS)[inside]
        factor = np.dot(made[inside], want) / np.dot(made[inside], made[inside])
        found.append([np.linalg.norm(f * made[inside] - want)
                      / np.linalg.norm(want) for f in (1, factor)])
    return min(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("tomopy", type=Path)
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--repeat", type=int, default=9)
    words = parser.parse_args()
    n = words.size
    noise = np.random.default_rng(1).random((n, n), np.float32)
    angles = np.arange(n, dtype=np.float32) * np.float32(np.pi / n)
    with tempfile.TemporaryDirectory() as folder:
        gridrec = build(words.tomopy, Path(folder))
        for is_padded in (True, False):
            seconds = [reconstruct(gridrec, noise, angles, is_padded)[1]
                       for _ in range(words.repeat)]
            plain, scaled = find_errors(gridrec, is_padded)
            print(f"gridrec{', padded' if is_padded else ''}: "
                  f"{statistics.median(seconds):.3f} s, error {plain:.2g}, "
                  f"with the best factor {scaled:.2g}")


if __name__ == "__main__":
    main()
