"""Scans in Zarr folders, written by the zarr package: what the program reads is
what was written. Usage: zarrs.py READ-SCAN"""

import json
import sys
from pathlib import Path

from scans import Scan, damage, read_scan, refuse  # it finds cases.py
from cases import Skip, need, run, same

try:
    np, zarr, numcodecs = need("numpy"), need("zarr"), need("numcodecs")
    h5py = need("h5py")
except Skip as why:
    print(f"1..0 # SKIP {why}")
    sys.exit()

TYPES = [order + kind for kind in ("u1", "i1", "u2", "i2", "u4", "i4", "f4",
                                   "f8", "u8", "i8", "f2")
         for order in "<>"]
CODECS = {
    "none": None, "zlib": numcodecs.Zlib(1), "gzip": numcodecs.GZip(5),
    "lz4": numcodecs.Blosc("lz4"), "zstd": numcodecs.Blosc("zstd", 3),
    "blosclz": numcodecs.Blosc("blosclz", 9, numcodecs.Blosc.BITSHUFFLE),
    "blosc-zlib": numcodecs.Blosc("zlib", shuffle=numcodecs.Blosc.NOSHUFFLE),
    "lz4hc": numcodecs.Blosc("lz4hc")}
# of an array of 7 x 9 x 11
CHUNKS = (1, 9, 11), (7, 9, 11), (3, 4, 5), (1, 1, 11), (2, 9, 64), (16, 2, 3)
# What the program reads 64-bit integers and half floats as.
READ_AS = {"u8": "f8", "i8": "f8", "f2": "f4"}


def make_frames(shape, kind, seed=0):
    """Values of the whole range of the type."""
    random = np.random.default_rng(seed)
    if kind[1] == "f":
        return random.normal(0, 900, shape).astype(kind)
    limits = np.iinfo(kind)
    frames = random.integers(limits.min, limits.max, shape, kind[1:],
                             endpoint=True).astype(kind)
    frames.flat[0], frames.flat[-1] = limits.min, limits.max
    return frames


def as_read(frames):
    kind = frames.dtype.str[1:]
    return frames.astype(READ_AS.get(kind, kind))


def check_type(folder, kind):
    want = make_frames((7, 9, 11), kind)
    for i, codec in enumerate((None, "zlib", "lz4")):
        path = folder / f"{i}.zarr"
        zarr.save_array(str(path), want, chunks=(2, 4, 11),
                        compressor=codec and CODECS[codec])
        scan = Scan(path, folder)
        scan.check(as_read(want), "Zarr")
        scan.has_note("no angles found")


def check_codec(folder, name):
    want = make_frames((7, 9, 11), "<u2")
    for i, chunks in enumerate(CHUNKS):
        for separator in "./":
            path = folder / f"{i}{ord(separator)}.zarr"
            array = zarr.open(str(path), mode="w", shape=want.shape,
                              chunks=chunks, dtype="<u2",
                              compressor=CODECS[name],
                              dimension_separator=separator)
            array[:] = want
            files = [p for p in path.rglob("*") if p.is_file()]
            same(len(files), array.nchunks + 1, "files")
            Scan(path, folder).check(want, "Zarr")


def check_missing_chunks(folder):
    for fill, kind in ((0, "u2"), (513, ">u2"), (-7, "i1"), (np.nan, "f4"),
                       (-1.5, "f8"), (None, "i4")):
        want = np.full((7, 9, 11), fill or 0, kind)
        path = folder / f"{kind}.zarr"
        array = zarr.open(str(path), mode="w", shape=want.shape, dtype=kind,
                          chunks=(2, 4, 5), fill_value=fill)
        for name in "3.0.0", "0.2.1":
            f, r, c = (int(n) * s for n, s in zip(name.split("."), (2, 4, 5)))
            part = np.index_exp[f:f + 2, r:r + 4, c:c + 5]
            array[part] = want[part] = 3
        same(array.nchunks_initialized, 2)
        if fill is np.nan:
            refuse(path, folder, f"{kind}.zarr: ", "no sample that is a number")
        else:
            Scan(path, folder).check(want, "Zarr")


def check_dimensions(folder):
    """OME-Zarr has time and channel before the last three."""
    want = make_frames((7, 9, 11), "<u2")
    for n in range(1, 4):
        path = folder / f"{n}.zarr"
        zarr.save_array(str(path), want.reshape((1,) * n + want.shape),
                        chunks=(1,) * n + (2, 4, 5))
        Scan(path, folder).check(want, "Zarr")
    zarr.save_array(str(folder / "a.zarr"), want.reshape(7, 1, 9, 11))
    refuse(folder / "a.zarr", folder, "a.zarr: ", "7 x 1 x 9 x 11")


