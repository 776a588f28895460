"""Writes the files of Zeiss microscopes: no program but the maker's does."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from cases import Skip, need

# the numbers of the types in a Zeiss file
ZEISS = {"u1": 3, "i1": 2, "u2": 5, "i2": 4, "u4": 7, "i4": 6, "f4": 10,
         "f8": 11}


def write_txrm(path, frames, reference=None, **more):
    """@more: further streams, as "ImageInfo_PixelSize": bytes; None leaves a
    stream out. gsf makes the OLE file from folders."""
    np = need("numpy")
    if shutil.which("gsf") is None:
        raise Skip("no gsf: libgsf-bin is not installed")
    info = {"ImageWidth": frames.shape[2], "ImageHeight": frames.shape[1],
            "NoOfImages": len(frames), "ImagesTaken": len(frames),
            "DataType": ZEISS[frames.dtype.str[1:]]}
    streams = {"ImageInfo_" + key: np.int32(n).tobytes()
               for key, n in info.items()}
    angles = np.linspace(-60, 60, len(frames), dtype="f4")
    streams["ImageInfo_Angles"] = angles.tobytes()
    for i, frame in enumerate(frames):
        streams[f"ImageData{i // 100 + 1}_Image{i + 1}"] = frame.tobytes()
    if reference is not None:
        streams["ReferenceData_Image"] = reference.tobytes()
        streams["ReferenceData_DataType"] = np.int32(
            ZEISS[reference.dtype.str[1:]]).tobytes()
    with tempfile.TemporaryDirectory() as folder:
        for name, data in {**streams, **more}.items():
            if data is not None:
                stream = Path(folder, *name.split("_"))
                stream.parent.mkdir(exist_ok=True)
                stream.write_bytes(data)
        names = [p.name for p in Path(folder).iterdir()]
        subprocess.run(["gsf", "createole", Path(path).resolve(), *names],
                       cwd=folder, check=True, capture_output=True)
    return angles
