"""Random scans in every format, written by other programs' libraries: whatever
their types, byte orders, chunks, compression, angles and missing parts, what
the program reads is what was written.

Usage: properties.py READ-SCAN [SEED [FORMAT NUMBER]]
With a number only that scan is made again; a failure says all three."""

import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from scans import READER, Scan  # it finds the folder of the next
from cases import Skip, need, run, same
from txrm import write_txrm

try:
    np = need("numpy")
except Skip as why:
    print(f"1..0 # SKIP {why}")
    sys.exit()

SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 14
N_SCANS = 14
TYPES = "u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"
WIDE = TYPES + ("u8", "i8", "f2")
# What the program reads 64-bit integers and half floats as.
READ_AS = {"u8": "f8", "i8": "f8", "f2": "f4"}
# How many of them a degree is.
UNITS = {"deg": 1, "degree": 1, "degrees": 1, "rad": np.pi / 180,
         "Radians": np.pi / 180, "mrad": np.pi / 0.18,
         "milliradian": np.pi / 0.18, "rev": 1 / 360, "Turns": 1 / 360}


class Choice:
    """Random numbers of one scan."""

    def __init__(self, name, number):
        self.number = number
        self.numbers = np.random.default_rng(
            [SEED, zlib.crc32(name.encode()), number])

    def one(self, options):
        return options[self.numbers.integers(len(options))]

    def count(self, low, high):
        return int(self.numbers.integers(low, high + 1))

    def often(self, probability=0.5):
        return bool(self.numbers.random() < probability)

    def samples(self, shape, dtype, low=-1., high=1.):
        """@low, @high: parts of the type's range"""
        dtype = np.dtype(dtype)
        if dtype.kind == "f":
            of_any_size = low < 0 and dtype.itemsize > 2
            scale = 10. ** self.count(-3, 6) if of_any_size else 900.
            return (self.numbers.uniform(low, high, shape) * scale
                    ).astype(dtype)
        limits = np.iinfo(dtype)
        low, high = (max(round(1000 * part) * int(limits.max) // 1000,
                         int(limits.min)) for part in (low, high))
        return self.numbers.integers(
            low, high, shape, dtype.newbyteorder("="), endpoint=True).astype(dtype)


@dataclass
class Made:
    """A scan. Flats and darks may be missing; angles are in degrees, None:
    none are written."""
    frames: np.ndarray
    flats: np.ndarray
    darks: np.ndarray
    angles: np.ndarray


def make(choice, types, orders="<>", frames=(2, 20)):
    """Over all scans, each of @types is used."""
    assert len(types) <= N_SCANS
    shape = choice.count(*frames), choice.count(1, 40), choice.count(1, 50)
    dtype = np.dtype(choice.one(orders) + types[choice.number % len(types)])
    angles = None
    if choice.often(0.8):
        span = choice.one((180., 360.)) * choice.one((-1, 1))
        angles = np.linspace(0, span, shape[0], choice.often())
        angles += choice.one((0, -90, 33.25))
        if choice.often(0.2):
            angles = choice.numbers.permutation(angles)
    n_flats = choice.one((0, 1, 3))
    n_darks = choice.one((0, 1, 2)) if n_flats else 0
    same_kind = [dtype] if dtype.kind == "f" else [dtype, np.dtype("<f4")]
    fields = choice.one(same_kind)
    return Made(choice.samples(shape, dtype),
                choice.samples((n_flats, *shape[1:]), fields, 0.5, 0.99),
                choice.samples((n_darks, *shape[1:]), fields, 0, 0.1), angles)