def write_ome(folder, want, **attributes):
    path = folder / "ome.zarr"
    group = zarr.open_group(str(path), mode="w")
    group.create_dataset("0", data=want[None, None], chunks=(1, 1, 2, 4, 11),
                         dimension_separator="/")
    group.create_dataset("1", data=want[None, None, :, ::2, ::2])
    axes = [{"name": "t", "type": "time"}, {"name": "c", "type": "channel"}]
    axes += [{"name": n, "type": "space", "unit": "nanometer"} for n in "zyx"]
    group.attrs["multiscales"] = [{
        "version": "0.4", "axes": axes,
        "datasets": [{"path": str(i), "coordinateTransformations": [
            {"type": "scale", "scale": [1, 1, 1, 650 * s, 650 * s]}]}
            for i, s in enumerate((1, 2))]}]
    group.attrs.update(attributes)
    return path


def check_ome(folder):
    want = make_frames((7, 9, 11), "<u2")
    degrees = [3.5 * i for i in range(7)]
    scan = Scan(write_ome(folder, want, theta=degrees, theta_unit="degrees"),
                folder)
    scan.check(want, "OME-Zarr")
    same(list(scan.angles), degrees)
    same(scan.facts["pixel_um"], "0.65")
    scan = Scan(write_ome(folder, want, rotation_angle=list(np.radians(degrees)),
                          units="radian"), folder)
    np.testing.assert_allclose(scan.angles, degrees)
    same(scan.facts["angles_source"], "rotation_angle, in radians")


def check_exchange(folder):
    """As in Data Exchange; theta counts in degrees, but a unit may say
    otherwise."""
    want = make_frames((7, 9, 11), ">u2")
    flats = make_frames((3, 9, 11), "<f4") + 9000
    darks = make_frames((2, 9, 11), "|u1")
    degrees = np.linspace(0, 3, 7)
    path = folder / "scan.zarr"
    group = zarr.open_group(str(path), mode="w")
    group["exchange/data"] = want
    group["exchange/data_white"] = flats
    group["exchange/data_dark"] = darks
    group["exchange/theta"] = degrees
    for unit in None, "rad":
        if unit:
            group["exchange/theta"].attrs["units"] = unit
        scan = Scan(path, folder)
        scan.check(as_read(want), "Zarr")
        np.testing.assert_allclose(scan.angles,
                                   np.degrees(degrees) if unit else degrees)
        np.testing.assert_allclose(scan.first, flats.mean(0), rtol=1e-5)
        np.testing.assert_allclose(scan.dark, darks.mean(0), rtol=1e-6)
        same([scan.facts[k] for k in ("flats", "flats_before", "darks")],
             ["3", "3", "2"])


