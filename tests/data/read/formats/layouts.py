"""HDF5 scans in the layouts of beamlines, written by h5py: what the program
reads is what was written. Usage: layouts.py READ-SCAN PLUG-IN"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scans import Scan, read_scan, refuse  # it finds the folder of the next
from cases import Skip, need, run, same

try:
    np, h5py = need("numpy"), need("h5py")
except Skip as why:
    print(f"1..0 # SKIP {why}")
    sys.exit()

PLUG_IN = os.path.abspath(sys.argv[2])

# dark, 2 flats, 4 projections, flat, dark
KEYS = np.array([2, 1, 1, 0, 0, 0, 0, 1, 2], "u1")
ANGLES = np.array([0, 0, 0, 0, 45, 90, 135, 135, 135.0])
FRAMES = (np.arange(9 * 3 * 5).reshape(9, 3, 5) * 7 % 251).astype("u2")
FRAMES[KEYS == 1] += 1000


def list_contents(path):
    """Returns: (word, text) of each line: what is there, and which"""
    done = read_scan("--list", path)
    same(done.returncode, 0, done.stderr)
    return [line.split(" ", 1) for line in done.stdout.splitlines()]


def expect(scan, layout, projections, angles, dark=None, flat=None,
           flat_after=None):
    """Compares all values. @flat, @dark: frames, whose mean is expected"""
    scan.check(projections, layout)
    np.testing.assert_allclose(scan.angles, angles, rtol=1e-6)
    if flat is None:
        assert not hasattr(scan, "first")
        return
    after = flat if flat_after is None else flat_after
    np.testing.assert_allclose(scan.first, flat.mean(0), rtol=1e-6)
    np.testing.assert_allclose(scan.last, after.mean(0), rtol=1e-6)
    dark = np.zeros((1, *projections.shape[1:])) if dark is None else dark
    np.testing.assert_allclose(scan.dark, dark.mean(0), rtol=1e-6)


def expect_keyed(scan, layout):
    expect(scan, layout, FRAMES[KEYS == 0], ANGLES[KEYS == 0],
           FRAMES[KEYS == 2], FRAMES[1:3], FRAMES[7:8])


def nx_group(parent, path, nx_class):
    group = parent.require_group(path)
    group.attrs["NX_class"] = nx_class
    return group


# --- the layouts of the table ---


def write_area_detector(path, keyed=True):
    with h5py.File(path, "w") as f:
        nx_group(f, "entry", "NXentry")
        nx_group(f, "entry/instrument", "NXinstrument")
        nx_group(f, "entry/instrument/detector", "NXdetector")
        f["/entry/instrument/detector/data"] = FRAMES
        nx_group(f, "entry/data", "NXdata")
        f["/entry/data/data"] = f["/entry/instrument/detector/data"]
        more = nx_group(f, "entry/instrument/NDAttributes", "NXcollection")
        more["NDArrayUniqueId"] = np.arange(9)
        more["NDArrayTimeStamp"] = np.linspace(0, 1, 9)
        if keyed:
            more["ImageKey"] = KEYS
            more["SampleTheta"] = ANGLES
        f["/entry/instrument/performance/timestamp"] = np.zeros((9, 5))


def check_area_detector(folder):
    scan = folder / "scan.h5"
    write_area_detector(scan)
    expect_keyed(Scan(scan, folder), "areaDetector HDF5")
    write_area_detector(scan, keyed=False)
    plain = Scan(scan, folder)
    expect(plain, "areaDetector HDF5", FRAMES, np.arange(9) * 20.0)
    plain.has_note("no angles found")
    plain.has_note("no flat fields")
    for name, angle, words in (
            ("SaveDest", "SampleRotary",
             ["/exchange/data", "/exchange/data_white", "/exchange/data_dark",
              "/exchange/Pause"]),
            ("HDF5FrameLocation", "SampleRotation",
             ["/a/data", "/b/data_white", "/c/data_dark", ""]),
            ("ImageKey", "SampleOmega",
             ["Projection", "FlatField", "DarkField", "Normal"])):
        write_area_detector(scan, keyed=False)
        with h5py.File(scan, "r+") as f:
            more = f["/entry/instrument/NDAttributes"]
            texts = [words[key] for key in KEYS]
            texts[4] = words[3]
            more[name] = np.array(texts, "S256")  # as areaDetector
            more[angle] = ANGLES
            more[angle + "Dial"] = ANGLES + 1
        keyed = Scan(scan, folder)
        left = (KEYS == 0) & (np.arange(9) != 4)
        expect(keyed, "areaDetector HDF5", FRAMES[left], ANGLES[left],
               FRAMES[KEYS == 2], FRAMES[1:3], FRAMES[7:8])
        keyed.has_note(f'1 frame is marked invalid and left out ("{words[3]}")')
    with h5py.File(scan, "r+") as f:
        more = f["/entry/instrument/NDAttributes"]
        more["ImageKey"][:] = b"x"
    Scan(scan, folder).has_note("NDAttributes/ImageKey says which frames are "
                                "projections: left out")
    with h5py.File(scan, "r+") as f:
        more = f["/entry/instrument/NDAttributes"]
        more["ImageKey"][:] = [b"data", b"a", b"b", b"a", b"c", b"d", b"data",
                               b"\xff", b"data"]
    Scan(scan, folder).has_note('6 frames are marked invalid and left out '
                                '("a", "b", "c" …)')
    with h5py.File(scan, "r+") as f:
        more = f["/entry/instrument/NDAttributes"]
        del more["ImageKey"]
        keys = more.create_dataset("ImageKey", (9,), "S256", chunks=(9,),
                                   compression="gzip")
        keys.id.write_direct_chunk((0,), b"no deflated data")
    Scan(scan, folder).has_note("the texts in /entry/instrument/NDAttributes/"
                                "ImageKey, which say what the frames are, "
                                "cannot be read: left out")
    refuse(scan, folder, "the texts in /entry/instrument", "cannot be read",
           options=["data=/entry/data/data",
                    "keys=/entry/instrument/NDAttributes/ImageKey"])
    with h5py.File(scan, "r+") as f:
        more = f["/entry/instrument/NDAttributes"]
        del more["ImageKey"]
        more["ImageKey"] = np.array(["x"] * 9, "S256")
    refuse(scan, folder, "no text in /entry/instrument/NDAttributes/ImageKey",
           options=["data=/entry/data/data",
                    "keys=/entry/instrument/NDAttributes/ImageKey"])
    write_area_detector(scan)
    for ids, words in (
            (np.arange(11, 20), None),
            ([1, 2, 3, 40, 42, 43, 47, 60, 61], "4 projections have not come "
             "into the file, by the gaps in the unique ids: 41, 44:46"),
            ([1, 2, 3, 40, 42, 43, 44, 60, 61], "1 projection has not come "
             "into the file, by the gap in the unique ids: 41"),
            ([1, 2, 3, 40, 0, 0, 0, 0, 0], None)):
        with h5py.File(scan, "r+") as f:
            f["/entry/instrument/NDAttributes/NDArrayUniqueId"][:] = ids
        same([n for n in Scan(scan, folder).notes if "not come into" in n],
             [words] if words else [])
    write_area_detector(scan, keyed=False)
    listed = list_contents(scan)
    same([text for word, text in listed if word == "dataset"],
         ["/entry/data/data 9 3 5 uint16",  # once
          "/entry/instrument/performance/timestamp 1 9 5 float64",
          "/entry/instrument/NDAttributes/NDArrayTimeStamp 1 1 9 float64",
          "/entry/instrument/NDAttributes/NDArrayUniqueId 1 1 9 float64"])


def write_diamond(path):
    """DIAD's, with the links that are left when a file is copied alone."""
    with h5py.File(path, "w") as f:
        entry = nx_group(f, "entry", "NXentry")
        entry["definition"] = "NXscan"
        nx_group(f, "entry/instrument", "NXinstrument")
        camera = nx_group(f, "entry/instrument/imaging", "NXdetector")
        camera["image_key"] = KEYS
        camera["data"] = h5py.ExternalLink("pco.h5", "/entry/data/data")
        entry["imaging/data"] = FRAMES
        entry["imaging_sum/gts_theta_value"] = ANGLES
        entry["imaging_sum/sum"] = FRAMES.sum((1, 2)).reshape(9, 1, 1)
        entry["imaging/image_key"] = h5py.SoftLink("/entry/nowhere/image_key")
        for k in range(40):
            name = f"diamond_scan/broken{k:02}"
            entry[name] = (h5py.SoftLink(f"/entry/gone{k}") if k % 2 else
                           h5py.ExternalLink(f"/dls/gone{k}.h5", "/data"))
        entry["imaging_link"] = h5py.SoftLink("/entry/imaging_link")
        entry["around"] = h5py.SoftLink("/entry")
        f["/aaa"] = h5py.ExternalLink("gone.nxs", "/entry")


