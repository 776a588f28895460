"""Scans that other programs' libraries wrote, read here and compared sample by
sample. Usage: formats.py READ-SCAN WRITE-VOLUME SHARED-DATA FORMAT

A library that is not installed, or that this build lacks, is a skipped test."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scans import Scan, damage, refuse  # it finds the folder of the next
from cases import Skip, need, run, same
from txrm import write_txrm

WRITER, DATA, FORMAT = sys.argv[2], Path(sys.argv[3]), sys.argv[4]
TYPES = "u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"


def need_real(name):
    path = DATA / "formats" / name
    if not path.exists():
        raise Skip(f"the real file {name} is not in ../shared/data/formats")
    return path


def make_frames(shape, kind, first=0):
    """Values that use the whole range of the type."""
    np = need("numpy")
    frame, row, col = np.indices(shape)
    values = (frame + first) * 7919 + row * 353 + col * 31
    if kind.startswith("f"):
        return (values % 10007 / 16 - 99).astype(kind)
    limits = np.iinfo(kind)
    step = max((int(limits.max) - int(limits.min)) // 10007, 1)
    n = min(10007, int(limits.max) - int(limits.min) + 1)
    frames = (values % n * step + int(limits.min)).astype(kind)
    frames.flat[0], frames.flat[-1] = limits.min, limits.max
    return frames


def identify(path, what):
    return subprocess.run(["identify", "-format", what, str(path)],
                          check=True, capture_output=True,
                          text=True).stdout.split()


def write_fits(path, data, **options):
    fits = need("astropy.io.fits")
    Path(path).parent.mkdir(exist_ok=True)
    fits.PrimaryHDU(data, **options).writeto(path)


def check_fits_cube(folder, kind):
    want = make_frames((5, 7, 11), kind)
    path = Path(folder, "cube [1].fits")
    fits = need("astropy.io.fits")
    write_fits(path, want)
    # FITS has no int8 nor unsigned integers: astropy writes BZERO for them.
    if kind in ("i1", "u2", "u4"):
        assert "BZERO" in fits.getheader(path)
    Scan(path, folder).check(want, "FITS stack")


def check_fits_integer64(folder):
    want = make_frames((3, 4, 5), "i4").astype("i8")
    write_fits(Path(folder, "a.fits"), want)
    Scan(Path(folder, "a.fits"), folder).check(want.astype("f8"), "FITS stack")


def check_fits_scaled(folder):
    np = need("numpy")
    fits = need("astropy.io.fits")
    raw = make_frames((3, 4, 5), "i2")
    hdu = fits.PrimaryHDU(raw)
    hdu.header["BSCALE"] = 0.25
    hdu.header["BZERO"] = 10.0
    hdu.writeto(Path(folder, "a.fits"))
    scan = Scan(Path(folder, "a.fits"), folder)
    assert scan.facts["type"].startswith("float"), scan.facts
    np.testing.assert_array_equal(scan.frames, raw * 0.25 + 10)


def check_fits_folder(folder, kind):
    np = need("numpy")
    top = Path(folder, "scan")
    top.mkdir()
    want = make_frames((12, 7, 11), kind)
    for i, frame in enumerate(want):
        write_fits(top / f"scan_{i}.fits", frame)
    flats = make_frames((4, 7, 11), "u2", 40).astype("f8") + 70000
    for i, flat in enumerate(flats):
        sub = "ob_before" if i < 2 else "ob_after"
        write_fits(top / sub / f"o{i}.fits", flat.astype("f4"))
    dark = make_frames((1, 7, 11), "u1")
    write_fits(top / "dark_1.FIT", dark[0])
    Path(top, "angles.txt").write_text("\n".join(map(str, range(0, 180, 15))))
    Path(top, "scan_3.tif").write_bytes(b"of another kind")
    scan = Scan(top, folder)
    scan.check(want, "FITS folder")
    scan.has_note("1 image file is left out: scan_3.tif (1)")
    same([scan.facts[k] for k in ("flats", "flats_before", "darks")],
         ["4", "2", "1"])
    same(list(scan.angles), list(range(0, 180, 15)))
    np.testing.assert_array_equal(scan.dark, dark[0])
    np.testing.assert_allclose(scan.first, flats[:2].mean(0), rtol=1e-6)
    np.testing.assert_allclose(scan.last, flats[2:].mean(0), rtol=1e-6)


def check_fits_real(folder):
    np = need("numpy")
    real = need_real("open-beam.fits").read_bytes()
    for name in ("p1.fits", "p2.fits", "open_beam/o.fits"):
        path = Path(folder, "scan", name)
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(real)
    scan = Scan(Path(folder, "scan"), folder)
    same(scan.frames.shape, (2, 1201, 1201))
    same(scan.facts["type"], "uint16")
    for frame in (*scan.frames, scan.first):
        same(list(frame[0, :3]), [10398, 10551, 10688])
        assert abs(frame.astype("f8").mean() - 27859.90184) < 1e-3
        same((frame.min(), frame.max()), (6709, 62443))
    np.testing.assert_array_equal(scan.frames[0], scan.frames[1])


def check_fits_refused(folder):
    fits = need("astropy.io.fits")
    path = Path(folder, "a.fits")
    packed = fits.CompImageHDU(make_frames((3, 24, 32), "u2"))
    fits.HDUList([fits.PrimaryHDU(), packed]).writeto(path)
    refuse(path, folder, "a.fits: ", "funpack")
    more = [fits.ImageHDU(image) for image in make_frames((3, 24, 32), "u2")]
    fits.HDUList([fits.PrimaryHDU(), *more]).writeto(Path(folder, "d.fits"))
    refuse(Path(folder, "d.fits"), folder, "d.fits: ", "images in its extensions "
           "are not read: write them as one cube")
    want = make_frames((4, 24, 32), "u2")
    fits.HDUList([fits.PrimaryHDU(want), *more]).writeto(Path(folder, "e.fits"))
    scan = Scan(Path(folder, "e.fits"), folder)
    scan.check(want, "FITS stack")
    scan.has_note("e.fits: only its first image or cube is used")
    write_fits(Path(folder, "b.fits"), make_frames((4 * 3, 5, 7), "u2")
               .reshape(4, 3, 5, 7))
    refuse(Path(folder, "b.fits"), folder, "b.fits: ", "4 axes")
    write_fits(Path(folder, "c.fits"), make_frames((9, 50, 70), "f4"))
    whole = Path(folder, "c.fits").read_bytes()
    Path(folder, "c.fits").write_bytes(whole[:len(whole) // 2])
    refuse(Path(folder, "c.fits"), folder, "c.fits: ", "truncated")


def check_fits_damage(folder):
    path = Path(folder, "a.fits")
    write_fits(path, make_frames((3, 24, 32), "u2"))
    Scan(path, folder)
    damage(path, path, 100)


def check_txrm(folder, kind):
    np = need("numpy")
    want = make_frames((103, 7, 11), kind)
    flat = make_frames((1, 7, 11), "f4")[0] + 1000
    path = Path(folder, "scan.txrm")
    angles = write_txrm(path, want, flat,
                        ImageInfo_PixelSize=np.float32(1.5).tobytes())
    scan = Scan(path, folder)
    scan.check(want, "TXRM stack")
    np.testing.assert_allclose(scan.angles, angles, rtol=1e-7)
    same(scan.facts["pixel_um"], "1.5")
    same(scan.facts["flats"], "1")
    np.testing.assert_array_equal(scan.first, flat)


def check_txrm_facts(folder):
    np = need("numpy")
    want = make_frames((6, 7, 11), "u2")
    taken = np.int32(5).tobytes()
    write_txrm(Path(folder, "a.txrm"), want[:5], want[5],
               ImageInfo_NoOfImages=np.int32(6).tobytes(),
               ImageInfo_ImagesTaken=taken,
               ImageInfo_XrayGeometry=np.int32(1).tobytes(),
               ImageInfo_OriginalDataRefCorrected=np.int32(1).tobytes(),
               ReconSettings_CenterShift=np.float32(-2.5).tobytes(),
               **{"Alignment_X-Shifts": np.float32([0, 1, -3, 2, 0]).tobytes()})
    scan = Scan(Path(folder, "a.txrm"), folder)
    scan.check(want[:5], "TXRM stack")
    # the reference is already applied
    same(scan.facts["flats"], "0")
    for words in ("5 of 6 planned", "cone beam", "up to 3 columns",
                  "centre shift of -2.5"):
        scan.has_note(words)
    # no distances are stated
    assert not any("mm from" in n for n in scan.notes), scan.notes
    write_txrm(Path(folder, "b.xrm"), want, ImageInfo_ImagesTaken=None,
               ImageInfo_Angles=None)
    scan = Scan(Path(folder, "b.xrm"), folder)
    scan.check(want, "TXRM stack")
    scan.has_note("no angles found")


def check_txrm_cone(folder):
    """The distances count for a cone beam alone; those to the source may be
    negative, and 1 where nobody has measured them."""
    np = need("numpy")
    want = make_frames((4, 7, 11), "u2")
    path = Path(folder, "a.txrm")
    for geometry, source, detector, words in (
            (1, -25, 125, "source 25 mm from the axis, detector 125 mm: "
                          "magnified 6 times"),
            (1, 40, 10, "magnified 1.25 times"),
            (1, 1, 1, ""), (1, 0, 125, ""), (1, np.inf, 125, ""), (1, 25, np.nan, ""),
            (0, -25, 125, None), (2, 1, 1, None)):
        write_txrm(path, want,
                   ImageInfo_XrayGeometry=np.int32(geometry).tobytes(),
                   ImageInfo_StoRADistance=np.float32([source] * 4).tobytes(),
                   ImageInfo_DtoRADistance=np.float32([detector] * 4).tobytes())
        scan = Scan(path, folder)
        notes = [n for n in scan.notes if "cone beam" in n]
        same(len(notes), words is not None, (geometry, source, detector))
        if words is not None:
            assert words in notes[0], notes
            same("magnified" in notes[0], words != "")


def check_txrm_folder(folder):
    """The flat field is a file of its own."""
    np = need("numpy")
    want = make_frames((6, 7, 11), "u2")
    flat = make_frames((1, 7, 11), "u2", 9)
    path = Path(folder, "scan")
    path.mkdir()
    angles = write_txrm(path / "tomo.txrm", want)
    write_txrm(path / "flat.xrm", flat)
    for name in path, path / "tomo.txrm":
        scan = Scan(name, folder)
        np.testing.assert_array_equal(scan.frames, want)
        np.testing.assert_array_equal(scan.first, flat[0])
        np.testing.assert_allclose(scan.angles, angles, rtol=1e-7)
    write_txrm(path / "second.txrm", want)
    refuse(path, folder, "scan: ", "several scans: second.txrm, tomo.txrm;")


def check_txrm_real(folder):
    np = need("numpy")
    olefile = need("olefile")
    path = need_real("chip-tomo.txrm")
    scan = Scan(path, folder)
    same(scan.frames.shape, (7, 256, 256))
    # it has other lenses, and 1 for the distances
    assert not any("cone beam" in n for n in scan.notes), scan.notes
    means = [65.31474, 87.10764, 97.97604, 105.64162, 99.54807, 84.73219,
             62.25174]
    angles = [-45.018, -30.014, -15.014, -0.0141, 14.986, 29.986, 44.986]
    np.testing.assert_allclose(scan.frames.mean((1, 2)), means, atol=1e-4)
    np.testing.assert_allclose(scan.angles, angles, atol=1e-3)
    same(list(scan.frames.min((1, 2))), [1, 1, 2, 1, 1, 1, 1])
    same(list(scan.frames.max((1, 2))), [434, 466, 472, 476, 459, 441, 416])
    same(list(scan.frames[0, 0, :4]), [10, 11, 16, 17])
    same(round(float(scan.facts["pixel_um"]), 4), 0.1558)
    with olefile.OleFileIO(path) as ole:
        for i, frame in enumerate(scan.frames, 1):
            stream = ole.openstream(f"ImageData1/Image{i}").read()
            same(frame.tobytes(), stream)


def check_txrm_refused(folder):
    np = need("numpy")
    want = make_frames((4, 30, 40), "u2")
    path = Path(folder, "a.txrm")
    for words, streams in (
            ("no number and size", {"ImageInfo_ImageWidth": None}),
            ("image 3 of 4", {"ImageData1_Image3": None}),
            ("image 2 of 4", {"ImageData1_Image2": b"1234"}),
            ("type of its samples",
             {"ImageInfo_DataType": np.int32(1).tobytes()}),
            ("without pixels", {"ImageInfo_ImageWidth": bytes(4)})):
        write_txrm(path, want, **streams)
        refuse(path, folder, "a.txrm: ", words)


def check_txrm_damage(folder):
    path = Path(folder, "a.txrm")
    write_txrm(path, make_frames((3, 70, 80), "u2"))
    Scan(path, folder)
    damage(path, path, 100)


# as EDF names the types
EDF = {"u1": "UnsignedByte", "i1": "SignedByte", "u2": "UnsignedShort",
       "i2": "SignedShort", "u4": "UnsignedInteger", "i4": "SignedInteger",
       "f4": "FloatValue", "f8": "DoubleValue"}


def write_edf(path, *frames):
    """One file with an image for each frame."""
    fabio = need("fabio.edfimage")
    Path(path).parent.mkdir(exist_ok=True, parents=True)
    image = fabio.EdfImage(data=frames[0], header={"motor_mne": "srot sx"})
    for frame in frames[1:]:
        image.append_frame(data=frame, header={"title": "a = b"})
    image.write(str(path))


def check_edf(folder, kind):
    want = make_frames((5, 7, 11), kind)
    path = Path(folder, "scan.edf")
    write_edf(path, *want)
    assert f"DataType = {EDF[kind]}".encode() in path.read_bytes()
    Scan(path, folder).check(want, "EDF stack")
    # fabio writes the order of this machine, so the other one is made here
    other = b""
    for i, frame in enumerate(want):
        header = (f"\n{{\r\nHeaderID = EH:{i} ;\r\nImage = {i} ;\r\n"
                  f"ByteOrder = HighByteFirst ;\r\nDataType = {EDF[kind]} ;"
                  f"\r\nDim_1 = 11 ;\r\nDim_2 = 7 ;\r\n"
                  f"Size = {frame.nbytes} ;\r\n")
        other += header.encode().ljust(1021 + 512 * (i % 2)) + b"}\r\n"
        other += frame.astype(frame.dtype.newbyteorder(">")).tobytes()
    path.write_bytes(other)
    fabio = need("fabio")
    same(fabio.open(str(path)).nframes, 5)
    Scan(path, folder).check(want, "EDF stack")


def write_esrf(folder, n_planned, numbers, kind="u2"):
    """A scan as the ESRF's programs leave it. Returns: its projections"""
    top = Path(folder, "scan_")
    want = make_frames((max(numbers) + 1, 7, 11), kind)[numbers]
    for number, frame in zip(numbers, want):
        write_edf(top / f"scan_{number:04}.edf", frame)
    for number in (0, 4, n_planned):
        write_edf(top / f"refHST{number:04}.edf",
                  make_frames((1, 7, 11), "f4", number)[0] + 9000)
        for i in range(3):
            write_edf(top / f"ref{i:04}_{number:04}.edf",
                      make_frames((1, 7, 11), "u2", i)[0])
    write_edf(top / "dark.edf", make_frames((1, 7, 11), "f4", 50)[0])
    write_edf(top / "darkend0000.edf", make_frames((1, 7, 11), "u4")[0])
    (top / "scan_.info").write_text(
        f"Prefix=                scan_\nDistance=              25.0\n"
        f"ScanRange=             360\nTOMO_N=                {n_planned}\n"
        f"REF_ON=                4\nDARK_N=                20\n"
        f"PixelSize=             0.740000\n")
    return want


