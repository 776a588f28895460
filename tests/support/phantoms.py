"""Scans of a phantom, and what is in them."""

import subprocess

from cases import need


def make_phantom(program, folder, n_projections, n_rows, n_cols):
    """Returns: the path, and the frames and angles as they are in the file"""
    h5py = need("h5py")
    path = folder / "scan.h5"
    subprocess.run([program, "phantom", path, "--size", str(n_cols), "--rows",
                    str(n_rows), "--projections", str(n_projections)],
                   check=True, stdout=subprocess.DEVNULL)
    with h5py.File(path) as file:
        return path, {name: file["exchange"][name][:]
                      for name in ("data", "data_white", "data_dark", "theta")}