def check(scan, made, form, n_before=None):
    """@n_before: flats before the projections; None: all"""
    kind = made.frames.dtype.str[1:]
    scan.check(made.frames.astype(READ_AS.get(kind, kind)), form)
    n = len(made.frames)
    angles = np.arange(n) * 180. / n if made.angles is None else made.angles
    np.testing.assert_allclose(scan.angles, angles, rtol=1e-6, atol=1e-4)
    if kind in ("u8", "i8"):
        scan.has_note("above 2^53 (9e15) lose their last")
    n_flats, n_darks = len(made.flats), len(made.darks)
    n_before = n_flats if n_before is None else n_before
    same([int(scan.facts[k]) for k in ("flats", "flats_before", "darks")],
         [n_flats, n_before, n_darks], "flats and darks")
    if not n_flats:
        scan.has_note("no flat fields: the counts cannot" if kind[0] in "iu"
                      else "no flat fields: the values count as attenuation")
        return
    flats = made.flats.astype("f8")
    first, last = flats[:n_before], flats[n_before:]
    for field, want in ((scan.first, first if len(first) else last),
                        (scan.last, last if len(last) else first),
                        (scan.dark, made.darks.astype("f8") if n_darks
                         else np.zeros((1, *flats.shape[1:])))):
        np.testing.assert_allclose(field, want.mean(0), rtol=1e-5, atol=1e-6)


def write_angles(choice, angles):
    """Returns: the angles as they are written, and their unit"""
    unit = choice.one(list(UNITS))
    kind = choice.one(("f4", ">f8", "f8"))
    return (angles * UNITS[unit]).astype(kind), unit


# --- HDF5 ---


def write_dataset(choice, group, path, data):
    """In any of the ways in which HDF5 stores samples."""
    options = {}
    if choice.often(0.7):
        options["chunks"] = tuple(choice.count(1, n) for n in data.shape)
        options["shuffle"] = choice.often()
        options["fletcher32"] = choice.often(0.2)
        if choice.often(0.7):
            options.update(compression="gzip",
                           compression_opts=choice.count(0, 9))
        options["maxshape"] = choice.one((None, (None, *data.shape[1:])))
    return group.create_dataset(path, data=data, **options)


def write_theta(choice, group, path, made, needs_unit):
    if made.angles is None:
        return
    written, unit = write_angles(choice, made.angles)
    if not needs_unit and choice.often(0.3):
        written, unit = made.angles, None
    group[path] = written
    if unit:
        group[path].attrs["units"] = unit


def mix(choice, made, shuffled):
    """Returns: all frames in one array, as a camera writes them, their keys,
    and how many of the flats are first. Frames with other keys are in it."""
    keys = [0] * len(made.frames)
    for key, n in ((1, len(made.flats)), (2, len(made.darks)),
                   (3, choice.one((0, 2)))):
        for _ in range(n):
            at = choice.count(0, len(keys)) if shuffled else choice.one(
                (0, len(keys)))
            keys.insert(at, key)
    keys = np.array(keys)
    frames = np.zeros((len(keys), *made.frames.shape[1:]), made.frames.dtype)
    for key, some in ((0, made.frames), (1, made.flats), (2, made.darks)):
        frames[keys == key] = some
    return frames, keys, int((keys[:keys.tolist().index(0)] == 1).sum())


def of_one_type(choice, made):
    """Flats and darks that fit into the array of the projections."""
    for kind, low, high in (("flats", 0.5, 0.99), ("darks", 0, 0.1)):
        n = len(getattr(made, kind))
        setattr(made, kind,
                choice.samples((n, *made.frames.shape[1:]), made.frames.dtype,
                               low, high) if n else made.frames[:0])
    return made


def try_exchange(choice, folder):
    h5py = need("h5py")
    made = make(choice, WIDE)
    with h5py.File(folder / "scan.h5", "w",
                   libver=choice.one(("earliest", "latest"))) as f:
        write_dataset(choice, f, "/exchange/data", made.frames)
        for name, fields in (("white", made.flats), ("dark", made.darks)):
            if len(fields):
                one = len(fields) == 1 and choice.often()
                write_dataset(choice, f, f"/exchange/data_{name}",
                              fields[0] if one else fields)
        write_theta(choice, f, "/exchange/theta", made, False)
    check(Scan(folder / "scan.h5", folder), made, "Data Exchange HDF5")


