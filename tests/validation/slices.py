"""Slices that tomolens-cli makes of sinograms, and what a perfect program
would make of them."""

import math
import os
import subprocess
from dataclasses import dataclass

import numpy as np

from pictures import read_tiff


def write_scan(folder, sinogram, angles):
    """@sinogram: [projection][column], or projections, [projection][row][column],
    attenuation; @angles: radians. Returns: the arguments with which tomolens-cli
    opens it"""
    n_rows = sinogram.shape[1] if sinogram.ndim == 3 else 1
    layout = f"{sinogram.shape[-1]}x{n_rows}x{len(sinogram)}:float32le"
    sinogram.astype("<f4").tofile(folder / "scan.raw")
    (folder / "angles.txt").write_text(
        "".join(f"{angle!r}\n" for angle in np.degrees(angles).tolist()))
    return ["scan.raw", "--raw", layout, "--angles-file", "angles.txt",
            "--flat-field", "off", "--minus-log", "off"]


def reconstruct(cli, folder, sinogram, angles, options):
    """As write_scan(). Returns: the picture, [row][column]"""
    return run(cli, folder, [*write_scan(folder, sinogram, angles), *options])


def run(cli, folder, words):
    """Returns: what `recon` makes of these @words, [row][column]"""
    return make(cli, folder, ["recon", *words, "-o", "slice.tiff"],
                "slice.tiff")


def export(cli, folder, words, row):
    """Returns: the slice of @row of the volume that `export` makes of these
    @words"""
    return make(cli, folder, ["export", *words, "-o", "volume"],
                f"volume/recon_{row:05d}.tiff")


def make(cli, folder, words, name):
    said = subprocess.run(
        [cli, *map(str, words), "--overwrite"],
        cwd=folder, env=dict(os.environ, XDG_CACHE_HOME=str(folder / "cache")),
        capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    (n_cols, n_rows, *_), pixels = read_tiff(folder / name)
    return np.frombuffer(pixels, "<f4").reshape(n_rows, n_cols).astype(float)


def window(name, f, cutoff=1.0, order=8):
    """The factor of a filter beside the ramp at @f, in cycles per column."""
    u = f / (0.5 * cutoff)
    factor = {
        "ramp": lambda: np.ones_like(u),
        "shepp-logan": lambda: np.sinc(u / 2),
        "cosine": lambda: np.cos(np.pi * u / 2),
        "hann": lambda: 0.5 + 0.5 * np.cos(np.pi * u),
        "hamming": lambda: 0.54 + 0.46 * np.cos(np.pi * u),
        "parzen": lambda: np.where(u <= 0.5, 1 - 6 * u ** 2 * (1 - u),
                                   2 * (1 - u) ** 3),
        "butterworth": lambda: 1 / (1 + u ** (2 * order)),
    }[name]()
    return factor * (f <= (0.5 if name == "butterworth" else 0.5 * cutoff))


def interpolate(name, f):
    """The factor of an interpolation between columns: the transform of its
    kernel. It is what all projections together do to a slice."""
    return {
        "nearest": lambda: np.sinc(f),
        "linear": lambda: np.sinc(f) ** 2,
        "oversampled": lambda: np.sinc(f) ** 2 * np.sinc(f / 4),
        "cubic": lambda: np.sinc(f) ** 4 * 3 / (2 + np.cos(2 * np.pi * f)),
        "fourier": lambda: np.ones_like(f),
    }[name]()


def expect(image, factor):
    """@factor: of the frequency in cycles per pixel. Returns: @image, [n][n],
    in which each frequency is multiplied by it, in every direction"""
    n = len(image)
    # as wide again in zeros, because a window spreads what is near an edge
    frequencies = np.fft.fftfreq(2 * n)
    f = np.hypot(frequencies[:, None], frequencies)
    return np.fft.ifft2(np.fft.fft2(image, (2 * n, 2 * n))
                        * factor(f)).real[:n, :n]


def move_centre(image):
    """Returns: what a centre that is a column too large adds to @image, [n][n],
    to first order, in a scan over half a turn"""
    n = len(image)
    frequencies = np.fft.fftfreq(2 * n)
    across, up = frequencies[None, :], -frequencies[:, None]
    # each projection is shifted by the same column: those of the directions in
    # the upper half of the plane
    side = np.where(up != 0, np.sign(up), np.sign(across))
    factor = 2j * np.pi * side * np.hypot(across, up)
    return np.fft.ifft2(np.fft.fft2(image, (2 * n, 2 * n))
                        * factor).real[:n, :n]


@dataclass
class Verdict:
    """How a slice differs from the expected one."""
    error: float    # root of the mean square, relative to that of the slice
    worst: float    # of a pixel, relative to the largest one
    scale: float    # the factor of the whole slice, less 1
    centre: float   # too large by so many columns; 0 over a full turn


class Judge:
    """Compares with @want within @radius pixels of the axis. Scale and centre
    are fitted, and so are known much better than the errors would tell."""

    def __init__(self, want, radius, is_half_turn=True):
        away = np.arange(len(want)) - (len(want) - 1) / 2
        self.inside = np.hypot(away[:, None], away) <= radius
        self.want = want[self.inside]
        patterns = [self.want]
        if is_half_turn:
            patterns.append(move_centre(want)[self.inside])
        self.fit = np.linalg.pinv(np.stack(patterns, 1))

    def look(self, got):
        wrong = got[self.inside] - self.want
        return Verdict(
            math.sqrt(np.mean(wrong ** 2) / np.mean(self.want ** 2)),
            np.abs(wrong).max() / np.abs(self.want).max(),
            *(self.fit @ wrong), *[0.0] * (2 - len(self.fit)))