def check_diamond(folder):
    scan = folder / "scan.nxs"
    write_diamond(scan)
    expect_keyed(Scan(scan, folder), "Diamond HDF5")
    paths = [text.split()[0] for word, text in list_contents(scan)]
    same(paths, ["/entry/imaging/data", "/entry/imaging_sum/gts_theta_value",
                 "/entry/imaging_sum/sum",
                 "/entry/instrument/imaging/image_key", "/entry"])
    with h5py.File(scan, "w") as f:  # of I13
        f["/entry1/flyScanDetector/data"] = FRAMES
        f["/entry1/flyScanDetector/image_key"] = KEYS
        angles = f.create_dataset("/entry1/tomo_entry/data/rotation_angle",
                                  data=np.radians(ANGLES))
        angles.attrs["units"] = "radians"
        f["/entry1/tomo_entry/data/data"] = h5py.ExternalLink("x.h5", "/data")
    expect_keyed(Scan(scan, folder), "Diamond HDF5")


def write_bliss(folder, new):
    """A sequence, its darks, flats and projections; the images as LImA's."""
    with h5py.File(folder / "scan.h5", "w") as f:
        kinds = [("dark images", 2, FRAMES[KEYS == 2]),
                 ("flat" if new else "reference images", 1, FRAMES[1:3]),
                 ("projections 0 - 4", 0, FRAMES[KEYS == 0])]
        nx_group(f, "1.1", "NXentry")["title"] = "tomo:fullturn"
        for k, (title, key, frames) in enumerate(kinds):
            name = f"scan{k + 2:04}/pco_0000.h5"
            (folder / name).parent.mkdir(exist_ok=True)
            with h5py.File(folder / name, "w") as images:
                images["/entry_0000/measurement/data"] = frames
            entry = nx_group(f, f"{k + 2}.1", "NXentry")
            entry["title"] = "x" if new else title
            if new:
                entry["technique/image_key"] = key
            nx_group(entry, "instrument", "NXinstrument")
            camera = nx_group(entry, "instrument/pco", "NXdetector")
            layout = h5py.VirtualLayout(frames.shape, "u2")
            layout[...] = h5py.VirtualSource(
                name, "/entry_0000/measurement/data", frames.shape)
            camera.create_virtual_dataset("data", layout)
            diode = nx_group(entry, "instrument/diode", "NXdetector")
            diode["data"] = np.arange(len(frames))
            entry["measurement/pco"] = h5py.SoftLink(
                f"/{k + 2}.1/instrument/pco/data")
            if key == 0:
                entry["measurement/hrsrot"] = ANGLES[KEYS == 0]
                entry["measurement/hrsrot"].attrs["units"] = "deg"
                size = entry.create_dataset(
                    "technique/optic/sample_pixel_size", data=0.65)
                size.attrs["units"] = "um"


