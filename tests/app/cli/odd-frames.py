"""Scans with odd frames, as beamlines write them: named by info, left out on
request, and then the same as scans that have never had them.
Usage: odd-frames.py PROGRAM

h5py writes the scans from one of a phantom."""

import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from cases import need, run, same  # noqa: E402

PROGRAM = sys.argv[1]
N = 200
LEAVE_OUT = "30,60:69,100,150:153,175"
WITHOUT_ANGLE = [120, 121]
CENTRE = "66.5"


def call(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True,
                          encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done


def refuse(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True,
                          encoding="utf-8")
    assert done.returncode != 0, done.stdout
    return done.stderr


def make(folder):
    """Returns: a good scan"""
    scan = folder / "good.h5"
    call("phantom", scan, "--size", 128, "--rows", 8, "--projections", N,
         "--noise", 20000, "--centre", CENTRE)
    return scan


def spoil(good, name, **storage):
    """Returns: the scan with frames that were never written, an unfinished
    one, a lost beam, a dip, and angles that are missing or doubled"""
    h5py, np = need("h5py"), need("numpy")
    scan = good.with_name(name)
    shutil.copy(good, scan)
    with h5py.File(scan, "r+") as f:
        data = f["/exchange/data"][:]
        dark = f["/exchange/data_dark"][:].mean(0).astype("u2")
        data[100, 4:] = 0
        data[150:154] = dark + np.arange(128, dtype="u2") % 3
        data[175] = dark + (data[175] - dark) * 0.7
        del f["/exchange/data"]
        new = f.create_dataset("/exchange/data", data.shape, "u2", **storage)
        new[:60] = data[:60]
        new[70:] = data[70:]
        angles = f["/exchange/theta"]
        angles[30] = angles[29]
        angles[120:122] = float("nan")
    return scan


def frames_of(ranges):
    numbers = []
    for part in ranges.split(","):
        first, _, last = part.partition(":")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def drop(scan, frames):
    """Returns: a scan that has never had these frames"""
    h5py, np = need("h5py"), need("numpy")
    without = scan.with_name("without.h5")
    shutil.copy(scan, without)
    with h5py.File(without, "r+") as f:
        for name in "/exchange/data", "/exchange/theta":
            kept = np.delete(f[name][:], frames, 0)
            attributes = dict(f[name].attrs)
            del f[name]
            f[name] = kept
            f[name].attrs.update(attributes)
    return without


def load(path):
    return need("tifffile").imread(path)


def recon(scan, name, *options):
    out = scan.with_name(name)
    call("recon", scan, "--engine", "host", "--centre", CENTRE, "--slice", 6,
         "-o", out, *options)
    return load(out)


STORAGE = {
    "contiguous": {"fillvalue": 0},
    "frames": {"chunks": (1, 8, 128), "compression": "gzip"},
    "blocks": {"chunks": (16, 4, 128), "compression": "gzip"},
}


def check_info(folder, storage):
    scan = spoil(make(folder), "odd.h5", **STORAGE[storage])
    found = json.loads(call("info", scan, "--json").stdout)
    same(found["odd"], {
        "checked": N - 2, "leave_out": LEAVE_OUT, "empty": "60:69",
        "unfinished": "100", "lost_beam": "150:153", "weak_beam": "175",
        "repeated_angle": "30"})
    words = call("info", scan).stdout
    for words_of_note in ["--leave-out 60:69 ", "--leave-out 100 ",
                          "--leave-out 150:153 ", "--leave-out 175 ",
                          "--leave-out 30 ", "for them): 120:121"]:
        assert words_of_note in words, (words_of_note, words)
    harmful = "60:69,100,150:153,175"
    every = f", and --leave-out {harmful} leaves out all that are odd\n"
    same(words.count(every), 1)
    words = call("info", scan, "--leave-out", LEAVE_OUT).stdout
    assert "none is odd" in words, words
    note = f"left out: {LEAVE_OUT}; 181 of 200 projections are used"
    assert note in words, words
    assert "no projection is between 53.1 and 63 degrees: a gap" in words, words


def check_noted(folder):
    """A slice and a volume are made with them, but not without a word."""
    scan = spoil(make(folder), "odd.h5", **STORAGE["contiguous"])
    with need("h5py").File(scan, "r+") as f:
        f["/exchange/theta"][120:122] = [108, 108.9]
    options = "--engine", "host", "--centre", CENTRE
    want = [line.partition("note ")[2].strip()
            for line in call("info", scan).stdout.splitlines()
            if "--leave-out" in line and "earlier one" not in line]
    same(len(want), 4)
    for args in (("recon", scan, "--slice", 6, "-o", folder / "x.tiff"),
                 ("export", scan, "-o", folder / "x")):
        said = call(*args, *options).stderr
        for note in want:
            assert f"note: {note}\n" in said, (note, said)
    said = call("recon", scan, "--slice", 6, "-o", folder / "y.tiff", *options,
                "--leave-out", LEAVE_OUT).stderr
    assert "--leave-out" not in said, said


def check_files(folder):
    """Where the files have other numbers than the projections."""
    np, tifffile = need("numpy"), need("tifffile")
    for k in range(1, 13):
        image = np.random.default_rng(k).integers(100, 200, (8, 32), "u2")
        tifffile.imwrite(folder / f"p_{k:04}.tif", image * (k != 5))
    words = call("info", folder).stdout
    assert "never written: 4 (p_0005.tif); --leave-out 4 leaves" in words, words


def check_damaged(folder):
    """Chunks that do not decompress: all are named in the shortest form, and
    the others are good without them."""
    h5py, np = need("h5py"), need("numpy")
    good = make(folder)
    scan = spoil(good, "damaged.h5", **STORAGE["frames"])
    frames = [40, 41, 42, 90]
    with h5py.File(scan, "r+") as f:
        for frame in frames:
            f["/exchange/data"].id.write_direct_chunk((frame, 0, 0), b"bad")
    options = "--engine", "host", "--centre", CENTRE, "--slice", 6
    said = refuse("recon", scan, *options, "-o", folder / "x.tiff")
    assert "frame 40 " in said and "--leave-out 40:42,90 leaves out all" in said, said
    assert len(said.splitlines()[-1]) < 300, said
    found = json.loads(call("info", scan, "--json").stdout)["odd"]
    same((found["unreadable"], found["weak_beam"]), ("40:42,90", "175"))
    without = drop(spoil(good, "odd.h5", **STORAGE["contiguous"]), frames)
    assert np.array_equal(recon(scan, "got.tiff", "--leave-out", "40:42,90"),
                          recon(without, "want.tiff"))


def check_few_counts(folder):
    """Shot noise of a few counts a pixel is no weak beam, and hides none of
    half the light."""
    h5py, np = need("h5py"), need("numpy")
    scan = folder / "counts.h5"
    for counts in 2, 5, 10:
        rng = np.random.default_rng(counts)
        beam = np.full((N, 24, 96), float(counts))
        beam[:, :, 20:70] *= 0.3
        for dip, want in ((1, {}), (0.5, {"weak_beam": "80"})):
            beam[80] *= dip
            if want and counts < 5:  # noise hides it
                continue
            with h5py.File(scan, "w") as f:
                f["/exchange/data"] = rng.poisson(beam).astype("u2")
                f["/exchange/data_white"] = rng.poisson(
                    np.full((8, 24, 96), counts)).astype("u2")
                f["/exchange/data_dark"] = np.zeros((5, 24, 96), "u2")
                f["/exchange/theta"] = np.arange(N) * 0.9
            found = json.loads(call("info", scan, "--json").stdout)["odd"]
            found.pop("leave_out")
            same(found, {"checked": N, **want}, (counts, dip))


def check_good(folder):
    found = json.loads(call("info", make(folder), "--json").stdout)
    same(found["odd"], {"checked": N, "leave_out": ""})


def check_repeated(folder):
    """Repeated angles do no harm, so nothing else is proposed."""
    scan = make(folder)
    with need("h5py").File(scan, "r+") as f:
        f["/exchange/theta"][30] = f["/exchange/theta"][29]
    words = call("info", scan).stdout
    assert "--leave-out 30 leaves them out\n" in words, words
    with need("h5py").File(scan, "r+") as f:  # the stage stands still
        f["/exchange/theta"][N // 2:] = f["/exchange/theta"][N // 2]
    words = call("info", scan).stdout
    assert f"--leave-out 30,{N // 2 + 1}:{N - 1} leaves" in words, words
    with need("h5py").File(scan, "r+") as f:  # every angle twice
        f["/exchange/theta"][1::2] = f["/exchange/theta"][0::2][:N // 2]
    words = call("info", scan).stdout
    assert "at the angle of an earlier one" not in words, words


def check_same(folder, storage):
    """What is left out might as well not be there, in all that follows."""
    np = need("numpy")
    good = make(folder)
    scan = spoil(good, "odd.h5", **STORAGE[storage])
    without = drop(scan, frames_of(LEAVE_OUT) + WITHOUT_ANGLE)
    options = "--leave-out", LEAVE_OUT
    want = recon(without, "want.tiff")
    assert np.array_equal(recon(scan, "got.tiff", *options), want)
    # and is better than with it: streaks vanish
    true = recon(good, "true.tiff")
    error = [np.sqrt(np.mean((picture - true) ** 2))
             for picture in (recon(scan, "odd.tiff"), want)]
    assert error[1] < error[0] / 5, error
    # the axis
    centres = [json.loads(call("centre", *args, "--json").stdout)
               ["slices"][0]["estimates"]
               for args in ((scan, *options), (without,))]
    same([m["centre"] for m in centres[0]],
         [m["centre"] for m in centres[1]])


def check_export(folder):
    """The recipe of an export repeats it."""
    np = need("numpy")
    scan = spoil(make(folder), "odd.h5")
    out, again = folder / "volume", folder / "again"
    call("export", scan, "--engine", "host", "--centre", CENTRE,
         "--leave-out", "175,30,60:69,100,150:153", "-o", out)
    recipe = (out / "recipe.ini").read_text()
    assert f"leave-out={LEAVE_OUT}\n" in recipe, recipe
    call("export", scan, "--recipe", out / "recipe.ini", "-o", again)
    slices = sorted(p.name for p in out.glob("*.tif*"))
    same(len(slices), 8)
    for name in slices:
        assert np.array_equal(load(out / name), load(again / name)), name
    want = recon(scan, "one.tiff", "--leave-out", LEAVE_OUT)
    assert np.allclose(load(out / slices[6]), want, atol=1e-6)


def check_refused(folder):
    scan = make(folder)
    for ranges, words in [
            ("200", "projection 200 cannot be left out, because the "
                    "projections are 0 to 199"),
            ("0:199", "all 200 projections are left out"),
            ("7:3", "leave-out takes numbers and ranges of projections")]:
        said = refuse("recon", scan, "--leave-out", ranges)
        assert words in said, said


def check_opposite(folder):
    """Pairs are named as in the file."""
    scan = folder / "turn.h5"
    call("phantom", scan, "--size", 128, "--rows", 64, "--projections", 72,
         "--angles", "0:360", "--centre", CENTRE)
    pair = json.loads(call("centre", scan, "--opposite", "20", "--leave-out",
                           "0:9", "--json").stdout)
    same((pair["projection"], pair["opposite"]), (20, 56))
    said = refuse("centre", scan, "--opposite", "20", "--leave-out", "19:21")
    assert "projection 20 is left out" in said, said


def check_fields(folder, storage):
    """Flats without a beam and darks with one are named, and leave no trace."""
    h5py, np = need("h5py"), need("numpy")
    scan, without = make(folder), folder / "without.h5"
    shutil.copy(scan, without)
    with h5py.File(scan, "r+") as f:
        whites, darks = (f["/exchange/data_" + kind][:]
                         for kind in ("white", "dark"))
        for name, images in (
                ("white", np.insert(whites, 2, darks[:1], 0)),
                ("dark", np.insert(darks, [1, 3], whites[:2], 0))):
            del f["/exchange/data_" + name]
            f.create_dataset("/exchange/data_" + name, data=images,
                             **STORAGE[storage])
        n = len(whites) + 1, len(darks) + 2
    found = json.loads(call("info", scan, "--json").stdout)
    same(found["odd"], {"checked": N, "leave_out": "",
                        "flats_without_beam": "2", "darks_with_beam": "1,4"})
    notes = (f"flat fields without a beam (1 of {n[0]}, counted from 0) are "
             "left out of the mean, because they are hardly brighter than dark "
             "fields: 2; --flats-path chooses others",
             f"dark fields with a beam (2 of {n[1]}, counted from 0) are left "
             "out of the mean, because they are more like flat fields: 1,4; "
             "--darks-path chooses others")
    words = call("info", scan).stdout
    said = call("recon", scan, "--engine", "host", "--centre", CENTRE,
                "--slice", 6, "-o", folder / "x.tiff").stderr
    for note in notes:
        assert note in words and f"note: {note}\n" in said, (note, words, said)
    assert np.array_equal(recon(scan, "got.tiff"),
                          recon(without, "want.tiff"))
    # as do volumes, which read the fields block by block
    for path in scan, without:
        call("export", path, "--engine", "host", "--centre", CENTRE, "-o",
             folder / path.stem)
    for name in (p.name for p in (folder / "without").glob("*.tif*")):
        assert np.array_equal(load(folder / scan.stem / name),
                              load(folder / "without" / name)), name


def check_empty_fields(folder):
    """Flats and darks of NaN only are named, and leave no trace."""
    h5py, np = need("h5py"), need("numpy")
    scan, without = make(folder), folder / "without.h5"
    shutil.copy(scan, without)
    with h5py.File(scan, "r+") as f:
        for name, at in ("white", 1), ("dark", [0, 2]):
            images = np.insert(f["/exchange/data_" + name][:].astype("f4"), at,
                               np.nan, 0)
            del f["/exchange/data_" + name]
            f["/exchange/data_" + name] = images
    found = json.loads(call("info", scan, "--json").stdout)
    same(found["odd"], {"checked": N, "leave_out": "",
                        "flats_without_values": "1",
                        "darks_without_values": "0,3"})
    same(found["looked_at"]["dead_columns"], 0)
    same(found["looked_at"]["dead_pixels"], 0)
    words = call("info", scan).stdout
    for note in ("fields without values (1 of ", "in them: 1; --flats-path chooses",
                 "fields without values (2 of ", "in them: 0,3; --darks-path choos"):
        assert note in words, (note, words)
    assert np.array_equal(recon(scan, "got.tiff"),
                          recon(without, "want.tiff"))


def check_wrong_fields(folder):
    """All flats or all darks that are wrong are named, and count."""
    h5py, np = need("h5py"), need("numpy")
    good = make(folder)
    with h5py.File(good) as f:
        whites, darks = (f["/exchange/data_" + kind][:]
                         for kind in ("white", "dark"))
    dimmed = (darks[:1] + 0.6 * (whites - darks[:1])).astype("u2")
    exchanged = "flat and dark fields look exchanged: "
    lit = "all dark fields look as if taken with a beam, "
    unlit = "all flat fields look as if taken without a beam, "
    empty = "all flat fields are empty: none of their samples is a number"
    nothing = np.full(whites.shape, np.nan, "f4")
    for flats, dark, name, words in (
            (darks, whites, "exchanged", exchanged),
            (whites, whites, "all_darks_with_beam", lit),
            (whites, dimmed, "all_darks_with_beam", lit),
            (darks, darks, "all_flats_without_beam", unlit),
            (nothing, darks, "all_flats_without_values", empty)):
        scan = folder / "wrong.h5"
        shutil.copy(good, scan)
        with h5py.File(scan, "r+") as f:
            for kind, images in ("white", flats), ("dark", dark):
                del f["/exchange/data_" + kind]
                f["/exchange/data_" + kind] = images
        found = json.loads(call("info", scan, "--json").stdout)["odd"]
        same(found, {"checked": N, "leave_out": "", "fields": name})
        said = call("info", scan).stdout
        assert words in said and "-path choose" in said, said
        assert "dead " not in said, said
    said = call("recon", scan.with_name("good.h5"), "--engine", "host",
                "--centre", CENTRE, "--slice", 6, "-o", folder / "x.tiff").stderr
    assert "fields look" not in said, said
    with h5py.File(scan, "r+") as f:
        for kind, images in ("white", whites), ("dark", dimmed):
            del f["/exchange/data_" + kind]
            f["/exchange/data_" + kind] = images
    said = call("recon", scan, "--engine", "host", "--centre", CENTRE,
                "--slice", 6, "-o", folder / "y.tiff").stderr
    assert lit in said, said


def beam(counts, n, drift=0):
    """Returns: @n flats of a beam that moves by @drift rows and decays, with
    shot noise, and darks"""
    np = need("numpy")
    rng = np.random.default_rng(n)
    row, col = np.mgrid[:96, :256]
    flats = [counts * (1 - 0.4 * k / n)
             * np.exp(-((row - 48 - drift * k) / 40) ** 2)
             * np.exp(-((col - 128) / 110) ** 2) for k in range(n)]
    return (rng.poisson(flats).astype("u2") + 100,
            rng.normal(100, 2, (5, 96, 256)).round().astype("u2"))


def write_fields(folder, flats, darks):
    h5py, np = need("h5py"), need("numpy")
    scan = folder / "fields.h5"
    with h5py.File(scan, "w") as f:
        f["/exchange/data"] = np.repeat(flats[:1], 8, 0)
        f["/exchange/data_white"] = flats
        f["/exchange/data_dark"] = darks
        f["/exchange/theta"] = np.arange(8) * 22.5
    found = json.loads(call("info", scan, "--json").stdout)["odd"]
    return {key: value for key, value in found.items()
            if key.startswith(("flats", "darks"))}


def check_weak_fields(folder):
    """A beam that drifts, decays or has few counts is none of these."""
    for counts in 0.3, 1, 3, 10, 1000, 50000:
        for drift in 0, 0.5:
            same(write_fields(folder, *beam(counts, 20, drift)), {}, counts)


def check_covered_fields(folder):
    """Flats with a mask in the beam, also if they are most of them."""
    np = need("numpy")
    row, col = np.mgrid[:96, :256]
    mask = (row % 24 - 12) ** 2 + (col % 36 - 18) ** 2 < 49
    for counts, covered, name in ((30, [2, 5], "2,5"),
                                  (5000, range(7), "0:6")):
        flats, darks = beam(counts, 10)
        for k in covered:
            flats[k] = np.where(mask, darks[0], flats[k])
        same(write_fields(folder, flats, darks), {"flats_covered": name})


def check_doubtful_fields(folder):
    """Those that may be right count, but not without a word."""
    np = need("numpy")
    flats, darks = beam(2000, 6)
    flats[3] = 100 + (flats[3] - 100.0) / 4
    same(write_fields(folder, flats, darks), {"flats_dim": "3"})
    flats[1:5] = darks[:4]
    same(write_fields(folder, flats, darks), {"flats_dim": "1:4"})


def check_field_files(folder):
    """In a folder, their files are named. Beside a stack they are numbered, but
    chosen by the names of files, too."""
    np, tifffile = need("numpy"), need("tifffile")
    flats, darks = beam(2000, 4)
    flats[2], darks[1] = darks[0], flats[0]
    projections = np.repeat(flats[:1] - 50, 8, 0)
    for name in ("images", "stack"):
        (folder / name).mkdir()
        for kind, images in (("flat", flats), ("dark", darks)):
            for k, image in enumerate(images):
                tifffile.imwrite(folder / name / f"{kind}_{k + 1:04}.tif",
                                 image)
    for k, image in enumerate(projections):
        tifffile.imwrite(folder / "images" / f"p_{k + 1:04}.tif", image)
    stack = folder / "stack" / "scan.tif"
    tifffile.imwrite(stack, projections)
    for scan, flat, dark in ((folder / "images", "2 (flat_0003.tif)",
                              "1 (dark_0002.tif)"), (stack, "2", "1")):
        words = call("info", scan).stdout
        for found in (f"fields: {flat}; --flats chooses others\n",
                      f"flat fields: {dark}; --darks chooses others\n"):
            assert found in words, (found, words)


def check_like_counts(folder):
    """Floats without flats that cannot be attenuation."""
    np, tifffile = need("numpy"), need("tifffile")
    for scale, is_told in ((4, False), (30000, True)):
        scan = folder / f"{scale}"
        scan.mkdir()
        for k in range(8):
            image = np.random.default_rng(k).random((16, 32), "f4") * scale
            tifffile.imwrite(scan / f"p_{k}.tif", image)
        words = call("info", scan).stdout
        said = call("recon", scan, "--slice", 6, "--engine", "host", "-o",
                    folder / "x.tiff", "--overwrite").stderr
        note = "too large for attenuation: they look like counts"
        same((note in words, note in said), (is_told, is_told))
        same("-log already taken" in words, not is_told)
    stack = folder / "stack.tif"
    tifffile.imwrite(stack, np.random.default_rng(1).random((8, 16, 32), "f4")
                     * 30000)
    words = call("info", stack).stdout
    assert f"{note}, which need flat fields; --flats names" in words, words


if __name__ == "__main__":
    sys.exit(run([(check_info, storage) for storage in STORAGE]
                 + [(check_same, storage) for storage in STORAGE]
                 + [(check_noted,), (check_files,), (check_damaged,), (check_good,), (check_few_counts,), (check_repeated,), (check_export,), (check_refused,),
                    (check_opposite,)]
                 + [(check_fields, storage) for storage in ("contiguous",
                                                            "frames")]
                 + [(check_empty_fields,), (check_wrong_fields,),
                    (check_weak_fields,),
                    (check_covered_fields,),
                    (check_doubtful_fields,), (check_field_files,),
                    (check_like_counts,)]))
