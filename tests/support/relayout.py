"""Writes a Data Exchange scan again as beamlines would: relayout.py SCAN FOLDER

  unknown.h5   a layout that nobody knows: frames of all kinds, with numbers
  parts.h5     projections alone; fields.h5: their flats, darks and angles
  diamond.nxs  Diamond's raw NeXus with links that lead nowhere
  area.h5      areaDetector's
  two.nxs      two NXtomo scans; the second is upside down
  misfit.h5    Data Exchange, whose flats have another size; /open has others
  deep.h5      four dimensions
  unknown.zarr a Zarr group whose names nobody knows
  lines.zarr   a Zarr group without images

Exit status 77 where h5py is missing."""

import json
import sys
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)

with h5py.File(sys.argv[1]) as scan:
    data, flats, darks, theta = (
        scan["/exchange/" + name][...]
        for name in ("data", "data_white", "data_dark", "theta"))
FOLDER = Path(sys.argv[2])
FRAMES = np.concatenate([darks, flats, data])
KEYS = np.repeat([2, 1, 0], [len(darks), len(flats), len(data)]).astype("u1")
ANGLES = np.concatenate([np.zeros(len(darks) + len(flats)), theta])


def nx_group(parent, path, nx_class):
    group = parent.require_group(path)
    group.attrs["NX_class"] = nx_class
    return group


def put(group, name, values, units=None):
    group[name] = values
    if units:
        group[name].attrs["units"] = units


with h5py.File(FOLDER / "unknown.h5", "w") as f:
    f["/run/camera/frames"] = FRAMES
    f["/run/camera/kind"] = KEYS
    put(f, "/run/stage/omega", ANGLES, "deg")
    f["/run/preview"] = data[:3, ::2, ::2]
    f["/run/beam/current"] = np.linspace(300, 299, len(FRAMES))

with h5py.File(FOLDER / "misfit.h5", "w") as f:
    f["/exchange/data"] = data
    f["/exchange/data_white"] = flats[:, ::2]
    f["/exchange/data_dark"] = darks
    put(f, "/exchange/theta", theta, "deg")
    f["/open"] = flats

with h5py.File(FOLDER / "parts.h5", "w") as f:
    f["/frames"] = data
with h5py.File(FOLDER / "fields.h5", "w") as f:
    f["/run/flats"] = flats
    f["/run/darks"] = darks
    put(f, "/run/angles", theta, "deg")

with h5py.File(FOLDER / "diamond.nxs", "w") as f:
    entry = nx_group(f, "entry", "NXentry")
    camera = nx_group(f, "entry/instrument/imaging", "NXdetector")
    camera["data"] = h5py.ExternalLink("pco.h5", "/entry/data/data")
    camera["image_key"] = KEYS
    entry["imaging/data"] = FRAMES
    put(entry, "imaging_sum/gts_theta_value", ANGLES, "deg")
    for k in range(20):
        entry[f"diamond_scan/soft{k}"] = h5py.SoftLink(f"/entry/gone{k}")
        entry[f"diamond_scan/file{k}"] = h5py.ExternalLink(f"gone{k}.h5", "/x")
    f["/aaa"] = h5py.ExternalLink("gone.nxs", "/entry")

with h5py.File(FOLDER / "area.h5", "w") as f:
    f["/entry/instrument/detector/data"] = FRAMES
    nx_group(f, "entry", "NXentry")
    nx_group(f, "entry/data", "NXdata")
    f["/entry/data/data"] = f["/entry/instrument/detector/data"]
    f["/entry/instrument/NDAttributes/ImageKey"] = KEYS
    f["/entry/instrument/NDAttributes/SampleTheta"] = ANGLES

with h5py.File(FOLDER / "two.nxs", "w") as f:
    for name, frames in (("entry1", FRAMES), ("entry2", FRAMES[:, ::-1])):
        entry = nx_group(f, name, "NXentry")
        entry["definition"] = "NXtomo"
        camera = nx_group(entry, "instrument/camera", "NXdetector")
        camera["data"] = frames
        camera["image_key"] = KEYS
        put(nx_group(entry, "sample", "NXsample"), "rotation_angle", ANGLES,
            "deg")

with h5py.File(FOLDER / "deep.h5", "w") as f:
    f["/data"] = [data, data]


def put_array(group, name, values):
    """Zarr 2, uncompressed, one chunk for each along the first dimension."""
    path = FOLDER / group / name
    path.mkdir(parents=True)
    (FOLDER / group / ".zgroup").write_text('{"zarr_format": 2}')
    values = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    (path / ".zarray").write_text(json.dumps({
        "zarr_format": 2, "shape": values.shape, "order": "C",
        "chunks": (1, *values.shape[1:]), "dtype": values.dtype.str,
        "compressor": None, "filters": None, "fill_value": 0}))
    for k, chunk in enumerate(values):
        (path / ".".join(map(str, (k, *[0] * (values.ndim - 1))))
         ).write_bytes(chunk.tobytes())


put_array("unknown.zarr", "run/camera", data)
put_array("unknown.zarr", "run/open", flats)
put_array("unknown.zarr", "run/shut", darks)
put_array("unknown.zarr", "run/omega", theta)
put_array("lines.zarr", "angles", theta)
