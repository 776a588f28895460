"""Exported volumes as programs read them that are not written here: values,
orientation, pixel size, metadata. Usage: readers.py WRITE-VOLUME

A reader that is not installed is a skipped test."""

import json
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "support"))
from cases import Skip, need, run, same

WRITER = sys.argv[1]
SHAPE = 5, 70, 530
LOW, HIGH = -1.0, 6.0
PIXEL_UM, PITCH_UM = 1.3, 2.6
SCAN = 'Knochen µ "7".h5'
RECIPE = "[recipe]\nfilter=hann\npath=C:\\x\n"
COMMAND = "tomolens-cli export scan.h5 -o x"
QUANTITY = "attenuation per pixel length"


def make_pixels():
    """The volume of made-volume.h."""
    np = need("numpy")
    z, y, x = np.indices(SHAPE)
    pixels = ((z * 7919 + y * 353 + x * 31) % 10007 / 1000 - 2).astype("f4")
    pixels[1, 2, 3] = np.nan
    return pixels


def convert(pixels, sample):
    """float pixels as samples."""
    np = need("numpy")
    if sample.startswith("float"):
        return pixels.astype(sample)
    top = np.iinfo(sample).max
    with np.errstate(invalid="ignore"):
        levels = np.floor((pixels.astype("f8") - LOW) * (top / (HIGH - LOW))
                          + 0.5)
    return np.nan_to_num(levels, nan=0).clip(0, top).astype(sample)