def check_esrf(scan, want, angles, n_planned):
    np = need("numpy")
    scan.check(want, "EDF folder")
    np.testing.assert_allclose(scan.angles, angles)
    same([scan.facts[k] for k in ("flats", "flats_before", "darks")],
         ["2", "1", "1"])
    same(scan.facts["pixel_um"], "0.74")
    for field, first, plus in ((scan.first, 0, 9000),
                               (scan.last, n_planned, 9000),
                               (scan.dark, 50, 0)):
        np.testing.assert_array_equal(
            field, make_frames((1, 7, 11), "f4", first)[0] + plus)
    scan.has_note("1 flat field taken between the first and the last")


def check_edf_esrf(folder):
    """Two more images than planned, for comparison with the first ones."""
    want = write_esrf(folder, 12, list(range(14)))
    scan = Scan(Path(folder, "scan_"), folder)
    check_esrf(scan, want[:12], [30 * i for i in range(12)], 12)
    scan.has_note("the last 2 images are not used")
    for words in "in this order", "numbers in their file names":
        assert not any(words in n for n in scan.notes), scan.notes
    Path(folder, "scan_", "scan_.info").unlink()
    Path(folder, "scan_", "scan.xml").write_text(
        "<tomodb2><acquisition><scanRange>180.0</scanRange><tomo_N>12</tomo_N>"
        "<pixelSize>1.5</pixelSize></acquisition></tomodb2>")
    scan = Scan(Path(folder, "scan_"), folder)
    same(list(scan.angles), [15 * i for i in range(12)])
    same(scan.facts["pixel_um"], "1.5")