def check_named(folder):
    """Arrays whose names the user gives; a flat field of two dimensions."""
    want, flat = make_frames((7, 9, 11), "<u2"), make_frames((9, 11), "<u2", 5)
    path = folder / "scan.zarr"
    group = zarr.open_group(str(path), mode="w")
    group["run/camera"] = want
    group["run/open"] = flat // 2 + 30000
    group["run/shut"] = flat // 8
    group["run/omega"] = np.arange(7) * 20
    refuse(path, folder, "scan.zarr: ", "--data-path: /run/camera (7 x 9 x 11, "
           "uint16)")
    listed = read_scan("--list", path).stdout.splitlines()
    same(listed, ["dataset /run/camera 7 9 11 uint16",
                  "dataset /run/open 1 9 11 uint16",
                  "dataset /run/shut 1 9 11 uint16",
                  "dataset /run/omega 1 1 7 float64"])
    scan = Scan(path, folder, "data=/run/camera", "flats=run/open",
                "darks=/run/shut", "angles=/run/omega")
    scan.check(want, "Zarr")
    same(list(scan.angles), list(range(0, 140, 20)))
    np.testing.assert_array_equal(scan.first, flat // 2 + 30000)
    np.testing.assert_array_equal(scan.dark, flat // 8)
    refuse(path, folder, "scan.zarr: there is no array at /run/gone; --data-path "
           "takes one of", "/run/camera (7 x 9 x 11, uint16)",
           options=["data=/run/gone"])
    refuse(path, folder, "run/omega: ", "one dimension",
           options=["data=/run/omega"])
    refuse(path, folder, "scan.zarr: ", "image keys have no meaning",
           options=["data=run/camera", "keys=run/omega"])


def check_other_folders(folder):
    """Flats, darks and angles in another Zarr folder, beside the scan or in the
    current folder; HDF5 and Zarr are not mixed."""
    want, flat = make_frames((7, 9, 11), "<u2"), make_frames((3, 9, 11), "<u2", 5)
    path = folder / "scan.zarr"
    zarr.open_group(str(path), mode="w")["data"] = want
    other = zarr.open_group(str(folder / "other.zarr"), mode="w")
    other["open"], other["shut"] = flat // 2 + 30000, flat // 8
    other["omega"] = np.arange(7) * 0.1
    other["omega"].attrs["units"] = "rad"
    zarr.save_array(str(folder / "alone.zarr"), flat)
    with h5py.File(folder / "scan.h5", "w") as f:
        f["/exchange/data"] = want
    for where in "", f"{folder}/":
        scan = Scan(path, folder, f"flats={where}other.zarr:/open",
                    f"darks={where}other.zarr:/shut",
                    f"angles={where}other.zarr:/omega")
        scan.check(want, "Zarr")
        np.testing.assert_allclose(scan.angles, np.degrees(np.arange(7) * 0.1))
        np.testing.assert_allclose(scan.first, (flat // 2 + 30000).mean(0), rtol=1e-5)
        np.testing.assert_allclose(scan.dark, (flat // 8).mean(0), rtol=1e-6)
    scan = Scan(f"{path}", folder, "data=/data", "flats=alone.zarr:/")
    np.testing.assert_allclose(scan.first, flat.mean(0), rtol=1e-5)
    for option, words in (
            ("flats=other.zarr:/gone", "there is no array at other.zarr:/gone"),
            ("flats=gone", "at gone; one in another folder is named"),
            ("angles=gone.zarr:/a", "gone.zarr:/a: there is no such file"),
            ("darks=scan.h5:/exchange/data", "is no Zarr folder; flats, darks")):
        refuse(path, folder, words, options=[option])
    for option in "flats=other.zarr:/open", "angles=other.zarr:/omega":
        refuse(folder / "scan.h5", folder, "is no HDF5 file; flats, darks, keys",
               options=[option])


def check_broken_attributes(folder):
    want = make_frames((7, 9, 11), "<u2")
    zarr.save_array(str(folder / "a.zarr"), want)
    (folder / "a.zarr" / ".zattrs").write_text('{"theta": [0, NaN')
    scan = Scan(folder / "a.zarr", folder)
    scan.check(want, "Zarr")
    scan.has_note("the attributes of a.zarr are left out")


def check_refused(folder):
    want = make_frames((7, 9, 11), "<u2")
    path = folder / "a.zarr"
    for words, options in (
            ('order "F"', {"order": "F"}),
            ('"lzma"', {"compressor": numcodecs.LZMA()}),
            ('filter "delta"', {"filters": [numcodecs.Delta("<u2")]})):
        zarr.save_array(str(path), want, **options)
        refuse(path, folder, "a.zarr: ", words)
    zarr.save_array(str(path), want.astype("c8"))
    refuse(path, folder, "a.zarr: ", 'type "<c8"')
    zarr.save_array(str(path), want, compressor=None)
    for key, value, words in (
            ("zarr_format", 3, "Zarr 2"), ("dtype", [["a", "<u2"]], "type"),
            ("shape", [7, 9], '"shape" and "chunks"'),
            ("shape", [7, -9, 11], '"shape" and "chunks"'),
            ("shape", [0, 9, 11], "no projections"),
            ("chunks", [7, 0, 11], "chunks of such a size"),
            ("chunks", [7, "9", 11], '"shape" and "chunks"')):
        whole = json.loads((path / ".zarray").read_text())
        changed = json.dumps({**whole, key: value})
        (path / ".zarray").write_text(changed)
        refuse(path, folder, "a.zarr: ", words)
        (path / ".zarray").write_text(json.dumps(whole))
    (path / ".zarray").write_text("{")
    refuse(path, folder, "a.zarr: ", "description of the array")
    for name, text, words in ((".zgroup", "{}", "no array"),
                              ("zarr.json", "{}", "Zarr 3")):
        (folder / name).mkdir()
        (folder / name / name).write_text(text)
        refuse(folder / name, folder, f"{name}: ", words)


def check_damaged_chunk(folder):
    want = make_frames((7, 9, 11), "<u2")
    for name, codec in CODECS.items():
        path = folder / f"{name}.zarr"
        zarr.save_array(str(path), want, chunks=(4, 9, 11), compressor=codec)
        whole = (path / "1.0.0").read_bytes()
        for part in whole[:-5], whole[:9], b"":
            (path / "1.0.0").write_bytes(part)
            refuse(path, folder, f"{name}.zarr: ", "the chunk 1.0.0 is")


def check_damage(folder):
    want = make_frames((7, 9, 11), "<u2")
    for name in "none", "zlib", "lz4":
        path = folder / f"{name}.zarr"
        zarr.save_array(str(path), want, chunks=(4, 9, 11),
                        compressor=CODECS[name])
        damage(path, path / ".zarray", 60)
        damage(path, path / "1.0.0", 40)


CASES = (
    [(check_type, kind) for kind in TYPES]
    + [(check_codec, name) for name in CODECS]
    + [(check,) for check in (
        check_missing_chunks, check_dimensions, check_ome, check_exchange,
        check_named, check_other_folders, check_broken_attributes, check_refused,
        check_damaged_chunk, check_damage)])


if __name__ == "__main__":
    sys.exit(run(CASES))