def check_bliss(folder):
    for new in (False, True):
        write_bliss(folder, new)
        scan = Scan(folder / "scan.h5", folder)
        expect(scan, "BLISS HDF5", FRAMES[KEYS == 0], ANGLES[KEYS == 0],
               FRAMES[KEYS == 2], FRAMES[1:3])
        same(scan.facts["pixel_um"], "0.65")
    with h5py.File(folder / "scan.h5", "r+") as f:
        for after in ("/5.1", "/10.1", "/11.1"):
            f.copy("/3.1", after)
            del f[after + "/instrument/pco/data"]
            f[after + "/instrument/pco/data"] = FRAMES[1:3] + int(after[1:-2])
    scan = Scan(folder / "scan.h5", folder)
    expect(scan, "BLISS HDF5", FRAMES[KEYS == 0], ANGLES[KEYS == 0],
           FRAMES[KEYS == 2], FRAMES[1:3], FRAMES[1:3] + 5)
    same(scan.facts["flats"], "4")
    scan.has_note("4 datasets could be the flats: /3.1/instrument/pco/data is "
                  "taken before the projections, /5.1/instrument/pco/data "
                  "after them")
    with h5py.File(folder / "scan.h5", "r+") as f:
        f.copy("/2.1", "/12.1")  # darks of a later scan
        del f["/5.1/instrument/pco/data"]
        f["/5.1/instrument/pco/data"] = FRAMES[1:3, 1:]
    scan = Scan(folder / "scan.h5", folder)
    scan.has_note("2 datasets could be the darks: /2.1/instrument/pco/data is "
                  "taken")
    scan.has_note("the flats after the projections, /5.1/instrument/pco/data, "
                  "are not like those before or cannot be read: left out")
    same(scan.facts["flats"], "2")
    (folder / "scan0004/pco_0000.h5").unlink()
    refuse(folder / "scan.h5", folder, "scan0004/pco_0000.h5")


def check_lima(folder):
    for name, frames in (("scan_0000.h5", FRAMES[KEYS == 0]),
                         ("ref_0000.h5", FRAMES[1:3]),
                         ("dark_0000.h5", FRAMES[KEYS == 2])):
        with h5py.File(folder / name, "w") as f:
            f["/entry_0000/measurement/data"] = frames
    angles = np.arange(4) * 45
    expect(Scan(folder / "scan_0000.h5", folder), "LImA HDF5",
           FRAMES[KEYS == 0], angles, FRAMES[KEYS == 2], FRAMES[1:3])
    (folder / "dark_0000.h5").unlink()
    expect(Scan(folder / "scan_0000.h5", folder), "LImA HDF5",
           FRAMES[KEYS == 0], angles, None, FRAMES[1:3])
    # one of several files with the images of a scan, and all of them
    with h5py.File(folder / "scan_0000.h5", "r+") as f:
        f["/entry_0000/instrument/pco/acquisition/nb_frames"] = 8
    scan = Scan(folder / "scan_0000.h5", folder)
    expect(scan, "LImA HDF5", FRAMES[KEYS == 0], angles, None, FRAMES[1:3])
    scan.has_note("this file has 4 of the 8 images of its scan")
    shutil.copy(folder / "scan_0000.h5", folder / "scan_0001.h5")
    layout = h5py.VirtualLayout((8, *FRAMES.shape[1:]), "u2")
    for k in range(2):
        layout[4 * k:4 * k + 4] = h5py.VirtualSource(
            f"scan_{k:04}.h5", "/entry_0000/measurement/data",
            (4, *FRAMES.shape[1:]))
    with h5py.File(folder / "master.h5", "w") as f:
        f["/entry_0000/instrument/pco/acquisition/nb_frames"] = 8
        f.create_group("/entry_0000/measurement").create_virtual_dataset(
            "data", layout)
    scan = Scan(folder / "master.h5", folder)
    expect(scan, "LImA HDF5", np.concatenate([FRAMES[KEYS == 0]] * 2),
           np.arange(8) * 22.5, None, FRAMES[1:3])
    assert not any("of its scan" in note for note in scan.notes), scan.notes
    # not its own flats
    same(Scan(folder / "ref_0000.h5", folder).facts["flats"], "0")


# --- what the user says ---


def write_unknown(path):
    with h5py.File(path, "w") as f:
        f["/run/camera/frames"] = FRAMES
        f["/run/camera/kind"] = KEYS
        f["/run/stage/omega"] = ANGLES.astype("f4")
        f["/run/small"] = np.ones((2, 3, 4), "f4")
        f["/run/words"] = np.array([[[b"a"]]])
        f["/run/endless"] = np.append(ANGLES[:8], np.inf)
        f["/run/column"] = ANGLES[:, None]