def check_edf_given(folder):
    """With the user's angles, the images that were not planned are no
    projections, either; a list may have angles for all of them."""
    np = need("numpy")
    want = write_esrf(folder, 12, list(range(14)))
    text = Path(folder, "list.txt")
    for n, option in ((12, "ends=0:110"), (12, f"angles-file={text}"),
                      (14, f"angles-file={text}")):
        text.write_text("\n".join(f"{10 * i}" for i in range(n)))
        scan = Scan(Path(folder, "scan_"), folder, option)
        scan.check(want[:n], "EDF folder")
        np.testing.assert_allclose(scan.angles, np.arange(n) * 10.0)
        same(any("the last 2 images are not used" in note
                 for note in scan.notes), n == 12)
    # the ends are those of the images that are there
    for number in 3, 10, 11, 12, 13:
        Path(folder, "scan_", f"scan_{number:04}.edf").unlink()
    scan = Scan(Path(folder, "scan_"), folder, "ends=0:90")
    np.testing.assert_allclose(scan.angles, [0, 10, 20, 40, 50, 60, 70, 80, 90])
    scan.has_note("1 projection is missing")


def check_edf_sum(folder):
    """Without the mean, the ESRF's sum of the dark fields counts, in a folder
    of another name too."""
    np = need("numpy")
    fabio = need("fabio")
    write_esrf(folder, 12, list(range(12)))
    top = Path(folder, "other")
    Path(folder, "scan_").rename(top)
    (top / "dark.edf").unlink()
    write_edf(top / "darkend0000.edf",
              make_frames((1, 7, 11), "u2")[0].astype("u4") // 16)
    scan = Scan(top, folder)
    sums = fabio.open(str(top / "darkend0000.edf")).data.astype("f8")
    assert sums.max() > 1000
    np.testing.assert_allclose(scan.dark, sums / 20, rtol=1e-6)
    scan.has_note("darkend0000.edf is the sum of 20 dark fields")
    info = top / "scan_.info"
    info.write_text(info.read_text().replace("DARK_N", "NONE"))
    np.testing.assert_allclose(Scan(top, folder).dark, sums, rtol=1e-6)


def check_edf_missing(folder):
    """The scan was ended early, and a file is missing."""
    numbers = [0, 1, 2, 4, 5, 6, 7]
    want = write_esrf(folder, 12, numbers)
    scan = Scan(Path(folder, "scan_"), folder)
    check_esrf(scan, want, [30 * i for i in numbers], 12)
    scan.has_note("5 projections are missing, according to the numbers in the "
                  "file names: 3,8:11; projections are counted from 0 without")
    scan.has_note("the angles that belong to the numbers in their file names")
    # it is known what was planned
    assert not any("at the ends" in n for n in scan.notes), scan.notes


def check_edf_general_block(folder):
    want = make_frames((3, 7, 11), "u2")
    path = Path(folder, "a.edf")
    write_edf(path, *want)
    general = (b"{\nEDF_DataFormatVersion = 2.40 ;\nEDF_DataBlocks = 3 ;\n"
               b"EDF_BinarySize = 0 ;\n").ljust(510) + b"}\n"
    path.write_bytes(general + path.read_bytes() + bytes(77))
    Scan(path, folder).check(want, "EDF stack")


def check_edf_refused(folder):
    path = Path(folder, "a.edf")
    write_edf(path, *make_frames((3, 30, 40), "u2"))
    whole = path.read_bytes()
    for old, new, words in (
            (b"UnsignedShort", b"Float128     ", "type \"Float128\""),
            (b"Dim_1 = 40", b"Dim_1 =  0", "without pixels"),
            (b"Dim_1 = 40", b"Dim_1 = 99", "fewer bytes"),
            (b"Image = 1", b"Dim_3 = 9", "three dimensions"),
            (b"Image =", b"Compression = GzipCompression ;\nx =", "Gzip")):
        assert old in whole
        changed = whole.replace(old, new)
        extra = len(changed) - len(whole)
        if extra > 0:  # the headers keep their size
            changed = whole.replace(old, new, 1).replace(
                b" " * (extra // whole.count(old)), b"", 1)
        path.write_bytes(changed)
        refuse(path, folder, "a.edf: ", words)
    for rest, n_images, words in (whole[:-100], 2, "longer than the file"), (
            whole + b"{ Dim_1 = 3 ;", 3, "header is not whole"):
        path.write_bytes(rest)
        scan = Scan(path, folder)
        scan.check(make_frames((3, 30, 40), "u2")[:n_images], "EDF stack")
        scan.has_note(words)
        scan.has_note(f"only the first {n_images} images are whole")
    path.write_text('{\n"a": "b = c ;"\n}\n' + " " * 999)
    refuse(path, folder, "a.edf: ", "neither a file of a known format")


def check_edf_damage(folder):
    path = Path(folder, "a.edf")
    write_edf(path, *make_frames((1, 30, 40), "u2"))
    Scan(path, folder)
    damage(path, path, 100)


def write_tiff(path, frame, *options):
    """ImageMagick writes @frame, of uint16."""
    if shutil.which("convert") is None:
        raise Skip("no convert: ImageMagick is not installed")
    Path(path).parent.mkdir(exist_ok=True)
    height, width = frame.shape
    subprocess.run(["convert", "-size", f"{width}x{height}", "-depth", "16",
                    "-endian", "LSB", "gray:-", "-type", "grayscale", *options,
                    str(path)], input=frame.astype("<u2").tobytes(),
                   check=True, capture_output=True)


TIFF_OPTIONS = {
    "lzw": ["-compress", "LZW"], "deflate": ["-compress", "Zip"],
    "zstd": ["-compress", "Zstd"],
    "big-endian": ["-endian", "MSB"],
    "tiles": ["-compress", "Zip", "-define", "tiff:tile-geometry=16x16"]}


def check_tiff(folder, name):
    want = make_frames((3, 37, 41), "u2")
    for i, frame in enumerate(want):
        write_tiff(Path(folder, "scan", f"p{i}.tif"), frame,
                   *TIFF_OPTIONS[name])
    Scan(Path(folder, "scan"), folder).check(want, "TIFF folder")


def check_tiff_packed(folder, bits, name):
    """Samples share bytes; ImageMagick reads them too."""
    np = need("numpy")
    wide = make_frames((3, 37, 41), "u2")
    top = 2 ** bits - 1
    want = []
    for i, frame in enumerate(wide):
        path = Path(folder, "scan", f"p{i}.tif")
        write_tiff(path, frame, *TIFF_OPTIONS.get(name, []), "-depth", str(bits))
        same(identify(path, "%z"), [str(bits)])
        back = subprocess.run(["convert", path, "-depth", "16", "-endian",
                               "LSB", "gray:-"], check=True,
                              capture_output=True).stdout
        want.append(np.frombuffer(back, "<u2").reshape(frame.shape)
                    * (top / 65535))
    want = np.rint(want).astype("u2")
    assert want.max() == top
    assert np.abs(want - wide / 65536. * 2 ** bits).max() < 3
    Scan(Path(folder, "scan"), folder).check(want, "TIFF folder")


def check_tiff_one_directory(folder):
    """Many images after one directory, as ImageJ writes them above 4 GB."""
    tifffile = need("tifffile")
    path = Path(folder, "a.tif")
    for kind, order in (("u2", "<"), ("f4", ">"), ("u1", "<")):
        want = make_frames((6, 7, 11), kind)
        for options in {"imagej": True}, {"byteorder": order}:
            tifffile.imwrite(path, want, truncate=True, **options)
            with tifffile.TiffFile(path) as tiff:
                same(len(tiff.pages), 1)
                same(tiff.asarray().tolist(), want.tolist())
            Scan(path, folder).check(want, "TIFF stack")
    # the whole images of a file that was cut off
    whole = path.read_bytes()
    for n_bytes, n_images in (40, 5), (3 * 77 + 40, 2), (5 * 77 - 20, 1):
        path.write_bytes(whole[:-n_bytes])
        scan = Scan(path, folder)
        scan.has_note(f"only the first {n_images} image")
        if n_images > 1:
            scan.check(want[:n_images], "TIFF stack")
    # the same of a file with many directories
    tifffile.imwrite(path, want, metadata=None)
    path.write_bytes(path.read_bytes()[:-40])
    scan = Scan(path, folder)
    scan.check(want[:5], "TIFF stack")
    scan.has_note("only the first 5 images are whole")
    # a copy of the description, without the other images
    top = Path(folder, "scan")
    top.mkdir()
    for i in range(6):
        tifffile.imwrite(top / f"p{i}.tif", want[i], metadata=None,
                         description='{"shape": [6, 7, 11]}')
    Scan(top, folder).check(want, "TIFF folder")


def check_tiff_volume(folder):
    tifffile = need("tifffile")
    path = Path(folder, "a.tif")
    tifffile.imwrite(path, make_frames((5, 32, 48), "u2"), volumetric=True,
                     tile=(16, 16, 16))
    refuse(path, folder, "a.tif: ", "three dimensions")


def check_tiff_refused(folder):
    path = Path(folder, "a.tif")
    frame = make_frames((1, 64, 64), "u2")[0]
    write_tiff(path, frame, "-depth", "8", "-compress", "JPEG")
    same(identify(path, "%C"), ["JPEG"])
    refuse(path, folder, "a.tif: ", "with loss")
    write_tiff(path, frame, "-compress", "LZW")
    whole = path.read_bytes()
    tag = bytes([3, 1, 3, 0, 1, 0, 0, 0, 5, 0])  # compression is LZW
    same(whole.count(tag), 1)
    path.write_bytes(whole.replace(tag, tag[:8] + b"\x39\x30"))
    refuse(path, folder, "a.tif: ", "number 12345")


def check_tiff_damage(folder):
    for options in (["-compress", "LZW"], ["-depth", "12"],
                    TIFF_OPTIONS["tiles"]):
        path = Path(folder, "a.tif")
        write_tiff(path, make_frames((1, 70, 80), "u2")[0], *options)
        Scan(path, folder)
        damage(path, path, 60)


NRRD = {"u1": "uchar", "i1": "signed char", "u2": "uint16", "i2": "short int",
        "u4": "unsigned int", "i4": "int", "f4": "float", "f8": "double"}


def write_nrrd(path, frames, order="little", more="data file: samples.raw\n",
               data=None):
    header = (f"NRRD0004\n# a remark: with a colon\ntype: "
              f"{NRRD[frames.dtype.str[1:]]}\ndimension: 3\nsizes: "
              f"{' '.join(map(str, reversed(frames.shape)))}\nencoding: raw\n"
              f"endian: {order}\nsome:=thing\n{more}").encode()
    if data is None:
        data = frames.astype(frames.dtype.newbyteorder(
            "<" if order == "little" else ">")).tobytes()
    if "file" in more:
        path.write_bytes(header)
        path.with_name("samples.raw").write_bytes(data)
    else:
        path.write_bytes(header + b"\n" + data)


def check_nrrd(folder, kind):
    want = make_frames((5, 7, 11), kind)
    path = Path(folder, "a.nhdr")
    for order in "little", "big":
        write_nrrd(path, want, order)
        Scan(path, folder).check(want, "NRRD stack")
        write_nrrd(path, want, order, more="")
        Scan(path, folder).check(want, "NRRD stack")
    old = os.getcwd()
    os.chdir(folder)
    write_nrrd(path, want)
    Scan("a.nhdr", folder).check(want, "NRRD stack")
    os.chdir(old)
    data = want.astype("<" + kind).tobytes()
    for skip in 33, -1:
        more = f"datafile: samples.raw\nbyte skip: {skip}\n"
        write_nrrd(path, want, more=more, data=bytes(33) + data)
        Scan(path, folder).check(want, "NRRD stack")


def check_nrrd_ours(folder):
    """What an export wrote."""
    np = need("numpy")
    path = Path(folder, "v.raw")
    subprocess.run([WRITER, "raw", "uint16", "0", "5", "7", "11", path],
                   check=True, stdout=subprocess.DEVNULL)
    want = np.fromfile(path, "<u2").reshape(5, 7, 11)
    assert want.max() > 255
    Scan(path.with_suffix(".nhdr"), folder).check(want, "NRRD stack")


def check_nrrd_refused(folder):
    path = Path(folder, "a.nhdr")
    want = make_frames((3, 30, 40), "u2")
    write_nrrd(path, want)
    whole = path.read_text()
    for old, new, words in (
            ("encoding: raw", "encoding: gzip", "gzip"),
            ("sizes: 40 30 3", "sizes: 40", "columns, rows"),
            ("sizes: 40 30 3", "sizes: 40 30 0", "columns, rows"),
            ("sizes: 40 30 3", "sizes: 40 30 4", "truncated"),
            ("sizes: 40 30 3", "sizes: 9999999999 9999999999 9", "truncated"),
            ("type: uint16", "type: block", '"block"'),
            ("samples.raw", "LIST", "LIST")):
        assert old in whole
        path.write_text(whole.replace(old, new))
        refuse(path, folder, "a.nhdr: ", words)


def check_nrrd_beside(folder):
    """Who opens the samples is told of their header."""
    (Path(folder) / "a.b").mkdir()
    path = Path(folder, "a.b", "samples.nhdr")
    write_nrrd(path, make_frames((3, 30, 40), "u2"))
    refuse(path.with_suffix(".raw"), folder, "samples.raw: ",
           "samples.nhdr beside it describes its samples")
    path.with_suffix(".raw").rename(path.with_name("samples"))
    refuse(path.with_name("samples"), folder, "raw samples are opened with")


def check_nrrd_damage(folder):
    path = Path(folder, "a.nrrd")
    write_nrrd(path, make_frames((3, 30, 40), "u2"), more="")
    Scan(path, folder)
    damage(path, path, 100)


def write_raw(path, frames, order, header=0, gap=0):
    """Returns: the type and the bytes as the option takes them"""
    parts = [f.astype(order + f.dtype.str[1:]).tobytes() for f in frames]
    path.write_bytes(bytes(header) + bytes(gap).join(parts))
    return (f":{frames.dtype.name}" + {"<": "le", ">": "be"}[order]
            + (f":header={header}" if header else "")
            + (f":gap={gap}" if gap else ""))


def check_raw(folder, kind):
    want = make_frames((5, 7, 11), kind)
    path = Path(folder, "scan.raw")
    for order, header, gap in (("<", 0, 0), (">", 33, 0), ("<", 7, 5)):
        rest = write_raw(path, want, order, header, gap)
        for shape in "11x7x5", "11x7":
            Scan(path, folder, f"raw={shape}{rest}").check(want, "raw stack")
    write_raw(path, want, "<")
    Scan(path, folder, f"raw=11x7x5:{want.dtype.name}").check(want, "raw stack")


def check_raw_fields(folder):
    """The flats and darks have other numbers of images."""
    np = need("numpy")
    want = make_frames((5, 7, 11), "u2")
    flats = make_frames((3, 7, 11), "u2", 40) // 2 + 30000
    darks = make_frames((2, 7, 11), "u2", 60) // 8
    rest = write_raw(Path(folder, "scan.img"), want, ">", header=16)
    write_raw(Path(folder, "open.img"), flats, ">", header=16)
    write_raw(Path(folder, "shut.img"), darks, ">", header=16)
    scan = Scan(Path(folder, "scan.img"), folder, f"raw=11x7x5{rest}",
                "flat-files=open.img", "dark-files=shut.img")
    scan.check(want, "raw stack")
    same([scan.facts[k] for k in ("flats", "darks")], ["3", "2"])
    np.testing.assert_allclose(scan.first, flats.mean(0), rtol=1e-6)
    np.testing.assert_allclose(scan.dark, darks.mean(0), rtol=1e-6)


def check_raw_folder(folder):
    """A file for each projection."""
    want = make_frames((12, 7, 11), "f4")
    top = Path(folder, "scan")
    top.mkdir()
    for i, frame in enumerate(want):
        rest = write_raw(top / f"p{i}.bin", frame[None], "<", header=8)
    Scan(top, folder, f"raw=11x7x1{rest}",
         "projection-files=*.bin").check(want, "raw folder")


def check_raw_known(folder):
    """What the user says counts for the file alone, even where its first bytes
    are those of another format."""
    np = need("numpy")
    want = make_frames((5, 7, 11), "u2")
    path = Path(folder, "scan.bin")
    for start in b"{ a = b ;", b"NRRD0004", b"II*\0", b"\x89HDF\r\n\x1a\n":
        rest = write_raw(path, want, "<")
        data = start + path.read_bytes()[len(start):]
        path.write_bytes(data)
        changed = np.frombuffer(data, "<u2").reshape(want.shape)
        Scan(path, folder, f"raw=11x7x5{rest}").check(changed, "raw stack")
    write_fits(Path(folder, "o.fits"), want[:1] // 2 + 30000)
    scan = Scan(path, folder, f"raw=11x7x5{rest}", "flat-files=o.fits")
    np.testing.assert_array_equal(scan.first, want[0] // 2 + 30000)


def check_raw_refused(folder):
    want = make_frames((5, 7, 11), "u2")
    path = Path(folder, "scan.raw")
    write_raw(path, want, "<")
    refuse(path, folder, "scan.raw: ", "neither a file of a known format",
           "2048x2048x1800:uint16le")
    for layout, *words in (
            ("11x7x6:uint16le", "770 bytes", "6 images of 11 x 7", "need 924"),
            ("11x7x4:uint16le", "770 bytes", "need 616"),
            ("11x6:uint16le", "770 bytes", "5 images", "need 660"),
            ("11x7x5:uint16le:header=1", "770 bytes", "need 771"),
            ("11x7x5:uint16le:gap=2", "770 bytes", "need 778"),
            ("2147483647x2147483647x2147483647:float64", "770 bytes"),
            ("99x99:uint8", "770 bytes", "1 images", "need 9801"),
            ("11x7x5", "does not say"), ("11:uint16le", "does not say"),
            ("0x7x5:uint16le", "does not say"), ("11x7x5:", "does not say"),
            ("11x7x5:uint12le", "does not say"), ("le:le", "does not say"),
            ("-11x7x5:uint16le", "does not say"),
            ("11x7x5:uint16le:header=", "does not say"),
            ("11x7x5:uint16le:header=x", "does not say"),
            ("11x7x5:uint16le:skip=3", "does not say"),
            ("11x7x5x1:uint16le", "does not say"), ("", "does not say")):
        refuse(path, folder, *words, options=[f"raw={layout}"])


def check_raw_help(folder):
    """The help of ./start names all formats."""
    path = Path(folder, "scan.bin")
    path.write_bytes(b"unknown")
    said = refuse(path, folder, "of a known format (HDF5, ")
    start = Path(__file__).parents[4] / "start"
    words = subprocess.run(["sh", start, "--help"], capture_output=True,
                           text=True, check=True).stdout
    for name in said.split("(")[1].split(")")[0].split(", "):
        assert name in words, (name, words)


def check_unreadable(folder, suffix):
    """A folder opens without the images that are empty, cut short or
    something else, the first one among them."""
    np = need("numpy")
    write = {".tif": write_tiff, ".edf": write_edf, ".fits": write_fits}[suffix]
    want = make_frames((9, 24, 32), "u2")
    top = Path(folder, "scan")
    top.mkdir()
    for i, frame in enumerate(want):
        write(top / f"p{i}{suffix}", frame)
    whole = (top / f"p5{suffix}").read_bytes()
    (top / f"p0{suffix}").write_bytes(b"")
    (top / f"p5{suffix}").write_bytes(whole[:len(whole) * 2 // 3])
    (top / f"p8{suffix}").write_bytes(b"\0" * 999)
    others = [1, 2, 3, 4, 6, 7]
    scan = Scan(top, folder)
    np.testing.assert_array_equal(scan.frames, want[others])
    np.testing.assert_allclose(scan.angles, np.array(others) * 20.)
    scan.has_note("projections that cannot be read are left out: 0,5,8; the "
                  f"first: p0{suffix}: ")
    (top / f"p1{suffix}").write_bytes(b"")
    (top / f"p2{suffix}").write_bytes(whole[:100])
    refuse(top, folder, "5 of 9 files of projections cannot be read", f"p0{suffix}: ")


CASES = (
    [(check, kind) for kind in TYPES
     for check in (check_fits_cube, check_fits_folder, check_txrm,
                   check_edf, check_nrrd, check_raw)]
    + [(check_unreadable, suffix) for suffix in (".tif", ".edf", ".fits")]
    + [(check_tiff, name) for name in TIFF_OPTIONS]
    + [(check_tiff_packed, bits, name)
       for bits, name in ((12, "none"), (12, "lzw"), (14, "none"))]
    + [(check,) for check in (
        check_raw_fields, check_raw_folder, check_raw_known,
        check_raw_refused, check_raw_help, check_nrrd_ours, check_nrrd_refused, check_nrrd_beside,
        check_nrrd_damage,
        check_tiff_one_directory, check_tiff_volume,
        check_tiff_refused, check_tiff_damage,
        check_fits_integer64, check_fits_scaled,
        check_fits_real, check_fits_refused, check_fits_damage,
        check_txrm_facts, check_txrm_cone, check_txrm_folder, check_txrm_real,
        check_txrm_refused, check_txrm_damage,
        check_edf_esrf, check_edf_given, check_edf_sum, check_edf_missing,
        check_edf_general_block,
        check_edf_refused, check_edf_damage)])


if __name__ == "__main__":
    sys.exit(run([case for case in CASES
                  if case[0].__name__.split("_")[1] == FORMAT]))