def spread(choice, made, keys):
    """Returns: @made with angles of all frames, or of the projections alone"""
    if made.angles is None or choice.often():
        return made
    angles = np.zeros(len(keys))
    angles[keys == 0] = made.angles
    return Made(made.frames, made.flats, made.darks, angles)


def try_nxtomo(choice, folder):
    h5py = need("h5py")
    made = of_one_type(choice, make(choice, WIDE))
    frames, keys, n_before = mix(choice, made, choice.often())
    with h5py.File(folder / "scan.nxs", "w") as f:
        entry = f.create_group(choice.one(("entry", "entry1/tomo_entry")))
        f[entry.name.split("/")[1]].attrs["NX_class"] = "NXentry"
        entry.attrs["NX_class"] = ("NXentry" if entry.name == "/entry" else
                                   "NXsubentry")
        entry["definition"] = "NXtomo"
        for path, nx_class in (("instrument", "NXinstrument"),
                               ("instrument/pco", "NXdetector"),
                               ("sample", "NXsample")):
            entry.require_group(path).attrs["NX_class"] = nx_class
        write_dataset(choice, entry, "instrument/pco/data", frames)
        entry["instrument/pco/image_key"] = keys.astype(
            choice.one(("u1", "i4", ">i8", "f8")))
        write_theta(choice, entry, "sample/rotation_angle",
                    spread(choice, made, keys), False)
    check(Scan(folder / "scan.nxs", folder), made, "NXtomo HDF5", n_before)


def try_area_detector(choice, folder):
    h5py = need("h5py")
    made = of_one_type(choice, make(choice, WIDE))
    frames, keys, n_before = mix(choice, made, choice.often())
    with h5py.File(folder / "scan.h5", "w") as f:
        f.create_group("entry").attrs["NX_class"] = "NXentry"
        more = f.create_group("entry/instrument/NDAttributes")
        write_dataset(choice, f, choice.one(
            ("entry/instrument/detector/data", "entry/data/data")), frames)
        if choice.often(0.3):
            texts = "data", "data_white", "data_dark", "Pause"
            more[choice.one(("SaveDest", "HDF5FrameLocation"))] = np.array(
                [f"/exchange/{texts[key]}" for key in keys], "S256")
        else:
            more[choice.one(("ImageKey", "image_key"))] = keys
        whole = spread(choice, made, keys)
        if whole.angles is not None:  # its angles have no unit, and need none
            more[choice.one(("SampleTheta", "Theta", "SampleRotary"))
                 ] = whole.angles
    check(Scan(folder / "scan.h5", folder), made, "areaDetector HDF5",
          n_before)


def try_diamond(choice, folder):
    h5py = need("h5py")
    made = of_one_type(choice, make(choice, WIDE))
    frames, keys, n_before = mix(choice, made, True)
    with h5py.File(folder / "scan.nxs", "w") as f:
        write_dataset(choice, f, "entry/imaging/data", frames)
        f["entry/instrument/imaging/image_key"] = keys
        write_theta(choice, f, choice.one(
            ("entry/imaging_sum/gts_theta_value", "entry/imaging_sum/gts_theta")),
            spread(choice, made, keys), True)
    check(Scan(folder / "scan.nxs", folder), made, "Diamond HDF5", n_before)


def try_lima(choice, folder):
    """The angles are not in the file."""
    h5py = need("h5py")
    made = make(choice, WIDE)
    made.angles = None
    for name, frames in (("scan", made.frames), ("ref", made.flats),
                         ("dark", made.darks)):
        if len(frames):
            with h5py.File(folder / f"{name}_0000.h5", "w") as f:
                write_dataset(choice, f, "/entry_0000/measurement/data", frames)
    check(Scan(folder / "scan_0000.h5", folder), made, "LImA HDF5")


# Of its versions; None: it writes image keys.
BLISS_TITLES = (("projections 0 - 9", "flat", "dark"),
                ("projections 0 - 9", "reference images", "dark images"), None)


