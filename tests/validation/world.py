"""Other programs that reconstruct slices, each with its own conventions.

Each function takes a sinogram, [projection][column], of attenuation, equally
spaced angles over half a turn or a full one, in radians, the column of the axis,
and the name of a filter as tomolens-cli has it. It returns the slice, x to the
right and y up, in attenuation per column, and the pixel of the axis in it."""

import os

# Its loop over projections runs in several threads, which add to the same pixel
# and lose some of the sums: before it is imported, leave it a single thread.
os.environ["NUMBA_NUM_THREADS"] = "1"

import numpy as np

import algotom.rec.reconstruction
import astra
import skimage.transform

ASTRA_NAMES = {"ramp": "ram-lak"}


def use_iradon(interpolation):
    """scikit-image has the axis in column M // 2, and nowhere else, and that
    pixel of the slice is on it."""
    def reconstruct(sinogram, angles, centre, filter_name):
        n = sinogram.shape[1]
        assert centre == n // 2
        # its scale is that of half a turn
        return skimage.transform.iradon(
            sinogram.T, np.degrees(angles), output_size=n, circle=False,
            filter_name=filter_name, interpolation=interpolation), n // 2
    return reconstruct


def run_astra(projector, detector, rows, algorithm, **options):
    """Returns: a slice as wide as @rows"""
    n = rows.shape[1]
    volume = astra.create_vol_geom(n, n)
    recipe = astra.astra_dict(algorithm)
    recipe["ProjectorId"] = astra.create_projector(projector, detector, volume)
    recipe["ProjectionDataId"] = astra.data2d.create("-sino", detector, rows)
    recipe["ReconstructionDataId"] = astra.data2d.create("-vol", volume)
    recipe["option"] = options
    astra.algorithm.run(astra.algorithm.create(recipe))
    image = astra.data2d.get(recipe["ReconstructionDataId"])
    astra.clear()
    return image, (n - 1) / 2


def use_astra(projector):
    """ASTRA's filtered back-projection on the processor wants the axis in the
    middle of the detector: columns of zeros put it there."""
    def reconstruct(sinogram, angles, centre, filter_name):
        n = sinogram.shape[1]
        left, right = np.maximum(0, np.array([1, -1]) * (n - 1 - 2 * centre))
        rows = np.pad(sinogram, ((0, 0), (round(left), round(right))))
        n = rows.shape[1]
        assert centre + round(left) == (n - 1) / 2
        return run_astra(projector, astra.create_proj_geom("parallel", 1.0, n,
                                                           angles), rows, "FBP",
                         FilterType=ASTRA_NAMES.get(filter_name, filter_name))
    return reconstruct


def use_moved_astra(projector):
    """ASTRA's back-projection alone takes a moved detector; NumPy has filtered
    the rows, with the ramp of ASTRA and ours."""
    def reconstruct(sinogram, angles, centre, _filter_name):
        n = sinogram.shape[1]
        cols = np.minimum(np.arange(4 * n), 4 * n - np.arange(4 * n))
        kernel = np.where(cols % 2, -1 / (np.pi * np.maximum(cols, 1)) ** 2, 0)
        kernel[0] = 0.25
        rows = np.fft.irfft(np.fft.rfft(sinogram, 4 * n) * np.fft.rfft(kernel),
                            4 * n)[:, :n] * np.pi / len(angles)
        detector = astra.geom_postalignment(
            astra.create_proj_geom("parallel", 1.0, n, angles),
            (n - 1) / 2 - centre)
        return run_astra(projector, detector, rows, "BP")
    return reconstruct


def use_algotom(sinogram, angles, centre, filter_name):
    """Its first and last projection are half a turn apart: its step is half a
    turn divided by the number of projections less one."""
    n_projections, n = sinogram.shape
    image = algotom.rec.reconstruction.fbp_reconstruction(
        sinogram.astype("f4"), centre, angles, ratio=None, pad=n // 2,
        pad_mode="constant", apply_log=False, gpu=False,
        filter_name=None if filter_name == "ramp" else filter_name)
    return image * (n_projections - 1) / n_projections, (n - 1) / 2
