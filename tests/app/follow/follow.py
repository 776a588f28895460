"""Slices of scans that are being taken, played by our own play. Usage: follow.py
PROGRAM

A module that is not installed is a skipped test."""

import itertools
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import scans
from cases import need, run, same
from network import find_port, need_network

PROGRAM = os.path.realpath(sys.argv[1])
PATIENCE_S = 30
N_PROJECTIONS = 180
RATE = 80  # so that some pictures are made meanwhile
EVERY = ("--every", "0.2")
HOST = ("--engine", "host")
INCOMPLETE = 3  # the exit status where frames are missing


def make_scan(folder, *options):
    return scans.make_scan(PROGRAM, folder, N_PROJECTIONS, "--size", "64",
                           "--rows", "8", *options)


def read(path):
    return path.read_bytes()


def recon(scan, to, *options):
    """Returns: the bytes of the slice of a whole file"""
    subprocess.run([PROGRAM, "recon", scan, "-o", to, *HOST, *options],
                   check=True, capture_output=True)
    return read(to)


class Play:
    """A sender."""

    def __init__(self, scan, to, *options):
        self.child = subprocess.Popen(
            [PROGRAM, "play", scan, "--to", str(to), "--rate", str(RATE),
             *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()


class Follow:
    """The program, making slices."""

    def __init__(self, name, to, *options):
        self.child = subprocess.Popen(
            [PROGRAM, "recon", str(name), "--follow", "-o", str(to), "--json",
             *EVERY, *HOST, *map(str, options)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def next(self):
        line = self.child.stdout.readline()
        assert line, "no further picture: " + self.child.stderr.read()
        return json.loads(line)

    def rest(self, status=0):
        """Returns: all further pictures, and what was printed to standard
        error"""
        out, err = self.child.communicate(timeout=PATIENCE_S)
        same(self.child.returncode, status, err)
        return [json.loads(line) for line in out.splitlines()], err


def wait_for(path):
    end = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end, f"waited in vain for {path}"
        time.sleep(0.01)


def mean_of(picture):
    return picture["slices"][0]["mean"]


def check_pictures(pictures):
    """From a third of the scan on, slices have streaks, but are not dark."""
    *parts, whole = pictures
    same([p["event"] for p in parts], ["picture"] * len(parts), "events")
    same(whole["event"], "end")
    early = [p for p in parts
             if N_PROJECTIONS / 3 <= p["projections"] < 0.9 * N_PROJECTIONS]
    assert early, f"no picture in between: {parts}"
    for picture in early:
        error = abs(mean_of(picture) / mean_of(whole) - 1)
        assert error < 0.05, f"{picture}: mean is {error:.1%} off {whole}"


def check_grown(pictures):
    """Of projections in their order, each is back-projected once, but for some
    at the ends, where less than half of them are new. The last picture is made
    of all, and so is the one before if the scan ends meanwhile."""
    *parts, whole = pictures
    for before, now in zip(parts, parts[1:-1]):
        more = now["projections"] - before["projections"]
        if 0 < more and 2 * (more + 4) < now["projections"]:
            assert more <= now["back_projected"] <= more + 4, (before, now)
    same(whole["back_projected"], whole["projections"], "the last picture")


def play_and_follow(scan, way, folder, play_options, follow_options, status=0):
    """Returns: what is followed, the pictures, and the last slice"""
    got = folder / "got.tiff"
    if way in ("file", "folder"):
        live = folder / ("live.h5" if way == "file" else "live")
        with Play(scan, live, *play_options):
            wait_for(live)
            if "--expect" not in follow_options:
                follow_options = ("--timeout", 2, *follow_options)
            with Follow(live, got, *follow_options) as follow:
                pictures, _ = follow.rest(status)
        return live, pictures, read(got)
    need_network(PROGRAM)
    kind = "+rep" if "--request" in play_options else ""
    address = f"127.0.0.1:{find_port()}"
    with Follow(f"zmq+tomopackets{kind}://{address}", got,
                *follow_options) as follow:
        with Play(scan, f"zmq+tomopackets://{address}", *play_options):
            pictures, _ = follow.rest(status)
    return scan, pictures, read(got)


def check_whole(folder, way, *options):
    """The last slice is that of the file or folder, to the bit. Over the network
    it is that of the scan that is played, in any order, because projections have
    numbers."""
    scan = make_scan(folder)
    live, pictures, got = play_and_follow(scan, way, folder, options, ())
    same(pictures[-1]["projections"], N_PROJECTIONS, "projections")
    check_pictures(pictures)
    if not options:
        check_grown(pictures)
    options = (("--angles-file", live / "angles.txt") if way == "folder" else ())
    assert got == recon(live, folder / "want.tiff", *options)


def check_words(folder):
    """Without --json a sentence names the centre as it was given."""
    scan, live = make_scan(folder), folder / "live.h5"
    with Play(scan, live):
        wait_for(live)
        done = subprocess.run(
            [PROGRAM, "recon", live, "--follow", "-o", folder / "got.tiff",
             "--centre", "33.2", "--timeout", "2", *EVERY, *HOST], check=True,
            capture_output=True, encoding="utf-8")
    assert "centre 33.2 (boundary 33.7)" in done.stdout, done.stdout


def check_expected(folder, way):
    """A file or folder ends with the last frame that is expected."""
    scan = make_scan(folder)
    with need("h5py").File(scan) as file:
        n_frames = [len(file["exchange"][name])
                    for name in ("data", "data_white", "data_dark")]
    live, pictures, got = play_and_follow(
        scan, way, folder, ("--fields-last",),
        ("--expect", ",".join(map(str, n_frames))))
    same([pictures[-1][name] for name in ("projections", "flats", "darks")],
         n_frames)
    options = (("--angles-file", live / "angles.txt") if way == "folder" else ())
    assert got == recon(live, folder / "want.tiff", *options)


def check_corrected(folder, *options):
    """Corrections have the rows and the neighbours that they need."""
    scan = make_scan(folder, "--tilt", "0.4")
    _, pictures, got = play_and_follow(scan, "packets", folder, (), options)
    check_pictures(pictures)
    assert got == recon(scan, folder / "want.tiff", *options)


def check_half(folder):
    """A turn that is announced is a half acquisition from the beginning."""
    scan = make_scan(folder, "--half", "right")
    options = ("--half", "on", "--centre", "55")
    _, pictures, got = play_and_follow(scan, "packets", folder, (), options)
    assert pictures[0]["projections"] < 0.8 * N_PROJECTIONS, pictures
    assert got == recon(scan, folder / "want.tiff", *options)


def check_lost(folder, way):
    """Lost frames are those that recon leaves out; a script sees that frames
    are missing where they have numbers."""
    lost = "3,50:54,90"
    scan = make_scan(folder)
    options = ("--timeout", 2) if way == "packets" else ()
    is_known = way in ("packets", "file")
    _, pictures, got = play_and_follow(scan, way, folder,
                                       ("--lose", lost, "--order", "golden")
                                       if way == "packets" else
                                       ("--lose", lost), options,
                                       status=INCOMPLETE if is_known else 0)
    same(pictures[-1]["projections"], N_PROJECTIONS - 7, "projections")
    same(pictures[-1]["missing"], 7 if is_known else 0, "missing")
    check_pictures(pictures)
    if way == "packets":
        notes = pictures[-1]["notes"]
        assert any("7 of 180 projections are missing" in n for n in notes), notes
    assert got == recon(scan, folder / "want.tiff", "--leave-out", lost)


def check_ended(folder):
    """A sender that loses frames, and ends, ends the scan, without --timeout;
    what is missing is named."""
    scan, got = make_scan(folder), folder / "got.tiff"
    need_network(PROGRAM)
    address = f"127.0.0.1:{find_port()}"
    with Follow(f"zmq+tomopackets://{address}", got) as follow, \
            Play(scan, f"tcp://{address}", "--lose", "3,50:54"):
        _, err = follow.rest(INCOMPLETE)
    assert "6 of 180 projections are missing (counted from 0: 3, 50–54)" \
        in err, err
    same(err.count("the scan is not complete: 6 of 180 projections are"), 1, err)
    assert read(got) == recon(scan, folder / "want.tiff", "--leave-out",
                              "3,50:54")


def check_fields_last(folder):
    """Counts without flats are not shown."""
    scan = make_scan(folder)
    live, pictures, got = play_and_follow(scan, "file", folder,
                                          ("--fields-last",), ())
    for picture in pictures:
        assert picture["flats"] > 0, picture
    assert got == recon(live, folder / "want.tiff")


def check_fields_missed(folder):
    """Flats that come after the last projection have to be expected."""
    scan, live, got = make_scan(folder), folder / "live", folder / "got.tiff"
    with Play(scan, live, "--fields-last"):
        wait_for(live)
        with Follow(live, got, "--expect", N_PROJECTIONS) as follow:
            pictures, err = follow.rest(1)
    same((pictures, got.exists()), ([], False), "pictures")
    assert "ended without flats" in err, err
    assert "expect them, too, with --expect PROJ" in err, err


def make_bare(folder):
    """Returns: a scan of counts without flats and darks"""
    h5py = need("h5py")
    scan = make_scan(folder)
    with h5py.File(scan, "r+") as file:
        del file["exchange/data_white"], file["exchange/data_dark"]
        file["exchange/data"].attrs.clear()
    return scan


def check_no_flats(folder, way):
    """Counts without flats make no slice; a script sees it. Where the sender
    has said how many come, --expect is of no use."""
    need_network(PROGRAM)
    scan, got = make_bare(folder), folder / "got.tiff"
    address = f"127.0.0.1:{find_port()}"
    options = GIVEN if way == "json" else ()
    with Follow(f"zmq+{way}://{address}", got, *options) as follow, \
            Play(scan, f"zmq+{way}://{address}"):
        pictures, err = follow.rest(1)
    same((pictures, got.exists()), ([], False), "pictures")
    same(err.count("ended without flats"), 1, err)
    assert "--flat-field off makes slices without" in err, err


def check_flats_off(folder):
    """Counts without flats are shown if the flat field is switched off."""
    need_network(PROGRAM)
    scan, got = make_bare(folder), folder / "got.tiff"
    address, off = f"127.0.0.1:{find_port()}", ("--flat-field", "off")
    with Follow(f"zmq+tomopackets://{address}", got, *off) as follow, \
            Play(scan, f"tcp://{address}"):
        pictures, err = follow.rest()
    assert len(pictures) > 1, pictures
    assert "flats" not in err, err
    assert read(got) == recon(scan, folder / "want.tiff", *off)


def check_memory(folder):
    """Frames for which there is no room are dropped, and told once; what is
    held is shown."""
    n_block = 64  # share memory, of which there is less for the last ones
    scan = make_scan(folder)
    kept = 2 * 8 * 64 * (8 + 4)  # flats and darks of all rows, for the next
    memory = n_block * (64 * 4 + 8) * 1.5 + 4 * 64 * 8 + kept
    _, pictures, got = play_and_follow(scan, "packets", folder, (),
                                       ("--memory", f"{memory:.0f}"),
                                       status=INCOMPLETE)
    whole = pictures[-1]
    n_held, n_dropped = whole["projections"], whole["dropped"]
    same(n_held + n_dropped, N_PROJECTIONS, whole)
    assert n_block < n_held <= memory / (64 * 4), whole
    notes = " ".join(whole["notes"])
    assert f"{n_dropped} frames came and were dropped" in notes, notes
    assert "projections are missing" not in notes, notes
    assert got == recon(scan, folder / "want.tiff", "--leave-out",
                        f"{n_held}:{N_PROJECTIONS - 1}")
    address = f"127.0.0.1:{find_port()}"
    with Follow(f"zmq+tomopackets://{address}", folder / "no.tiff", "--memory",
                "5k") as follow, Play(scan, f"tcp://{address}"):
        _, err = follow.rest(1)
    err = err.replace("\N{NO-BREAK SPACE}", " ")
    assert "need 37.5 kB, and 5.0 kB are allowed" in err, err


def check_slices(folder):
    scan = make_scan(folder)
    need_network(PROGRAM)
    address = f"127.0.0.1:{find_port()}"
    got, want = folder / "got", folder / "want"
    want.mkdir()
    got.mkdir()
    rows_bytes = 3 * 64 * 4 * 192  # no other rows, and room for three times 64
    memory = rows_bytes * 4 / 3 + 7 * 64 * 4 * 12 + 2 * 8 * 64 * 12 + 8192
    with Follow(f"zmq+tomopackets://{address}", got, "--slices", "1:7:3",
                "--memory", f"{memory:.0f}") as follow, \
            Play(scan, f"tcp://{address}"):
        pictures, _ = follow.rest()
    same([s["slice"] for s in pictures[-1]["slices"]], [1, 4, 7], "slices")
    subprocess.run([PROGRAM, "recon", scan, "-o", want, "--slices", "1:7:3",
                    *HOST], check=True, capture_output=True)
    for path in want.glob("*.tiff"):
        assert read(path) == read(got / path.name), path
    same(len(list(got.iterdir())), 4, "files")


def check_centre(folder):
    """The axis is found in the whole scan, as recon finds it."""
    scan = make_scan(folder, "--centre", "33.2")
    options = ("--centre", "auto")
    live, _, got = play_and_follow(scan, "file", folder, (), options)
    assert got == recon(live, folder / "want.tiff", *options)


def check_centre_told(folder):
    """What was found is told once for each picture. A file is waited for."""
    scan, live = make_scan(folder), folder / "live.h5"
    with Follow(live, folder / "got.tiff", "--centre", "auto", "--tilt", "0.4",
                "--wait", "--every", 100) as follow:
        assert "is not there yet" in follow.child.stderr.readline()
        with Play(scan, live):
            pictures, err = follow.rest()
    same(len(pictures), 1)
    for note in pictures[0]["notes"]:
        same(err.count(f"note: {note}\n"), 1, err)
    assert "note: centre " in err, err
    same(len(set(err.splitlines())), err.count("\n"), err)


def check_restarted(folder):
    """A sender that is killed and begins again is followed."""
    scan = make_scan(folder)
    need_network(PROGRAM)
    address = f"127.0.0.1:{find_port()}"
    got = folder / "got.tiff"
    with Follow(f"zmq+tomopackets://{address}", got) as follow:
        with Play(scan, f"tcp://{address}"):
            follow.next()
        with Play(scan, f"tcp://{address}"):
            pictures, err = follow.rest()
    assert "another scan begins after" in err, err
    same((pictures[-1]["projections"], pictures[-1]["scan"]),
         (N_PROJECTIONS, 2), pictures[-1])
    assert read(got) == recon(scan, folder / "want.tiff")


def check_interrupted(folder):
    """Ctrl+C leaves the last slice, and no hidden files."""
    scan = make_scan(folder)
    need_network(PROGRAM)
    address = f"127.0.0.1:{find_port()}"
    got = folder / "got.tiff"
    with Follow(f"zmq+tomopackets://{address}", got) as follow:
        with Play(scan, f"tcp://{address}"):
            follow.next()
            follow.child.send_signal(signal.SIGINT)
            _, err = follow.rest(1)
    assert "interrupted" in err, err
    same(sorted(p.name for p in folder.iterdir()),
         ["got.ini", "got.tiff", "scan.h5"], "files")
    assert "zmq" not in (folder / "got.ini").read_text()


def check_refused(folder):
    scan = make_scan(folder)
    there = folder / "there.tiff"
    there.write_bytes(b"precious")
    for status, said, name, *options in (
            (2, "no options that say where", scan, "--data-path", "/data"),
            (2, "--expect takes", scan, "--expect", "0"),
            (2, "--kind takes", scan, "--kind", "dark,white"),
            (2, "number of projections has to be given", scan, "--angles",
             "0:90"),
            (2, "--every takes", scan, "--every", "0"),
            (2, "cannot be used with", scan, "--timing"),
            (2, "one of them, not both", scan, "--angles", "0:90",
             "--angles-file", there),
            (1, "there is no slice 8", scan, "--slice", "8"),
            (1, "there is no slice 50", scan, "-o", folder, "--slices",
             "40:50"),
            (1, "is there already", scan, "-o", there),
            (1, "no such file or folder; --wait waits until it is there",
             folder / "none.h5")):
        with Follow(name, folder / "got.tiff", *options) as follow:
            _, err = follow.rest(status)
            assert said in err, err
    same(there.read_bytes(), b"precious")
    need_network(PROGRAM)
    address = f"127.0.0.1:{find_port()}"
    with Follow(f"zmq+tomopackets://{address}", folder / "got.tiff", "--slice",
                "8") as follow, Play(scan, f"tcp://{address}"):
        _, err = follow.rest(1)
        assert f"zmq+tomopackets://{address}: there is no slice 8" in err, err
    with Follow(f"zmq+tomopackets://127.0.0.1:{find_port()}",
                folder / "got.tiff", "--slices", "2:4") as follow:
        _, err = follow.rest(2)  # before anything comes
        assert "do not fit into one file" in err, err
    done = subprocess.run([PROGRAM, "recon", scan, "--every", "1"],
                          capture_output=True, encoding="utf-8")
    same(done.returncode, 2, done.stderr)
    same(sorted(p.name for p in folder.iterdir()), ["scan.h5", "there.tiff"])


def check_silence(folder):
    need_network(PROGRAM)
    with Follow(f"zmq+tomopackets://127.0.0.1:{find_port()}",
                folder / "got.tiff", "--timeout", 0.3) as follow:
        _, err = follow.rest(1)
    assert "nothing has come for 0.3 s" in err, err


def check_no_angles(folder):
    """std_daq sends no angles."""
    scan = make_scan(folder)
    need_network(PROGRAM)
    address = f"zmq+json://127.0.0.1:{find_port()}"
    with Follow(address, folder / "got.tiff", "--timeout", 1.5) as follow, \
            Play(scan, address):
        _, err = follow.rest(1)
    same(err.count("does not say the angle"), 1, err)
    same(err.count("; by --expect N with --angles FIRST:LAST, or by"), 1, err)
    assert "no projection has an angle" in err, err


class Peer:
    """Another program, which sends JSON and pixels; a receiver connects."""

    def __init__(self, kind):
        self.zmq = need("zmq")
        self.context = self.zmq.Context()
        self.socket = self.context.socket(getattr(self.zmq, kind))
        self.socket.setsockopt(self.zmq.SNDTIMEO, PATIENCE_S * 1000)
        self.socket.setsockopt(self.zmq.RCVTIMEO, PATIENCE_S * 1000)
        self.port = self.socket.bind_to_random_port("tcp://127.0.0.1")
        self.kind = kind

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.destroy(5000)

    def wait(self):
        if self.kind == "XPUB":
            same(self.socket.recv(), b"\x01", "subscription")

    def send(self, pixels, **said):
        self.socket.send_json({"shape": pixels.shape, "dtype": str(pixels.dtype),
                               **said}, self.zmq.SNDMORE)
        self.socket.send(pixels.tobytes())

    def end(self):
        self.socket.send_json({"end": True})


# What the user says of a sender that sends no angles.
GIVEN = ("--angles", "0:179", "--expect", N_PROJECTIONS)


def check_std_daq(folder, *play_options):
    """The slice of the stream is that of the file with these angles."""
    scan = make_scan(folder)
    need_network(PROGRAM)
    address = f"127.0.0.1:{find_port()}"
    is_published = "--publish" in play_options
    name = f"zmq+json{'+sub' if is_published else ''}://{address}"
    got = folder / "got.tiff"
    with Follow(name, got, *GIVEN) as follow, \
            Play(scan, f"zmq+json://{address}", *play_options):
        pictures, _ = follow.rest()
    check_pictures(pictures)
    same(pictures[0]["expected"], N_PROJECTIONS, pictures[0])
    assert read(got) == recon(scan, folder / "want.tiff", *GIVEN[:2])
    again = subprocess.run([PROGRAM, "recon", scan, "--recipe", "got.ini", "-o",
                            "again.tiff"], cwd=folder, check=False,
                           capture_output=True, encoding="utf-8")
    same(again.returncode, 0, again.stderr)
    assert read(folder / "again.tiff") == read(got), "recipe"


def check_angles_file(folder):
    np = need("numpy")
    scan = make_scan(folder)
    need_network(PROGRAM)
    angles = folder / "angles.txt"
    np.savetxt(angles, np.arange(N_PROJECTIONS) * 1.01)
    name = f"zmq+json://127.0.0.1:{find_port()}"
    with Follow(name, folder / "got.tiff", "--angles-file", angles) as follow, \
            Play(scan, name):
        pictures, _ = follow.rest()
    check_pictures(pictures)
    assert read(folder / "got.tiff") == recon(scan, folder / "want.tiff",
                                              "--angles-file", angles)


def check_concert(folder):
    """Series of frames of which the user says what they are."""
    h5py = need("h5py")
    scan = make_scan(folder)
    need_network(PROGRAM)
    got = folder / "got.tiff"
    with h5py.File(scan) as file, Peer("PUSH") as peer:
        with Follow(f"zmq+json://127.0.0.1:{peer.port}", got, *GIVEN, "--kind",
                    "dark,flat,projection") as follow:
            for name in ("data_dark", "data_white", "data"):
                for pixels in file["exchange"][name]:
                    peer.send(pixels)
                peer.end()
            pictures, _ = follow.rest()
    same(pictures[-1]["projections"], N_PROJECTIONS)
    assert read(got) == recon(scan, folder / "want.tiff", *GIVEN[:2])


def check_doubled(folder):
    """Frames that come twice, at once or later, count once."""
    h5py = need("h5py")
    scan = make_scan(folder)
    need_network(PROGRAM)
    got = folder / "got.tiff"
    n_doubled = 0
    with h5py.File(scan) as file, Peer("PUSH") as peer:
        with Follow(f"zmq+json://127.0.0.1:{peer.port}", got,
                    *GIVEN) as follow:
            for kind, name in enumerate(("data_dark", "data_white", "data")):
                frames = file["exchange"][name]
                for k, pixels in enumerate(frames):
                    also = [k] if k % 5 == 2 else [k - 2] if k % 7 == 6 else []
                    n_doubled += len(also)
                    for number in (k, *also):
                        peer.send(frames[number], frame=number,
                                  image_attributes={"scan_index": kind})
            pictures, err = follow.rest()
    whole = pictures[-1]
    same((whole["projections"], whole["scan"], whole["doubled"]),
         (N_PROJECTIONS, 1, n_doubled), err)
    assert read(got) == recon(scan, folder / "want.tiff", *GIVEN[:2])


def check_turns(folder, order):
    """Several turns, of which each has its own angles."""
    scan = make_scan(folder, "--angles", "0:1085")
    _, pictures, got = play_and_follow(scan, "packets", folder,
                                       ("--order", order), ("--half", "off"))
    check_pictures(pictures)
    assert got == recon(scan, folder / "want.tiff", "--half", "off")


def check_attenuation(folder):
    """Of attenuations, flats and darks say nothing more."""
    h5py, np, zmq = need("h5py"), need("numpy"), need("zmq")
    need_network(PROGRAM)
    scan = folder / "scan.h5"
    n, shape = 12, (3, 64)
    frames = np.random.default_rng(1).random((n, *shape), "f4")
    with h5py.File(scan, "w") as file:
        file["exchange/data"] = frames
    pack = lambda *values: np.array(values, "<i4").tobytes()
    angles = np.linspace(0, np.pi, n, dtype="<f4")
    port, got = find_port(), folder / "got.tiff"
    with Follow(f"zmq+tomopackets://127.0.0.1:{port}", got) as follow, \
            zmq.Context() as context, context.socket(zmq.PUSH) as sender:
        sender.connect(f"tcp://127.0.0.1:{port}")
        sender.send(pack(0x302, 0, 1, 1) + b"\1")  # already linear
        sender.send(pack(0x303, 0, *shape, n, n) + angles.tobytes())
        for kind, number, pixels in ((0, 0, frames[0] + 1), (1, 0, frames[1] + 9),
                                     *((2, k, frames[k]) for k in range(n))):
            sender.send(pack(0x309, kind, number, *shape, pixels.size)
                        + pixels.astype("<f4").tobytes())
        pictures, _ = follow.rest()
    same((pictures[-1]["flats"], pictures[-1]["projections"]), (1, n))
    degrees = folder / "angles.txt"
    np.savetxt(degrees, angles.astype(float) * 180 / np.pi, fmt="%.17g")
    assert read(got) == recon(scan, folder / "want.tiff", "--angles-file",
                              degrees)


def pack(*values):
    return struct.pack(f"<{len(values)}i", *values)


def check_flats_of_before(folder):
    """A scan of TomoPackets without a header, flats and darks, after one that
    was not finished, is made with those of that one, and so is its recording."""
    h5py, np, zmq = need("h5py"), need("numpy"), need("zmq")
    tifffile = need("tifffile")
    need_network(PROGRAM)
    scan, got, kept = make_scan(folder), folder / "got.tiff", folder / "kept"
    port = find_port()
    with h5py.File(scan) as file, zmq.Context() as context, \
            context.socket(zmq.PUSH) as sender, \
            Follow(f"zmq+tomopackets://127.0.0.1:{port}", got, "--record",
                   kept) as follow:
        data = file["exchange"]
        shape = data["data"].shape[1:]
        sender.connect(f"tcp://127.0.0.1:{port}")
        sender.send(pack(0x302, 0, len(data["data_dark"]),
                         len(data["data_white"])) + b"\0")
        sender.send(pack(0x303, 0, *shape, N_PROJECTIONS, N_PROJECTIONS)
                    + np.deg2rad(data["theta"][:]).astype("<f4").tobytes())
        for kind, numbers, name in (
                (0, range(len(data["data_dark"])), "data_dark"),
                (1, range(len(data["data_white"])), "data_white"),
                (2, range(50), "data"),
                (2, range(N_PROJECTIONS, 2 * N_PROJECTIONS), "data")):
            for k in numbers:
                pixels = data[name][k % N_PROJECTIONS].astype("<f4")
                sender.send(pack(0x309, kind, k, *shape, pixels.size)
                            + pixels.tobytes())
        lines, err = follow.rest()
    assert "another scan begins after 50 of 180" in err, err
    same(err.count("this scan begins without flats"), 1, err)
    whole, = [line for line in lines if line["event"] == "end"]
    same((whole["scan"], whole["projections"], whole["flats"]),
         (2, N_PROJECTIONS, 0), whole)
    want, again = folder / "want.tiff", folder / "again.tiff"
    recon(scan, want)
    recorded, = [line for line in lines
                 if line["event"] == "recorded" and line["complete"]]
    same((recorded["flats"], recorded["darks"]), (1, 1), recorded)
    # the means are lent as frames of the stream, which are floats
    assert recon(recorded["path"], again) == read(got)
    pixels = [np.asarray(tifffile.imread(path)) for path in (got, want)]
    assert np.abs(pixels[0] - pixels[1]).max() < 1e-5 * np.abs(pixels[1]).max()


def check_odin(folder):
    """Published attenuations, in another order than taken."""
    h5py, np = need("h5py"), need("numpy")
    need_network(PROGRAM)
    scan = folder / "scan.h5"
    frames = np.random.default_rng(1).random((N_PROJECTIONS, 4, 64), "f4")
    with h5py.File(scan, "w") as file:
        file["exchange/data"] = frames
    got = folder / "got.tiff"
    with Peer("XPUB") as peer, \
            Follow(f"zmq+json+sub://127.0.0.1:{peer.port}", got,
                   *GIVEN) as follow:
        peer.wait()
        for k in (*range(0, N_PROJECTIONS, 2), *range(1, N_PROJECTIONS, 2)):
            peer.send(frames[k], frame_num=k, acquisition_id="a", tags=[],
                      dsize=4, dataset="data", compression="none",
                      shape=list(map(str, frames[k].shape)))
        pictures, _ = follow.rest()
    same(pictures[-1]["projections"], N_PROJECTIONS)
    assert read(got) == recon(scan, folder / "want.tiff", *GIVEN[:2])


def copy_in_pieces(source, target, pause_s):
    """As simulate_live_data.py of Mantid Imaging does it."""
    data = source.read_bytes()
    with open(target, "wb") as file:
        for k in range(10):
            time.sleep(pause_s)
            file.write(data[len(data) * k // 10:len(data) * (k + 1) // 10])
            file.flush()


def check_copied(folder, mode):
    """A folder into which darks, flats and projections are copied, those of each
    kind in no order, as a whole or in pieces: the slice is that of the folder
    when it is complete."""
    scan = make_scan(folder)
    source, live = folder / "source", folder / "live"
    subprocess.run([PROGRAM, "play", scan, "--to", source, "--rate", "1e6"],
                   check=True, stdout=subprocess.DEVNULL)
    live.mkdir()
    kinds = [list(source.glob(f"{stem}*.tif"))
             for stem in ("dark", "flat", "proj")]
    for files in kinds:
        random.Random(7).shuffle(files)
    n = list(map(len, reversed(kinds)))
    same(n[0], N_PROJECTIONS)
    with Follow(live, folder / "got.tiff", "--angles", "0:179", "--expect",
                ",".join(map(str, n))) as follow:
        if mode == "normal":
            for path in itertools.chain(*kinds):
                shutil.copy(path, live)
                time.sleep(0.005)
        else:  # some at a time, and so slowly that each piece has rested
            for files in kinds:
                with ThreadPoolExecutor(20) as pool:
                    list(pool.map(lambda path: copy_in_pieces(
                        path, live / path.name, 0.15), files))
        pictures, err = follow.rest()
    same([pictures[-1][name] for name in ("projections", "flats", "darks")], n,
         err)
    assert read(folder / "got.tiff") == recon(live, folder / "want.tiff",
                                              "--angles", "0:179")


def check_foamstream(folder, *options):
    """The sender of the authors of recastx."""
    need("foamstream.tomo.app")
    scan = make_scan(folder)
    need_network(PROGRAM)
    got, port = folder / "got.tiff", find_port()
    path = os.pathsep.join(sys.path)  # with what ./check installed
    sender = subprocess.Popen(
        [sys.executable, "-m", "foamstream.tomo.app", "--datafile", scan,
         "--port", str(port), *options], stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path})
    try:
        with Follow(f"zmq+json://127.0.0.1:{port}", got, *GIVEN) as follow:
            pictures, _ = follow.rest()
    finally:
        sender.kill()
        sender.wait()
    whole = pictures[-1]
    same((whole["projections"], whole["doubled"], whole["scan"]),
         (N_PROJECTIONS, 0, 1), whole)
    assert read(got) == recon(scan, folder / "want.tiff", *GIVEN[:2])


def check_recast3d(folder, kind):
    """The sender of RECAST3D, whose library nobody packs: tests/README.md says
    how to build it."""
    h5py, np, tomop = need("h5py"), need("numpy"), need("tomop")
    zmq = need("zmq")
    scan = make_scan(folder)
    need_network(PROGRAM)
    got, port = folder / "got.tiff", find_port()
    scheme = f"zmq+tomopackets{'+rep' if kind == 'REQ' else ''}"
    with h5py.File(scan) as file, \
            Follow(f"{scheme}://127.0.0.1:{port}", got) as follow:
        data = file["exchange"]
        n_rows, n_cols = shape = data["data"].shape[1:]
        sender = tomop.publisher("127.0.0.1", port, int(getattr(zmq, kind)))
        sender.send(tomop.geometry_specification_packet(0, [-1, -1, -1],
                                                        [1, 1, 1]))
        sender.send(tomop.scan_settings_packet(
            0, len(data["data_dark"]), len(data["data_white"]), False))
        sender.send(tomop.parallel_beam_geometry_packet(
            0, n_rows, n_cols, N_PROJECTIONS, np.deg2rad(data["theta"][:])))
        for number, name in enumerate(("data_dark", "data_white", "data")):
            for k, pixels in enumerate(data[name]):
                sender.send(tomop.projection_packet(number, k, list(shape),
                                                    pixels.ravel()))
        pictures, _ = follow.rest()
    same(pictures[-1]["projections"], N_PROJECTIONS)
    assert read(got) == recon(scan, folder / "want.tiff")


sys.exit(run([
    (check_whole, "file"),
    (check_whole, "file", "--order", "random"),
    (check_whole, "folder"),
    (check_whole, "folder", "--order", "interlaced"),
    (check_words,),
    (check_expected, "file"),
    (check_expected, "folder"),
    (check_whole, "packets"),
    (check_whole, "packets", "--request"),
    (check_whole, "packets", "--order", "golden"),
    (check_whole, "packets", "--order", "interlaced"),
    (check_corrected, "--rings", "sorting", "--zingers", "on"),
    (check_corrected, "--tilt", "0.4", "--slice", "2"),
    (check_corrected, "--phase", "on", "--energy", "20", "--distance", "50",
     "--pixel-size", "1", "--delta-beta", "200"),
    (check_half,),
    (check_lost, "packets"),
    (check_lost, "file"),
    (check_fields_last,),
    (check_fields_missed,),
    (check_no_flats, "json"),
    (check_no_flats, "tomopackets"),
    (check_flats_off,),
    (check_memory,),
    (check_slices,),
    (check_centre,),
    (check_centre_told,),
    (check_restarted,),
    (check_interrupted,),
    (check_refused,),
    (check_silence,),
    (check_no_angles,),
    (check_std_daq,),
    (check_std_daq, "--publish", "--order", "golden"),
    (check_angles_file,),
    (check_concert,),
    (check_doubled,),
    (check_turns, "sequential"),
    (check_turns, "golden"),
    (check_attenuation,),
    (check_flats_of_before,),
    (check_odin,),
    (check_copied, "normal"),
    (check_copied, "pieces"),
    (check_foamstream,),
    (check_foamstream, "--unordered"),
    (check_recast3d, "PUSH"),
    (check_recast3d, "REQ"),
]))