def write_bliss_scan(choice, f, number, frames, key, titles):
    """An entry as BLISS writes it. Returns: the entry"""
    h5py = need("h5py")
    entry = f.create_group(f"{number}.1")
    entry.attrs["NX_class"] = "NXentry"
    entry["title"] = titles[key] if titles else "x"
    if not titles:
        entry["technique/image_key"] = key
    camera = entry.create_group(f"instrument/{choice.one(('pco', 'frelon'))}")
    camera.attrs["NX_class"] = "NXdetector"
    if choice.often(0.3):
        write_dataset(choice, camera, "data", frames)
        return entry
    name = Path(f"scan{number:04}/images.h5")  # of LImA
    path = Path(f.filename).parent / name
    path.parent.mkdir()
    with h5py.File(path, "w") as images:
        write_dataset(choice, images, "/entry_0000/measurement/data", frames)
    layout = h5py.VirtualLayout(frames.shape, frames.dtype)
    layout[...] = h5py.VirtualSource(
        str(name), "/entry_0000/measurement/data", frames.shape)
    camera.create_virtual_dataset("data", layout)
    return entry


def try_bliss(choice, folder):
    """Scans of one file: darks, flats, projections, and often flats again."""
    h5py = need("h5py")
    made = make(choice, WIDE)
    n_before = len(made.flats)
    if n_before > 1 and choice.often():
        n_before = choice.count(1, n_before - 1)
    parts = [(made.darks, 2), (made.flats[:n_before], 1), (made.frames, 0),
             (made.flats[n_before:], 1)]
    if choice.often(0.3):
        parts.append(parts.pop(0))
    number, titles = choice.count(1, 11), choice.one(BLISS_TITLES)
    with h5py.File(folder / "scan.h5", "w") as f:
        f.create_group(f"{number}.1").attrs["NX_class"] = "NXentry"
        f[f"{number}.1/title"] = "tomo:fullturn"
        for frames, key in parts:
            if not len(frames):
                continue
            number += choice.count(1, 2)
            entry = write_bliss_scan(choice, f, number, frames, key, titles)
            if key == 0:
                write_theta(choice, entry, "measurement/" + choice.one(
                    ("hrsrot", "srot", "diffrz")), made, False)
    check(Scan(folder / "scan.h5", folder), made, "BLISS HDF5", n_before)


def try_places(choice, folder):
    """A layout that nobody knows: the user says where all is, and it may be in
    other files."""
    h5py = need("h5py")
    made = make(choice, WIDE)
    places = []

    def write(key, put):
        other = key != "data" and choice.often(0.7)
        name = f"{choice.one(('', 'a:b/'))}{key}.h5" if other else "scan.h5"
        path = f"/{choice.one(('run', 'x/y'))}/{key}"
        (folder / name).parent.mkdir(exist_ok=True)
        with h5py.File(folder / name, "a") as f:
            put(f, path)
        places.append(f"{key}={folder / name}:{path}" if other
                      else f"{key}={path}")

    write("data", lambda f, path: write_dataset(choice, f, path, made.frames))
    for key, fields in ("flats", made.flats), ("darks", made.darks):
        if len(fields):
            one = fields[0] if len(fields) == 1 and choice.often() else fields
            write(key, lambda f, path: write_dataset(choice, f, path, one))
    if made.angles is not None:
        write("angles", lambda f, path: write_theta(choice, f, path, made, True))
    check(Scan(folder / "scan.h5", folder, *places), made, "HDF5")


# --- images ---