def check_options(folder):
    scan = folder / "scan.h5"
    write_unknown(scan)
    said = refuse(scan, folder, "--data-path: /run/camera/frames (9 x 3 x 5, "
                  "uint16), /run/small (2 x 3 x 4, float32)")
    assert "words" not in said
    data, small = "data=/run/camera/frames", "data=/run/small"
    keys, angles = "keys=/run/camera/kind", "angles=/run/stage/omega"
    expect_keyed(Scan(scan, folder, data, keys, angles), "HDF5")
    Scan(scan, folder, data, angles).has_note("taken as degrees")
    for wrong in ("/run/none", "/run", "/"):
        refuse(scan, folder, f"no scan at {wrong};", "/run/small",
               options=["data=" + wrong])
    refuse(scan, folder, "no dataset of numbers at /run/none",
           options=[small, "keys=/run/none"])
    refuse(scan, folder, "9 image keys but 2 frames, and none of these",
           options=[small, keys])
    for angles, words in (("camera/frames", "it has 3 dimensions; give --angles "),
                          ("words", "no dataset of numbers"),
                          ("endless", "number 8 in /run/endless is infinite")):
        refuse(scan, folder, words,
               options=[data, keys, "angles=/run/" + angles])
    expect_keyed(Scan(scan, folder, data, keys, "angles=/run/column"), "HDF5")


def check_empty_keys(folder):
    """Keys that were never written, and those beside the images."""
    scan = folder / "scan.h5"
    for keys in (KEYS[:0], KEYS):
        with h5py.File(scan, "w") as f:
            f["/entry/imaging/data"] = FRAMES
            f["/entry/imaging/image_key"] = keys
        got = Scan(scan, folder)
        same(got.frames.tolist(),
             FRAMES[KEYS == 0 if len(keys) else KEYS > -1].tolist())
        same("/entry/imaging/image_key is empty: left out" in got.notes,
             len(keys) == 0)


def check_other_files(folder):
    scan = folder / "scan.h5"
    sub = folder / "a:b"
    sub.mkdir()
    with h5py.File(scan, "w") as f:
        f["/frames"] = FRAMES
        f["/keys"] = KEYS
    with h5py.File(sub / "fields.h5", "w") as f:
        f["/run/flats"] = FRAMES[:2] + 2000
        f["/run/dark"] = FRAMES[4]  # one image
        f["/run/angles"] = ANGLES
    places = ["data=/frames", "keys=/keys",
              f"flats={sub}/fields.h5:/run/flats",
              f"darks={sub}/fields.h5:/run/dark",
              f"angles={sub}/fields.h5:/run/angles"]
    expect(Scan(scan, folder, *places), "HDF5", FRAMES[KEYS == 0],
           ANGLES[KEYS == 0], FRAMES[4:5], FRAMES[:2] + 2000)
    old = os.getcwd()
    os.chdir(folder)
    ini = folder / "tomolens/layouts.ini"
    ini.parent.mkdir()
    ini.write_text("[Beside]\ndata=/frames\nflats=a:b/fields.h5:/run/flats\n")
    expect(Scan("scan.h5", folder, XDG_CONFIG_HOME=str(folder)), "Beside HDF5",
           FRAMES, np.arange(9) * 20, None, FRAMES[:2] + 2000)
    keys = np.where(KEYS == 1, 0, KEYS)  # they mark darks only
    with h5py.File(scan, "r+") as f:
        f["/darks_only"] = keys
    ini.write_text("[Beside]\ndata=/frames\nkeys=/darks_only\n"
                   "flats=a:b/fields.h5:/run/flats\n")
    n = np.count_nonzero(keys == 0)
    expect(Scan("scan.h5", folder, XDG_CONFIG_HOME=str(folder)), "Beside HDF5",
           FRAMES[keys == 0], np.arange(n) * 180 / n, FRAMES[keys == 2],
           FRAMES[:2] + 2000)
    data = "data=/frames"
    expect(Scan(scan, folder, data, "flats=a:b/fields.h5:/run/flats"), "HDF5",
           FRAMES, np.arange(9) * 20, None, FRAMES[:2] + 2000)
    os.chdir(old)
    refuse(scan, folder, "gone.h5:/run/flats: there is no such file",
           options=[data, "flats=gone.h5:/run/flats"])
    refuse(scan, folder, "no dataset of numbers",
           options=[data, f"flats={sub}/fields.h5:/run/x"])
    refuse(scan, folder, f"{sub}/fields.h5 is a file; say which dataset in it, as "
           f"{sub}/fields.h5:/path; those with images are /run/flats (2 x 3 x 5",
           options=[data, f"flats={sub}/fields.h5"])
    with h5py.File(sub / "omega.h5", "w") as f:
        f["/omega"] = ANGLES
    refuse(scan, folder, "say which dataset in it",
           options=[data, f"angles={sub}/omega.h5"])
    (sub / "flat.tif").write_bytes(b"II*")
    refuse(scan, folder, f"{sub}/flat.tif is no HDF5 file",
           options=[data, f"flats={sub}/flat.tif"])
    refuse(scan, folder, "no dataset of numbers at flats.h5; one in another "
           "file is named FILE:/path", options=[data, "flats=flats.h5"])


