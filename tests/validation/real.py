"""The real scans, as attenuation that NumPy computes."""

from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
import tifffile


@dataclass
class RealScan:
    name: str
    path: Path
    centre: float
    radius: int         # of what is compared, in columns
    options: list       # of tomolens-cli recon
    sinogram: np.ndarray = field(default=None, repr=False)
    angles: np.ndarray = field(default=None, repr=False)    # radians
    lack: str = ""

    def move_axis_to_middle(self):
        """Returns: the sinogram, resampled to an odd number of columns with the
        axis in the middle one, and zeros beyond the detector"""
        cols = np.arange(self.sinogram.shape[1])
        reach = int(max(self.centre, cols[-1] - self.centre))
        wanted = self.centre + np.arange(-reach, reach + 1)
        return np.array([np.interp(wanted, cols, row, 0, 0)
                         for row in self.sinogram])


def correct(frames, flats, darks):
    dark = darks.mean(axis=0)
    return -np.log((frames - dark) / (flats.mean(axis=0) - dark))


def read_tooth(path):
    """Its last projection, half a turn after the first, is left out."""
    with h5py.File(path) as file:
        frames, flats, darks = (
            file[f"exchange/{name}"][:, 0].astype(float)
            for name in ("data", "data_white", "data_dark"))
    return correct(frames, flats, darks)[:-1], np.arange(180) * np.pi / 180


def read_wood(path):
    """Attenuation already; its last projection repeats the first."""
    return tifffile.imread(path).astype(float)[:-1], np.arange(625) * np.pi / 312.5


def read_grain(path):
    frames = np.array([tifffile.imread(file)[100].astype(float)
                       for file in sorted((path / "tiffs").glob("*.tiff"))])
    flat, dark = (tifffile.imread(path / f"{name}_00001.tiff")[100:101]
                  .astype(float) for name in ("flat", "dark"))
    angles = np.radians(np.loadtxt(path / "angles.txt")[10:101])
    return correct(frames, flat, dark)[:-1], angles[:-1]


def list_real_scans(folder):
    """@folder: with the data sets"""
    for scan, read in (
            (RealScan("tooth", folder / "tomopy-tooth/tooth.h5", 295.6, 280,
                      ["--slice", 0, "--angles", "0:180", "--leave-out", "180"]),
             read_tooth),
            (RealScan("wood", folder / "psi-wood-sinogram/woodsino_0200.tif",
                      252.5, 180, ["--angles", "0:360", "--leave-out", "625"]),
             read_wood),
            (RealScan("grain", folder / "savu-24737-tiff", 85.83, 60,
                      ["--slice", 100, "--leave-out", "90"]), read_grain)):
        if scan.path.exists():
            scan.sinogram, scan.angles = read(scan.path)
            scan.options = [scan.path, *scan.options, "--centre", scan.centre,
                            "--padding", "zero", "--interpolation", "linear"]
        else:
            scan.lack = "skipped: not in the folder of the real scans"
        yield scan