def write_folder(choice, folder, made, suffix, write):
    """A file for each projection, or one for all; flats and darks beside them.
    @write: a function of a path and frames. Returns: the scan"""
    top = folder / "scan"
    top.mkdir()
    if made.angles is not None:
        gap = choice.one(("\n", " ", ",\n"))
        text = gap.join(f"{a:.9g}" for a in made.angles)
        (top / choice.one(("angles.txt", "theta.dat", "my_angles.txt"))
         ).write_text(text + "\n")
    for name, fields in (
            (choice.one(("flat", "ob", "white", "ref")), made.flats),
            (choice.one(("dark", "dc")), made.darks)):
        if choice.often():
            (top / name).mkdir()
            name = f"{name}/image"
        for i, field in enumerate(fields):
            write(top / f"{name}_{i:03}{suffix}", field[None])
    if choice.often(0.4):
        write(top / f"scan{suffix}", made.frames)
        return choice.one((top, top / f"scan{suffix}"))
    digits, first, step = choice.one((1, 5)), choice.count(0, 12), choice.one(
        (1, 7))
    for i, frame in enumerate(made.frames):
        write(top / f"p_{first + i * step:0{digits}}{suffix}", frame[None])
    return top


def check_images(choice, folder, made, suffix, name, write):
    path = write_folder(choice, folder, made, suffix, write)
    scan = Scan(path, folder)
    form = scan.facts["format"]
    assert form in (f"{name} folder", f"{name} stack"), form
    check(scan, made, form)


def try_tiff(choice, folder):
    tifffile = need("tifffile")
    made = make(choice, WIDE)
    big, order = choice.often(0.3), choice.one("<>")
    options = {"compression": choice.one((None, "zlib"))}
    if choice.often(0.3):
        options["tile"] = 16 * choice.count(1, 3), 16 * choice.count(1, 3)
    elif choice.often():
        options["rowsperstrip"] = choice.count(1, 12)

    def write(path, frames):
        with tifffile.TiffWriter(path, bigtiff=big, byteorder=order) as file:
            for frame in frames:
                file.write(frame, contiguous=False, photometric="minisblack",
                           metadata=None, **options)

    check_images(choice, folder, made, choice.one((".tif", ".TIFF")), "TIFF",
                 write)


def try_edf(choice, folder):
    fabio = need("fabio.edfimage")
    made = make(choice, TYPES + ("u8", "i8"))

    def write(path, frames):
        # fabio writes in the byte order of the machine that it is told of.
        is_big = frames.dtype.byteorder == ">"
        frames = frames.view(frames.dtype.newbyteorder("="))
        image = fabio.EdfImage(data=frames[0], header={"title": "x"})
        for frame in frames[1:]:
            image.append_frame(data=frame, header={"title": "a = b"})
        with patch.object(np, "little_endian", not is_big):
            image.write(str(path))

    check_images(choice, folder, made, ".edf", "EDF", write)


def try_fits(choice, folder):
    fits = need("astropy.io.fits")
    made = make(choice, TYPES + ("u8", "i8"))

    def write(path, frames):
        data = frames if len(frames) > 1 else frames[0]
        fits.PrimaryHDU(data).writeto(path)

    check_images(choice, folder, made, choice.one((".fits", ".FIT")), "FITS",
                 write)


NRRD = {"u1": "unsigned char", "i1": "int8", "u2": "ushort", "i2": "short",
        "u4": "uint32", "i4": "signed int", "f4": "float", "f8": "double",
        "u8": "unsigned long long", "i8": "int64"}


def try_raw(choice, folder):
    """numpy writes the samples; an NRRD header or the user says what they
    are."""
    made = make(choice, WIDE)
    made.flats = made.darks = made.frames[:0]
    made.angles = None
    dtype = made.frames.dtype
    big = dtype.byteorder == ">"
    header = choice.one((0, 1, 512))
    n, rows, cols = made.frames.shape
    with open(folder / "scan.bin", "wb") as file:
        file.write(bytes(header))
        made.frames.tofile(file)
    if dtype.str[1:] not in NRRD or choice.often():
        layout = f"{cols}x{rows}" + choice.one((f"x{n}", ""))
        layout += f":{dtype.name}" + ("be" if big else choice.one(("", "le")))
        layout += f":header={header}" if header or choice.often() else ""
        scan = Scan(folder / "scan.bin", folder, f"raw={layout}")
        check(scan, made, "raw stack")
        return
    (folder / "scan.nhdr").write_text(
        f"NRRD000{choice.count(1, 5)}\ntype: {NRRD[dtype.str[1:]]}\n"
        f"dimension: 3\nsizes: {cols} {rows} {n}\nencoding: raw\n"
        f"endian: {'big' if big else 'little'}\n"
        f"byte skip: {choice.one((header, -1))}\ndata file: scan.bin\n")
    check(Scan(folder / "scan.nhdr", folder), made, "NRRD stack")