def check_users_layouts(folder):
    scan = folder / "scan.h5"
    write_unknown(scan)
    with h5py.File(scan, "r+") as f:
        f["/run"].attrs["beamline"] = "Imaginary 7"
        f["/run/stage/omega"].attrs["units"] = "rad"
        f["/run/stage/omega"][:] = np.radians(ANGLES)
        f["/run/camera/a"] = FRAMES[:2]  # smaller than the frames
        f["/run/camera/temperature"] = np.arange(3)
        f["/run/stage/alpha"] = np.arange(3)  # fewer than the frames
    ini = folder / "tomolens/layouts.ini"
    ini.parent.mkdir()
    env = {"XDG_CONFIG_HOME": str(folder)}
    text = """[Imaginary]
entry=/*[@beamline=Imaginary*][camera/{there}]
data=nothing;camera/*
keys=camera/kind
angles=stage/alpha;stage/om?ga
"""
    ini.write_text(text.format(there="kind"))
    expect_keyed(Scan(scan, folder, **env), "Imaginary HDF5")
    ini.write_text(text.format(there="kind"), encoding="utf-8-sig")
    expect_keyed(Scan(scan, folder, **env), "Imaginary HDF5")
    ini.write_text(text.format(there="other"))
    refuse(scan, folder, "(Imaginary, Data Exchange,", **env)
    known = folder / "known.h5"
    with h5py.File(known, "w") as f:
        f["/exchange/data"] = FRAMES
    for wrong, reason in (("[a]\nentry=/x\n", "[a] does not say where"),
                          ("[a]\ndata=/x\ndate=/y\n", "unknown key: date"),
                          ("[a]\ndata=/x\nangle-unit=grad\n", "grad"),
                          ("[a]\ndata=/x[b=c\\d]\n", "[a]: Key file"),
                          ("[a]\ndata=/x[b=c\n", "not closed, or not opened: /x[b=c"),
                          ("[a]\ndata=/x]\n", "not closed, or not opened: /x]"),
                          ("[a]\ndata=/x\nkeys=\\q\n", "key “keys”"),
                          ("data=/x\n", "layouts.ini: ")):
        ini.write_text(wrong)
        refuse(scan, folder, reason, str(ini), "no scan in a layout", **env)
        # the program's own layouts go on working
        opened = Scan(known, folder, **env)
        opened.has_note("your layouts are not used until you correct the file")
        opened.has_note(str(ini))
        assert any(reason in note for note in opened.notes), opened.notes


# --- what files can be like ---


def check_several_scans(folder):
    scan = folder / "scan.nxs"
    with h5py.File(scan, "w") as f:
        for k in (1, 2, 3):
            entry = nx_group(f, f"entry{k}", "NXentry")
            entry["definition"] = "NXtomo"
            camera = nx_group(entry, "instrument/camera", "NXdetector")
            camera["data"] = FRAMES + k
            camera["image_key"] = KEYS
            nx_group(entry, "sample", "NXsample")["rotation_angle"] = ANGLES
        f["/more"] = h5py.SoftLink("/entry2")
    first = Scan(scan, folder)
    np.testing.assert_array_equal(first.frames, (FRAMES + 1)[KEYS == 0])
    first.has_note("3 scans in the file (/entry1, /entry2, /entry3): the first "
                   "is read; another is opened as scan.nxs:/entry2")
    for inside in ("/entry3", "/entry3/", "entry3",
                   "/entry3/instrument/camera/data"):
        third = Scan(scan, folder, "data=" + inside)
        np.testing.assert_array_equal(third.frames, (FRAMES + 3)[KEYS == 0])
        assert not any("scans in the file" in note for note in third.notes)
        same([third.facts[k] for k in ("flats", "flats_before", "darks")],
             ["3", "2", "2"])
    said = list_contents(scan)
    assert sum(word == "scan" for word, text in said) == 3, said


def check_several_exchanges(folder):
    """Each measurement of a Data Exchange file has its own fields and angles."""
    scan = folder / "scan.h5"
    flats, darks = FRAMES[KEYS == 1], FRAMES[KEYS == 2]
    with h5py.File(scan, "w") as f:
        for k, name in enumerate(("exchange", "exchange_2")):
            f[f"/{name}/data"] = FRAMES[KEYS == 0] + k
            f[f"/{name}/data_white"] = flats + k
            f[f"/{name}/data_dark"] = darks + k
            f[f"/{name}/theta"] = ANGLES[KEYS == 0] + k
        f["/exchange_3/theta"] = ANGLES
    first = Scan(scan, folder)
    first.has_note("2 scans in the file (/exchange, /exchange_2): the first is "
                   "read; another is opened as scan.h5:/exchange_2")
    for k, options in enumerate(([], ["data=/exchange_2"],
                                 ["data=/exchange_2/data"])):
        k = min(k, 1)
        expect(Scan(scan, folder, *options), "Data Exchange HDF5",
               FRAMES[KEYS == 0] + k, ANGLES[KEYS == 0] + k, darks + k,
               flats + k)
    same([text for word, text in list_contents(scan) if word == "scan"],
         ["/exchange", "/exchange_2"])
    with h5py.File(scan, "r+") as f:
        del f["/exchange_2"]
    assert not any("scans in" in note for note in Scan(scan, folder).notes)


def check_single_images(folder):
    """A dataset for each image, as ALS 8.3.2 wrote."""
    scan = folder / "scan.h5"
    with h5py.File(scan, "w") as f:
        for k, frame in enumerate(FRAMES):
            f[f"/sample/sample_0000_{k:04}.tif"] = frame[None]
    said = refuse(scan, folder, "each of its 9 images is a dataset of its own, "
                  "as in files of ALS 8.3.2")
    assert "--data-path" not in said, said
    with h5py.File(scan, "r+") as f:
        f["/more"] = FRAMES
    refuse(scan, folder, "--data-path: /more (9 x 3 x 5, uint16), /sample/")


