"""Scans to be played, for the tests of what follows them."""

import subprocess

from cases import need


def make_scan(program, folder, n_projections, *options):
    """Makes a scan whose angles are the same when they have been sent as floats
    of 32 bits. Returns: its path"""
    h5py, np = need("h5py"), need("numpy")
    path = folder / "scan.h5"
    subprocess.run([program, "phantom", path, "--projections",
                    str(n_projections), *options], check=True,
                   stdout=subprocess.DEVNULL)
    with h5py.File(path, "r+") as file:
        theta = file["exchange/theta"]
        sent = (theta[:].astype(float) * np.pi / 180).astype("<f4")
        angles = sent.astype(float) * 180 / np.pi
        attributes = dict(theta.attrs)
        del file["exchange/theta"]
        file["exchange/theta"] = angles
        file["exchange/theta"].attrs.update(attributes)
    return path