def try_txrm(choice, folder):
    """gsf makes the file. The reference image is the only flat field."""
    made = make(choice, TYPES, "<")
    made.flats, made.darks = made.flats[:1], made.frames[:0]
    write_txrm(folder / "scan.txrm", made.frames,
               made.flats[0] if len(made.flats) else None,
               **({"ImageInfo_Angles": None} if made.angles is None
                  else {"ImageInfo_Angles":
                        made.angles.astype("<f4").tobytes()}))
    check(Scan(folder / "scan.txrm", folder), made, "TXRM stack")


def try_zarr(choice, folder):
    zarr, codecs = need("zarr"), need("numcodecs")
    made = make(choice, WIDE)
    made.frames = made.frames * (choice.numbers.random(made.frames.shape) < 0.9)
    group = zarr.open_group(str(folder / "scan.zarr"), mode="w")

    def write(path, data, n_before):
        shape = (1,) * n_before + data.shape
        array = group.create_dataset(
            path, shape=shape, dtype=data.dtype,
            chunks=tuple(choice.count(1, n + 2) for n in shape),
            fill_value=choice.one((0, 1, None)),
            write_empty_chunks=choice.often(),
            dimension_separator=choice.one("./"),
            compressor=choice.one((
                None, codecs.Zlib(choice.count(0, 9)), codecs.GZip(1),
                codecs.Blosc(choice.one(("lz4", "lz4hc", "zstd", "blosclz",
                                         "zlib")), choice.count(0, 9),
                             choice.count(0, 2)))))
        array[:] = data.reshape(shape)
        return array

    names = choice.one((
        ("exchange/data", "exchange/data_white", "exchange/data_dark",
         "exchange/theta"), ("projections", "flats", "darks", "angles"),
        ("0", "flat", "dark", "rotation_angle")))
    form = "OME-Zarr" if names[0] == "0" else "Zarr"
    write(names[0], made.frames, choice.count(0, 2))
    for name, fields in (names[1], made.flats), (names[2], made.darks):
        if len(fields):
            write(name, fields, 0)
    if form == "OME-Zarr":
        group.attrs["multiscales"] = [{"datasets": [{"path": "0"}]}]
    if made.angles is not None:
        written, unit = write_angles(choice, made.angles)
        if choice.often():
            write(names[3], written, 0).attrs["units"] = unit
        else:
            holder = choice.one((group, group[names[0]]))
            holder.attrs["theta"] = [float(a) for a in written]
            holder.attrs["theta_units"] = unit
    check(Scan(folder / "scan.zarr", folder), made, form)


FORMATS = {
    "exchange": try_exchange, "nxtomo": try_nxtomo,
    "area-detector": try_area_detector, "diamond": try_diamond,
    "lima": try_lima, "bliss": try_bliss, "places": try_places,
    "tiff": try_tiff, "edf": try_edf, "fits": try_fits, "raw": try_raw,
    "txrm": try_txrm, "zarr": try_zarr}


def check_scans(folder, name):
    only = sys.argv[4:5]
    for number in map(int, only) if only else range(N_SCANS):
        inside = Path(folder, str(number))
        inside.mkdir()
        try:
            FORMATS[name](Choice(name, number), inside)
        except Exception:
            print(f"# repeat it with: properties.py {READER} {SEED} {name} "
                  f"{number}")
            raise


if __name__ == "__main__":
    print(f"# seed {SEED}")
    sys.exit(run([(check_scans, name) for name in sys.argv[3:4] or FORMATS]))