def check_links(folder):
    """Links stay in the folder, and objects with many names are listed once."""
    below = folder / "below"
    below.mkdir()
    outside = folder / "outside.h5"
    with h5py.File(outside, "w") as f:
        f["/data"] = FRAMES
    with h5py.File(below / "inside.h5", "w") as f:
        f["/group/data"] = FRAMES[:5]
        f["/group/out"] = h5py.ExternalLink("../outside.h5", "/data")
    with h5py.File(below / "scan.h5", "w") as f:
        f["/a/data"] = FRAMES[:2]
        f["/b"] = f["/a"]
        f["/a/circle"] = f["/"]
        f["/in"] = h5py.ExternalLink("inside.h5", "/group")
        f["/in2"] = h5py.ExternalLink("./inside.h5", "/group/data")
        f["/out"] = h5py.ExternalLink("../outside.h5", "/")
        f["/out2"] = h5py.ExternalLink(str(outside), "/data")
        f["/out3"] = h5py.SoftLink("/out/data")
        f["/gone"] = h5py.ExternalLink("gone.h5", "/")
        f["/gone2"] = h5py.SoftLink("/nowhere")
    said = refuse(below / "scan.h5", folder)
    assert said.endswith("--data-path: /in2 (5 x 3 x 5, uint16), /a/data "
                         "(2 x 3 x 5, uint16)"), said
    expect(Scan(below / "scan.h5", folder, "data=/in/data"), "HDF5",
           FRAMES[:5], np.arange(5) * 36)


def check_many_datasets(folder):
    with h5py.File(folder / "scan.h5", "w") as f:
        for k in range(15):
            f[f"/d{k:02}"] = np.zeros((k + 1, 2, 2), "f8")
    said = refuse(folder / "scan.h5", folder)
    assert said.endswith("/d03 (4 x 2 x 2, float64) and 3 more"), said
    assert "--data-path: /d14 (15 x" in said, said


def check_four_dimensions(folder):
    scan = folder / "scan.h5"
    with h5py.File(scan, "w") as f:
        f["/a/b"] = FRAMES.reshape(3, 3, 3, 5)
    refuse(scan, folder, "no dataset in it has three dimensions",
           "/a/b has more")
    refuse(scan, folder, "the projections have 4 dimensions, not 3",
           options=["data=/a/b"])
    with h5py.File(scan, "r+") as f:
        f["/c"] = FRAMES
        f["/entry/data/data"] = FRAMES.reshape(3, 3, 3, 5)
    refuse(scan, folder, "the projections have 4 dimensions, not 3")


def check_external_storage(folder):
    """Projections in several files, by a virtual dataset and as raw bytes."""
    (folder / "parts").mkdir()
    layout = h5py.VirtualLayout(FRAMES.shape, "u2")
    for k in range(3):
        with h5py.File(folder / f"parts/{k}.h5", "w") as f:
            f["/data"] = FRAMES[3 * k:3 * k + 3]
        layout[3 * k:3 * k + 3] = h5py.VirtualSource(f"parts/{k}.h5", "/data",
                                                     (3, 3, 5))
    with h5py.File(folder / "scan.h5", "w") as f:
        f.create_virtual_dataset("/entry/instrument/detector/data", layout)
        f["/entry/instrument/NDAttributes/ImageKey"] = KEYS
        f["/entry/instrument/NDAttributes/theta"] = ANGLES
    old = os.getcwd()
    os.chdir(folder / "parts")
    expect_keyed(Scan("../scan.h5", folder), "areaDetector HDF5")
    os.chdir(old)
    # the virtual dataset is behind a link into another folder
    with h5py.File(folder / "parts/scan.h5", "w") as f:
        f["/frames"] = h5py.ExternalLink("../scan.h5",
                                         "/entry/instrument/detector/data")
    expect(Scan(folder / "parts/scan.h5", folder, "data=/frames"), "HDF5",
           FRAMES, np.arange(9) * 20)
    # a part of a virtual dataset is missing, or shorter than it should be
    for k in 1, 2:
        (folder / f"parts/{k}.h5").rename(folder / f"parts/{k}.hidden")
    refuse(folder / "scan.h5", folder, "2 files with its projections are not "
           "there, the first: parts/1.h5; copy them to where this file is")
    (folder / "parts/2.hidden").rename(folder / "parts/2.h5")
    with h5py.File(folder / "parts/1.h5", "w") as f:
        f["/data"] = FRAMES[3:5]
    refuse(folder / "scan.h5", folder, "has fewer images than it should; copy "
           "that file again, or leave out")
    scan = Scan(folder / "scan.h5", folder, "leave-out=2")
    np.testing.assert_array_equal(scan.frames, FRAMES[[3, 4, 6]])
    os.chdir(folder)
    with h5py.File("raw.h5", "w") as f:
        f.create_dataset("/entry/data/data", FRAMES.shape, "u2",
                         external=[("frames.raw", 0, FRAMES.nbytes)])
        f["/entry/data/data"][...] = FRAMES
        f.create_dataset("/angles", (9,), "f8",
                         external=[("angles.raw", 0, 72)])
        f["/angles"][...] = np.arange(9) * 10
    os.chdir(old)
    # the files are looked for beside the scan, and named if they are not there
    scan = Scan(folder / "raw.h5", folder, "angles=/angles")
    expect(scan, "areaDetector HDF5", FRAMES, np.arange(9) * 10)
    (folder / "angles.raw").unlink()
    refuse(folder / "raw.h5", folder, 'the file with the numbers of "/angles" is '
           "not there: angles.raw; copy it", options=["angles=/angles"])
    (folder / "frames.raw").unlink()
    refuse(folder / "raw.h5", folder, "raw.h5: the file with its projections is "
           "not there: frames.raw; copy it to where this file is")