def write(folder, form, sample, name, compression=0):
    path = Path(folder, name)
    subprocess.run([WRITER, form, sample, str(compression),
                    *map(str, SHAPE), str(path)],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def close(got, want, what=""):
    assert abs(got - want) <= 1e-8 * abs(want), f"{what}: {got}, not {want}"


def same_samples(got, want):
    np = need("numpy")
    same(got.dtype.newbyteorder("="), want.dtype, "type")
    same(got.shape, want.shape, "shape")
    np.testing.assert_array_equal(got, want)


def sum_slices(slices):
    return [f"{zlib.crc32(s.tobytes()):08x}" for s in slices]


def check_facts(facts, sample, row=None, sums=None):
    """@row: the detector row of one slice; otherwise, facts of the volume.
    @sums: the checksums of the slices as they are stored, if they are known."""
    np = need("numpy")
    pixels = make_pixels() if row is None else make_pixels()[(row - 30) // 2]
    want = {"quantity": QUANTITY, "program": "Tomolens", "scan": SCAN,
            "plane": "xy",
            "pixel_size_um": PIXEL_UM, "slice_pitch_um": PITCH_UM,
            "unit_length_um": PIXEL_UM,
            "sample_type": sample, "command": COMMAND, "recipe": RECIPE,
            "samples_nan": int(np.isnan(pixels).sum()),
            "samples_below": 0, "samples_above": 0}
    want["min"] = float(np.nanmin(pixels))
    want["max"] = float(np.nanmax(pixels))
    if row is None:
        want.update(first_detector_row=30, detector_row_step=2)
    else:
        want.update(detector_row=row)
    if sample.startswith("uint"):
        top = np.iinfo(sample).max
        want.update(low=LOW, high=HIGH,
                    value=f"low + sample * (high - low) / {top}",
                    samples_below=int((pixels < LOW).sum()),
                    samples_above=int((pixels > HIGH).sum()))
    if row is None:
        same(facts.pop("failures", ""), "")
        got = facts.pop("slice_crc32").split()
        same(got, sums if sums is not None else got)
    same(set(facts) - {"version"}, set(want), "names of facts")
    for key, value in want.items():
        same(facts[key], value, key)


def identify(path, what):
    if shutil.which("identify") is None:
        raise Skip("no identify: ImageMagick is not installed")
    return subprocess.run(["identify", "-format", what + "\n", str(path)],
                          check=True, capture_output=True,
                          text=True).stdout.split()


def check_stack(folder, sample):
    tifffile = need("tifffile")
    path = write(folder, "tiff", sample, "stack")
    want = convert(make_pixels(), sample)
    facts = path / "volume.json"
    names = sorted(set(path.iterdir()) - {facts})
    check_facts(json.loads(facts.read_text("ascii")), sample,
                sums=[f"{zlib.crc32(n.read_bytes()):08x}" for n in names])
    same([n.name for n in names],
         [f"recon_{30 + 2 * i:05}.tiff" for i in range(SHAPE[0])])
    same_samples(tifffile.imread([str(n) for n in names]), want)
    for i, name in enumerate(names):
        with tifffile.TiffFile(name) as tiff:
            page = tiff.pages[0]
            same(page.tags["ResolutionUnit"].value, 3, "centimetres")
            for axis in "XY":
                up, down = page.tags[axis + "Resolution"].value
                close(1e4 * down / up, PIXEL_UM, "pixel size")
            check_facts(json.loads(page.description), sample, 30 + 2 * i)


def check_pages(folder, sample):
    tifffile = need("tifffile")
    path = write(folder, "bigtiff", sample, "pages.tif")
    with tifffile.TiffFile(path) as tiff:
        same_samples(tiff.asarray(), convert(make_pixels(), sample))
        same(len(tiff.pages), SHAPE[0])
        assert tiff.is_imagej
        same(tiff.series[0].axes, "ZYX")
        facts = tiff.imagej_metadata
        same(facts["images"], SHAPE[0])
        same(facts["slices"], SHAPE[0])
        same(facts["unit"], "um")
        same(facts["spacing"], PITCH_UM)
        up, down = tiff.pages[0].tags["XResolution"].value
        close(down / up, PIXEL_UM, "pixel size")
        if sample.startswith("uint"):
            # ImageJ's calibration restores the values.
            top = 255 if sample == "uint8" else 65535
            same((facts["min"], facts["max"]), (0, top))
            same((facts["cf"], facts["c0"]), (0, LOW))
            close(facts["c1"], (HIGH - LOW) / top)
        for line in tiff.pages[0].description.splitlines():
            if line.startswith("tomolens="):
                check_facts(json.loads(line[len("tomolens="):]), sample,
                            sums=sum_slices(tiff.asarray()))


def check_imagemagick(folder, sample):
    np = need("numpy")
    n, height, width = SHAPE
    want = convert(make_pixels(), sample)
    stack = write(folder, "tiff", sample, "stack")
    pages = write(folder, "bigtiff", sample, "pages.tif")
    bits = str(8 * want.itemsize)
    for path in sorted(stack.glob("*.tiff")):
        *facts, per_cm = identify(path, "%m %w %h %z %U %x")
        same(facts, ["TIFF", str(width), str(height), bits,
                     "PixelsPerCentimeter"])
        assert abs(1e4 / float(per_cm) - PIXEL_UM) < 1e-6, per_cm
    same(identify(pages, "%w/%h/%z"), [f"{width}/{height}/{bits}"] * n)
    if sample.startswith("uint"):
        got = subprocess.run(["convert", pages, "-depth", bits, "-endian",
                              "LSB", "gray:-"], check=True,
                             capture_output=True).stdout
        same_samples(np.frombuffer(got, want.dtype).reshape(SHAPE), want)


def read_fact(dataset):
    value = dataset[()]
    return value.decode() if isinstance(value, bytes) else float(value)


def check_hdf5(folder, sample, compression):
    h5py = need("h5py")
    path = write(folder, "hdf5", sample, "v.h5", compression)
    want = convert(make_pixels(), sample)
    with h5py.File(path) as file:
        data = file["/exchange/data"]
        same_samples(data[()], want)
        same(data.chunks, (1, *SHAPE[1:]), "chunks")
        same(data.compression_opts, compression or None)
        same(data.attrs["units"], "1/pixel")
        same(data.attrs["axes"], "z:y:x")
        same(data.attrs["description"], QUANTITY)
        same(list(data.attrs["element_size_um"]),
             [PITCH_UM, PIXEL_UM, PIXEL_UM])
        if sample.startswith("uint"):
            same(data.attrs["offset"], LOW)
            close(data.attrs["scale"], (HIGH - LOW) / want.max())
        same(file["/implements"][()], b"exchange:process")
        same(file["/exchange/title"][()].decode(), SCAN)
        check_facts({key: read_fact(fact) for key, fact
                     in file["/process/tomolens"].items()}, sample,
                    sums=None if compression else sum_slices(want))


def check_nexus(folder, sample, compression):
    h5py = need("h5py")
    np = need("numpy")
    path = write(folder, "nexus", sample, "v.nxs", compression)
    want = convert(make_pixels(), sample)
    with h5py.File(path) as file:
        entry = file[file.attrs["default"]]
        for name, kind in (("", "NXentry"), ("instrument", "NXinstrument"),
                           ("instrument/source", "NXsource"),
                           ("sample", "NXsample"),
                           ("reconstruction", "NXprocess"),
                           ("reconstruction/parameters", "NXparameters"),
                           ("data", "NXdata")):
            same((entry[name] if name else entry).attrs["NX_class"], kind)
        same(entry["definition"][()], b"NXtomoproc")
        same(entry["title"][()].decode(), SCAN)
        same(entry["sample/name"][()].decode(), SCAN)
        made = entry["reconstruction"]
        same(made["program"][()], b"Tomolens")
        assert made["version"][()] and made["date"][()]
        same(made["parameters/raw_file"][()].decode(), SCAN)
        group = entry["data"]
        same(entry.attrs["default"], "data")
        data = group[group.attrs["signal"]]
        same(list(group.attrs["axes"]), ["z", "y", "x"])
        same_samples(data[()], want)
        same(data.attrs["units"], "1/pixel")
        if sample.startswith("uint"):
            restored = data.attrs["offset"] + data.attrs["scaling"] * data[()]
            inside = (make_pixels() >= LOW) & (make_pixels() <= HIGH)
            worst = np.abs(restored - make_pixels())[inside].max()
            assert worst <= data.attrs["scaling"] * 0.5001, worst
        for number, (axis, size, first, step) in enumerate(
                zip("zyx", SHAPE, (30 * PIXEL_UM, 0, 0),
                    (PITCH_UM, PIXEL_UM, PIXEL_UM))):
            np.testing.assert_allclose(group[axis][()],
                                       first + np.arange(size) * step)
            same(group[axis].attrs["units"], "um")
            same(group.attrs[axis + "_indices"], number)
        facts = {key: read_fact(fact)
                 for key, fact in made["parameters"].items()}
        del facts["raw_file"]
        check_facts(facts, sample)


def make_coarser(pixels):
    """Means of the voxels that are there, as floats."""
    np = need("numpy")
    for axis in range(3):
        if pixels.shape[axis] > 1:
            ends = np.arange(0, pixels.shape[axis], 2)
            counts = np.minimum(2, pixels.shape[axis] - ends)
            counts = counts.reshape([-1 if a == axis else 1 for a in range(3)])
            pixels = np.add.reduceat(pixels, ends, axis) / counts
    return pixels


def check_levels(arrays, sample):
    """Each level is the mean of the finer one before it was converted."""
    np = need("numpy")
    pixels = make_pixels()
    same(len(arrays), 3, "levels")
    same_samples(np.asarray(arrays[0]), convert(pixels, sample))
    pixels = pixels.astype("f8")
    for array in arrays[1:]:
        pixels = make_coarser(pixels)
        want = convert(pixels, sample).astype("f8")
        got = np.asarray(array).astype("f8")
        same(got.shape, want.shape, "shape of a level")
        np.testing.assert_allclose(
            got, want, rtol={"float32": 1e-5, "float16": 1e-3}.get(sample, 0),
            atol={"float32": 1e-5, "float16": 1e-3}.get(sample, 1))


def check_zarr(folder, sample, compression):
    zarr = need("zarr")
    path = write(folder, "zarr", sample, "v.zarr", compression)
    group = zarr.open_group(str(path), mode="r")
    scales, = group.attrs["multiscales"]
    same(scales["version"], "0.4")
    same(scales["name"], SCAN)
    same(scales["axes"], [{"name": axis, "type": "space",
                           "unit": "micrometer"} for axis in "zyx"])
    arrays = [group[level["path"]] for level in scales["datasets"]]
    check_levels([a[...] for a in arrays], sample)
    if compression and arrays[0].compressor is None:
        raise Skip("this program was built without Blosc")
    if compression:
        same(arrays[0].compressor.codec_id, "blosc")
        same(arrays[0].compressor.cname, "lz4" if compression < 6 else "zstd")
    for i, level in enumerate(scales["datasets"]):
        scale, shift = level["coordinateTransformations"]
        for axis, um in enumerate((PITCH_UM, PIXEL_UM, PIXEL_UM)):
            close(scale["scale"][axis], um * 2 ** i, "scale")
            first = 30 * PIXEL_UM if axis == 0 else 0
            close(shift["translation"][axis], first + um * (2 ** i - 1) / 2,
                  "shift")
    check_facts(group.attrs["tomolens"], sample)


def check_ome_zarr(folder, sample):
    io = need("ome_zarr.io")
    reader = need("ome_zarr.reader")
    path = write(folder, "zarr", sample, "v.zarr")
    node, = reader.Reader(io.parse_url(str(path)))()
    check_levels([d.compute() for d in node.data], sample)
    close(node.metadata["coordinateTransformations"][0][0]["scale"][0],
          PITCH_UM)


def check_raw(folder, sample):
    np = need("numpy")
    path = write(folder, "raw", sample, "v.raw")
    want = convert(make_pixels(), sample)
    fields, facts = {}, {}
    for line in path.with_suffix(".nhdr").read_text("utf-8").splitlines()[1:]:
        if ":=" in line:
            key, value = line.split(":=", 1)
            value = value.replace("\\\\", "\0").replace("\\n", "\n")
            value = value.replace("\0", "\\")
            facts[key] = value if key in (
                "quantity", "program", "version", "scan", "sample_type",
                "plane", "value", "command", "recipe",
                "slice_crc32") else float(value)
        else:
            key, value = line.split(": ", 1)
            fields[key] = value
    same(fields["sizes"], " ".join(map(str, reversed(SHAPE))))
    same(fields["spacings"], f"{PIXEL_UM} {PIXEL_UM} {PITCH_UM}")
    same((fields["endian"], fields["encoding"]), ("little", "raw"))
    data = np.fromfile(path.with_name(fields["data file"]),
                       want.dtype).reshape(SHAPE)
    same_samples(data, want)
    check_facts(facts, sample, sums=sum_slices(data))


def check_nrrd(folder, sample):
    nrrd = need("nrrd")
    path = write(folder, "raw", sample, "v.raw")
    data, header = nrrd.read(str(path.with_suffix(".nhdr")), index_order="C")
    same_samples(data, convert(make_pixels(), sample))
    same(list(header["spacings"]), [PIXEL_UM, PIXEL_UM, PITCH_UM])


SAMPLES = "float32", "float16", "uint16", "uint8"
CASES = (
    [(check, s) for s in SAMPLES for check in (
        check_stack, check_pages, check_imagemagick)]
    + [(check_raw, s) for s in SAMPLES if s != "float16"]
    # not in Debian 12: ./check brings them where it can
    + [(check_ome_zarr, "uint16"), (check_nrrd, "uint16")]
    + [(check, s, c) for s in SAMPLES for c in (0, 1, 9)
       for check in (check_hdf5, check_nexus, check_zarr)])


if __name__ == "__main__":
    sys.exit(run(CASES))