def check_broken_parts(folder):
    """A link that leads nowhere is named, and the rest is read."""
    with h5py.File(folder / "scan.h5", "w") as f:
        f["/exchange/data"] = FRAMES
        f["/exchange/theta"] = h5py.ExternalLink("gone.h5", "/theta")
        f["/exchange/data_white"] = h5py.SoftLink("/gone")
    scan = Scan(folder / "scan.h5", folder)
    expect(scan, "Data Exchange HDF5", FRAMES, np.arange(9) * 20)
    for name in ("theta", "data_white"):
        scan.has_note(f"/exchange/{name} is a link that leads")
    with h5py.File(folder / "scan.h5", "w") as f:
        f["/exchange/data"] = h5py.ExternalLink("gone.h5", "/data")
    refuse(folder / "scan.h5", folder,
           "another file that cannot be opened: gone.h5")
    with h5py.File(folder / "scan.h5", "r+") as f:
        f["/entry/data/data"] = FRAMES
    same(Scan(folder / "scan.h5", folder).facts["format"], "areaDetector HDF5")


def list_links(group, path=""):
    """Returns: the paths of all links below @group, those of groups first"""
    paths = []
    for name in group:
        paths.append(f"{path}/{name}")
        if group.get(name, getlink=True).__class__ is h5py.HardLink \
                and isinstance(group[name], h5py.Group):
            paths += list_links(group[name], f"{path}/{name}")
    return paths


def check_broken_links(folder):
    """Each link of a scan leads nowhere once: the projections are read."""
    scan = folder / "scan.h5"
    for write, data in ((write_area_detector, "/entry/data/data"),
                        (write_diamond, "/entry/imaging/data")):
        write(scan)
        whole = scan.read_bytes()
        with h5py.File(scan) as f:
            paths = [p for p in list_links(f) if not data.startswith(p)
                     and "broken" not in p]
        for path in paths:
            for link in (h5py.SoftLink("/gone"),
                         h5py.ExternalLink("gone.h5", "/gone"),
                         h5py.SoftLink(path)):
                scan.write_bytes(whole)
                with h5py.File(scan, "r+") as f:
                    del f[path]
                    f[path] = link
                got = Scan(scan, folder)
                assert len(got.frames) in (4, 9), (path, link)


def check_unfinished(folder):
    """Keys and angles may be written before the frames, or one by one after
    them: a scan that was broken off has too many or too few."""
    scan = folder / "scan.h5"
    of_projections = ANGLES[KEYS == 0]
    for n_keys, angles, n_grown, n_read, words in (
            (9, ANGLES, None, 3, ["9 image keys but 6 f", "9 angles ("]),
            (9, ANGLES, 6, 3, ["9 image keys but 6 f"]),
            (9, ANGLES, 5, 2, ["has no number for them): 2"]),
            (9, of_projections, None, 3, ["the first 3 angles are used"]),
            (9, of_projections[:3], None, 3, ["the first 6 keys are used"]),
            (6, of_projections[:3], 3, 3, []),
            (6, ANGLES, 5, 2, ["has no number for them): 2"]),
            (6, ANGLES, None, 3, ["the first 6 angles are used"]),
            (5, ANGLES, 5, 2, ["after the first 5 have no key"]),
            (5, ANGLES, 6, 2, ["after the first 5 have no key"]),
            (None, ANGLES, None, 6, ["the first 6 angles are used"]),
            (None, ANGLES, 5, 5, ["has no number for them): 5"]),
            (6, ANGLES[:5], None, 0, ["5 angles"]),
            (None, ANGLES[:5], None, 0, ["5 angles"])):
        with h5py.File(scan, "w") as f:
            f["/frames"] = FRAMES[:6]
            if n_keys:
                f["/keys"] = KEYS[:n_keys]
            f.create_dataset("/angles", data=angles[:n_grown],
                             maxshape=(None,) if n_grown else None)
        places = ["data=/frames", "angles=/angles"]
        places += ["keys=/keys"] if n_keys else []
        if n_read == 0:
            refuse(scan, folder, *words, options=places)
            continue
        got = Scan(scan, folder, *places)
        first = KEYS == 0 if n_keys else np.ones(9, bool)
        same([got.frames.tolist(), got.angles.tolist()],
             [FRAMES[first][:n_read].tolist(), ANGLES[first][:n_read].tolist()])
        for note in words:
            got.has_note(note)
        same(sum("not finished" in note for note in got.notes),
             (n_keys not in (6, None)) + (n_grown is None and len(angles) > 3))


def check_places(folder):
    """Where angles are missing, the lists that may have them are named."""
    scan = folder / "scan.h5"
    with h5py.File(scan, "w") as f:
        f["/run/data"] = FRAMES
        f["/run/omega"] = ANGLES
        f["/run/short"] = ANGLES[1:]
        f["/run/kind"] = KEYS
    Scan(scan, folder, "data=/run/data").has_note(
        "give --angles FIRST:LAST, both included, --angles-file FILE or "
        "--angles-path PATH, if that is wrong; the angles may be in /run/kind, "
        "/run/omega")
    for place in "angles", "keys":
        refuse(scan, folder, "no dataset of numbers at /run/phi; those with as "
               "many numbers as there are images are /run/kind, /run/omega",
               options=["data=/run/data", f"{place}=/run/phi"])
    notes = Scan(scan, folder, "data=/run/data", "keys=/run/kind").notes
    assert any(n.endswith("may be in /run/omega") for n in notes), notes
    with h5py.File(scan, "a") as f:
        for k in range(9):
            f[f"/a{k}"] = ANGLES
    Scan(scan, folder, "data=/run/data").has_note("/a0, /a1, /a2, /a3, /a4, /a5 …")
    with h5py.File(scan, "w") as f:
        f["/run/data"] = FRAMES.transpose(1, 0, 2)
        f["/run/omega"] = ANGLES
    Scan(scan, folder, "data=/run/data").has_note("may be in /run/omega")
    with h5py.File(scan, "w") as f:
        f["/run/data"] = FRAMES
    notes = Scan(scan, folder, "data=/run/data").notes
    assert not any("may be in" in n for n in notes), notes
    with h5py.File(scan, "w") as f:
        f["/exchange/data"] = FRAMES
        f["/exchange/theta"] = np.array([str(a) for a in ANGLES], "S8")
    scan = Scan(scan, folder)
    scan.has_note("no angles found")
    scan.has_note("/exchange/theta has texts where numbers are expected: left")


def check_length_one(folder):
    """Dimensions of length 1 do not count, in a list of datasets either."""
    scan = folder / "scan.h5"
    for shape, chunks in (((9, 1, 3, 5), None), ((1, 9, 3, 5), (1, 2, 3, 5)),
                          ((9, 3, 1, 1, 5), None), ((1, 9, 3, 5, 1), None)):
        with h5py.File(scan, "w") as f:
            f.create_dataset("/run/data", data=FRAMES.reshape(shape),
                             chunks=chunks, compression=chunks and "gzip")
            f["/run/key"] = KEYS
            f["/run/angle"] = ANGLES.reshape(9, 1, 1, 1)
        expect_keyed(Scan(scan, folder, "data=/run/data", "keys=/run/key",
                          "angles=/run/angle"), "HDF5")
        same(list_contents(scan)[0], ["dataset", "/run/data 9 3 5 uint16"])
        refuse(scan, folder, "/run/data (9 x 3 x 5, uint16)")


def check_sinograms(folder):
    """The number of angles tells it, or the attribute of Data Exchange."""
    scan = folder / "scan.h5"
    rows = FRAMES.transpose(1, 0, 2)
    places = ["data=/run/sino", "angles=/run/angle"]
    for options in ({}, {"chunks": (1, 9, 5), "compression": "gzip"},
                    {"chunks": (2, 4, 3), "compression": "gzip", "shuffle": True},
                    {"chunks": (2, 4, 5)}):
        with h5py.File(scan, "w") as f:
            f.create_dataset("/run/sino", data=rows, **options)
            f["/run/angle"] = np.arange(9) * 20.0
            f["/run/flat"] = FRAMES[:2] + 1000
            f["/run/one"] = FRAMES[:, 1]
        expect(Scan(scan, folder, "data=/run/one", places[1]), "HDF5",
               FRAMES[:, 1:2], np.arange(9) * 20)
        sinograms = Scan(scan, folder, *places)
        expect(sinograms, "HDF5", FRAMES, np.arange(9) * 20)
        sinograms.has_note("/run/sino is read as sinograms")
        expect(Scan(scan, folder, *places, "flats=/run/flat"), "HDF5", FRAMES,
               np.arange(9) * 20, flat=FRAMES[:2] + 1000)
    # not one that may grow, nor one whose flats have the size of its frames
    for name in "/run/grows", "/run/flat":
        with h5py.File(scan, "w") as f:
            f.create_dataset("/run/sino", data=rows, chunks=True,
                             maxshape=(None if name == "/run/grows" else 3, 9, 5))
            f["/run/angle"] = np.arange(9) * 20.0
            f[name] = rows[:2] + 1000
        facts = Scan(scan, folder, *places, f"flats={name}").facts
        same(facts["shape"], "3 9 5")
    with h5py.File(scan, "w") as f:
        f["/exchange/data"] = rows
        f["/exchange/data"].attrs["axes"] = "y:theta:x"
        f["/exchange/data_white"] = FRAMES[:2] + 1000
    expect(Scan(scan, folder), "Data Exchange HDF5", FRAMES, np.arange(9) * 20,
           flat=FRAMES[:2] + 1000)


WRITE_INVERTED = """
import sys
import h5py
import numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("/exchange/data", data=np.load(sys.argv[2]), chunks=True,
                     compression=311)
"""


def check_plug_in(folder):
    """Each folder of Python's hdf5plugin is found, though that of HDF5 itself is
    not there."""
    inside = "lib/python3.99/site-packages/hdf5plugin/plugins"
    places = {"VIRTUAL_ENV": folder / "venv", "CONDA_PREFIX": folder / "conda"}
    env = {"HDF5_PLUGIN_PATH": str(folder / "none"), "HOME": str(folder),
           **{name: str(place) for name, place in places.items()}}
    scan = folder / "scan.h5"
    np.save(folder / "frames.npy", FRAMES)
    subprocess.run([sys.executable, "-c", WRITE_INVERTED, scan,
                    folder / "frames.npy"], check=True,
                   env={**os.environ,
                        "HDF5_PLUGIN_PATH": str(Path(PLUG_IN).parent)})
    refuse(scan, folder, "compressed with filter 311", **env)
    for place in (*places.values(), folder / ".local"):
        (place / inside).mkdir(parents=True)
        shutil.copy(PLUG_IN, place / inside)
        expect(Scan(scan, folder, **env), "Data Exchange HDF5", FRAMES,
               np.arange(9) * 20)
        shutil.rmtree(place)


CASES = [(check,) for check in (
    check_area_detector, check_diamond, check_bliss, check_lima, check_options, check_empty_keys,
    check_other_files, check_users_layouts, check_several_scans,
    check_several_exchanges, check_single_images, check_links,
    check_many_datasets, check_four_dimensions, check_places, check_length_one, check_sinograms, check_broken_links, check_external_storage, check_broken_parts,
    check_unfinished, check_plug_in)]


if __name__ == "__main__":
    sys.exit(run(CASES))
