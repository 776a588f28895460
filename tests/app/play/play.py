"""Scans that are played, as other programs see them: HDF5 while it grows, and
messages byte by byte. Usage: play.py PROGRAM

What the receivers expect is written from the descriptions of the protocols, not
from the program. A module that is not installed is a skipped test."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import Skip, need, run, same
from network import find_missing, find_port, need_network
from phantoms import make_phantom

PROGRAM = os.path.realpath(sys.argv[1])
PATIENCE_S = 30
N_PROJECTIONS, N_ROWS, N_COLS = 60, 6, 10
DATA = "entry/instrument/detector/data"
ATTRIBUTES = "entry/instrument/NDAttributes/"
KIND_OF_KEY = {0: "data", 1: "data_white", 2: "data_dark"}  # of image_key
KIND_OF_TYPE = {0: "data_dark", 1: "data_white", 2: "data"}  # of messages


def make_scan(folder):
    return make_phantom(PROGRAM, folder, N_PROJECTIONS, N_ROWS, N_COLS)


def play(scan, to, *options):
    return subprocess.Popen([PROGRAM, "play", scan, "--to", str(to),
                             *map(str, options)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, encoding="utf-8")


def finish(child, status=0):
    """Returns: what it printed to standard error"""
    out, err = child.communicate(timeout=PATIENCE_S)
    same(child.returncode, status, out + err)
    return err


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.002)


# --- files ---

def check_frames(file, scan):
    """Each frame that is there is the one that its key and angle say. Returns:
    how many there are"""
    data = file[DATA]
    values = [file[ATTRIBUTES + name]
              for name in ("image_key", "rotation_angle", "NDArrayUniqueId")]
    for dataset in (data, *values):
        if dataset.file.swmr_mode:
            dataset.refresh()
    n = min(len(dataset) for dataset in (data, *values))
    keys, angles, numbers = (dataset[:n] for dataset in values)
    frames = data[:n]
    n_seen = dict.fromkeys(KIND_OF_KEY, 0)
    for k in range(n):
        key = keys[k]
        where = n_seen[key]
        if key == 0:
            where = scan["theta"].tolist().index(angles[k])
        n_seen[key] += 1
        assert (frames[k] == scan[KIND_OF_KEY[key]][where]).all(), k
    same(numbers.tolist(), sorted(numbers.tolist()), "numbers")
    return n


def count_frames(scan):
    return sum(len(scan[name]) for name in KIND_OF_KEY.values())


def check_swmr(folder):
    """A reader that opens the file again and again, and one that keeps it open,
    are never refused and see it grow."""
    h5py = need("h5py")
    path, scan = make_scan(folder)
    live = folder / "live.h5"
    child = play(path, live, "--rate", 60, "--order", "golden")
    wait_until(live.exists, "the file is there")
    n_all, lengths = count_frames(scan), set()
    with h5py.File(live, "r", swmr=True) as kept:
        end = time.monotonic() + PATIENCE_S
        while not lengths or max(lengths) < n_all:
            assert time.monotonic() < end, f"{lengths} of {n_all} frames"
            with h5py.File(live, "r", swmr=True) as opened:
                check_frames(opened, scan)
            lengths.add(check_frames(kept, scan))
    finish(child)
    assert len(lengths) > 10, f"seen in steps only: {lengths}"
    with h5py.File(live) as file:
        same(check_frames(file, scan), n_all, "frames")


def check_layout(folder):
    h5py = need("h5py")
    path, scan = make_scan(folder)
    live = folder / "live.h5"
    finish(play(path, live, "--rate", 1000, "--lose", "3,5:6", "--angle-name",
                "Theta"))
    with h5py.File(live) as file:
        data = file[DATA]
        same(data.chunks, (1, N_ROWS, N_COLS), "chunks")
        same(data.maxshape, (None, N_ROWS, N_COLS), "maxshape")
        same(data.dtype, scan["data"].dtype, "type")
        size = file["entry/instrument/detector/x_pixel_size"]
        same((size[()], size.attrs["units"]), (1e-6, "m"), "pixel size")
        link = file.get("entry/data/data", getlink=True)
        assert isinstance(link, h5py.HardLink), link
        assert file["entry/data/data"] == data, "the link leads elsewhere"
        n = count_frames(scan) - 3
        names = sorted(file[ATTRIBUTES])
        same(names, ["NDArrayUniqueId", "Theta", "image_key"], "attributes")
        for name in names:
            same(file[ATTRIBUTES + name].shape, (n,), name)
        n_darks, n_flats = len(scan["data_dark"]), len(scan["data_white"])
        same(file[ATTRIBUTES + "image_key"][:].tolist(),
             [2] * n_darks + [1] * n_flats + [0] * (N_PROJECTIONS - 3), "keys")
        first = n_darks + n_flats + 1  # detectors count from 1
        lost = {first + k for k in (3, 5, 6)}
        same(file[ATTRIBUTES + "NDArrayUniqueId"][:].tolist(),
             [k for k in range(1, n + 4) if k not in lost], "numbers")
        angles = scan["theta"].tolist()
        same(file[ATTRIBUTES + "Theta"][n_darks + n_flats:].tolist(),
             [a for k, a in enumerate(angles) if k not in (3, 5, 6)], "angles")
    done = subprocess.run([PROGRAM, "info", live, "--json"],
                          capture_output=True, check=True)
    same(json.loads(done.stdout)["pixel_size_um"], 1, "pixel size")


def check_killed(folder):
    """What is there when the writer is killed can be read, here and by the
    program."""
    h5py = need("h5py")
    path, scan = make_scan(folder)
    live = folder / "live.h5"
    child = play(path, live, "--rate", 100)
    wait_until(live.exists, "the file is there")
    n_fields = count_frames(scan) - N_PROJECTIONS
    with h5py.File(live, "r", swmr=True) as file:
        wait_until(lambda: check_frames(file, scan) > n_fields + 10,
                   "some projections are there")
    child.kill()
    finish(child, -signal.SIGKILL)
    with h5py.File(live, "r", swmr=True) as file:
        n = check_frames(file, scan)
    assert n_fields + 10 < n < n_fields + N_PROJECTIONS, n
    said = json.loads(subprocess.run([PROGRAM, "info", live, "--json"],
                                     check=True, capture_output=True).stdout)
    same((said["projections"], said["flats"], said["darks"]),
         (n - n_fields, len(scan["data_white"]), len(scan["data_dark"])), "n")
    finish(play(path, live, "--rate", 1000, "--overwrite"))
    with h5py.File(live) as file:
        same(check_frames(file, scan), count_frames(scan), "replaced frames")


def check_itself(folder):
    """What play has written is a scan, too, and is not replaced while it is
    played, by whatever name."""
    path, _ = make_scan(folder)
    live, images, links = folder / "live.h5", folder / "live", folder / "links"
    for to in (live, images):
        finish(play(path, to, "--rate", 1000))
    (folder / "soft.h5").symlink_to(live)
    (folder / "hard.h5").hardlink_to(live)
    (folder / "soft").symlink_to(images)
    links.mkdir()
    for image in images.iterdir():
        (links / image.name).symlink_to(image)
    before = {p: p.read_bytes() for p in (live, *images.iterdir())}
    for scan, to in ((live, "soft.h5"), (live, "hard.h5"), ("soft.h5", live),
                     ("hard.h5", live), (images, "soft"), ("soft", images),
                     (links, images)):
        said = finish(play(folder / scan, folder / to, "--overwrite"), 1)
        assert "is the scan itself" in said, said
    same({p: p.read_bytes() for p in (live, *images.iterdir())}, before,
         "files")


def check_fields_elsewhere(folder):
    """Nor are files replaced that only have the flats and darks of the scan,
    but others beside them are."""
    tifffile = need("tifffile")
    path, scan = make_scan(folder)
    fields, images, away = folder / "b.h5", folder / "flats", folder / "away"
    away.mkdir()
    for to in (fields, images):
        finish(play(path, to, "--rate", 1000))
    stack = folder / "stack" / "scan.tif"
    stack.parent.mkdir()
    tifffile.imwrite(stack, scan["data"])
    for kind in ("flat", "dark"):
        tifffile.imwrite(stack.with_name(kind + ".tif"), scan["data_white"][0])
    before = {p: p.read_bytes() for p in (fields, *images.iterdir())}
    for source, to, *options in (
            (path, fields, "--flats-path", f"{fields}:/{DATA}"),
            (path, fields, "--darks-path", f"{fields.name}:/{DATA}"),
            (stack, images, "--flats", "../flats/flat*.tif"),
            (stack, images, "--darks", "../flats/dark*.tif"),
            (stack, stack.parent)):
        said = finish(play(source, to, "--overwrite", *options), 1)
        assert "is the scan itself" in said, (options, said)
    same({p: p.read_bytes() for p in (fields, *images.iterdir())}, before,
         "files")
    for source in (path, stack):
        for to in (source.with_name("live.h5"), source.with_name("live")):
            for _ in range(2):
                finish(play(source, to, "--rate", 1000, "--overwrite"))


def check_interrupted(folder):
    """After Ctrl+C the file is closed: it opens without SWMR."""
    h5py = need("h5py")
    path, scan = make_scan(folder)
    live = folder / "live.h5"
    child = play(path, live, "--rate", 20)
    wait_until(live.exists, "the file is there")
    with h5py.File(live, "r", swmr=True) as file:
        wait_until(lambda: check_frames(file, scan) > 5, "frames are there")
    child.send_signal(signal.SIGINT)
    assert "interrupted after" in finish(child, 1)
    with h5py.File(live) as file:
        assert 5 < check_frames(file, scan) < count_frames(scan)


def check_without_swmr(folder):
    """Readers that do not lock the file read it while it grows; as an older
    HDF5 writes it, which has no mark of a writer."""
    h5py = need("h5py")
    path, scan = make_scan(folder)
    live = folder / "live.h5"
    child = play(path, live, "--rate", 60, "--no-swmr")
    wait_until(live.exists, "the file is there")
    same(live.read_bytes()[8], 0, "version of the superblock")
    lengths = set()
    while child.poll() is None:
        said = subprocess.run([PROGRAM, "info", live, "--json"],
                              capture_output=True, check=False)
        if said.returncode == 0:
            lengths.add(json.loads(said.stdout)["projections"])
    finish(child)
    assert len(lengths) > 3, lengths
    with h5py.File(live) as file:
        same(check_frames(file, scan), count_frames(scan), "frames")


def check_mixed_types(folder):
    """Flats of another type than the projections: all become floats."""
    h5py = need("h5py")
    path, scan = make_scan(folder)
    with h5py.File(path, "a") as file:
        del file["exchange/data_white"]
        file["exchange/data_white"] = scan["data_white"].astype("f8") + 0.25
    scan["data_white"] = scan["data_white"].astype("f4") + 0.25
    live = folder / "live.h5"
    finish(play(path, live, "--rate", 1000))
    with h5py.File(live) as file:
        same(file[DATA].dtype.str, "<f4", "type")
        same(check_frames(file, scan), count_frames(scan), "frames")


# --- folders ---

def check_in_place(folder):
    """Images are seen before they are whole, but only with the option."""
    path, _ = make_scan(folder)
    for options, grows in (((), False), (("--in-place",), True)):
        live = folder / f"live{grows}"
        child = play(path, live, "--rate", 40, *options)
        sizes = set()
        while child.poll() is None:
            for image in live.glob("[!.]*.tif"):
                sizes.add(image.stat().st_size)
        finish(child)
        assert len(sizes) > 3 if grows else len(sizes) == 1, sizes


def check_interrupted_image(folder):
    """Ctrl+C while an image grows: neither it nor its angle stay."""
    path, _ = make_scan(folder)
    live = folder / "live"
    child = play(path, live, "--rate", 4, "--in-place", "--fields-last")
    wait_until((live / "proj_00003.tif").exists, "the fourth image grows")
    child.send_signal(signal.SIGINT)
    finish(child, 1)
    same(sorted(p.name for p in live.iterdir()),
         ["angles.txt", *(f"proj_{k:05d}.tif" for k in range(3))], "files")
    lines = (live / "angles.txt").read_text().splitlines()
    same((lines[0], len(lines)), ("# tomolens-cli play", 4), "angles")


def check_rate(folder):
    path, scan = make_scan(folder)
    live = folder / "live"
    rate = 40
    finish(play(path, f"{live}/", "--rate", rate))
    times = [(live / f"proj_{k:05d}.tif").stat().st_mtime_ns / 1e9
             for k in range(N_PROJECTIONS)]
    seen = (N_PROJECTIONS - 1) / (times[-1] - times[0])
    assert abs(seen - rate) < 0.1 * rate, seen


# --- messages ---

def need_messages():
    need_network(PROGRAM)
    return need("zmq")


class Receiver:
    """A socket that is the other end."""

    def __init__(self, kind, port=None):
        """@port: that the program has bound; else binds one of its own"""
        self.zmq = need_messages()
        self.context = self.zmq.Context()
        self.socket = self.context.socket(getattr(self.zmq, kind))
        self.socket.setsockopt(self.zmq.RCVTIMEO, PATIENCE_S * 1000)
        self.socket.setsockopt(self.zmq.LINGER, 0)
        if kind == "SUB":
            self.socket.setsockopt(self.zmq.SUBSCRIBE, b"")
        if port is None:
            self.port = self.socket.bind_to_random_port("tcp://127.0.0.1")
        else:
            self.port = port
            self.socket.connect(f"tcp://127.0.0.1:{port}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.context.term()


def expect_packets(scan, order):
    """The packets of a scan by the description of TomoPackets."""
    np = need("numpy")
    n_darks, n_flats = len(scan["data_dark"]), len(scan["data_white"])
    yield struct.pack("<ii6f", 0x301, 0, -N_COLS / 2, -N_COLS / 2, -N_ROWS / 2,
                      N_COLS / 2, N_COLS / 2, N_ROWS / 2)
    yield struct.pack("<iiii?", 0x302, 0, n_darks, n_flats, False)
    yield (struct.pack("<6i", 0x303, 0, N_ROWS, N_COLS, N_PROJECTIONS,
                       N_PROJECTIONS)
           + np.deg2rad(scan["theta"]).astype("<f4").tobytes())
    for kind, frames in ((0, range(n_darks)), (1, range(n_flats)), (2, order)):
        for k in frames:
            pixels = scan[KIND_OF_TYPE[kind]][k]
            yield (struct.pack("<6i", 0x309, kind, k, N_ROWS, N_COLS,
                               pixels.size) + pixels.astype("<f4").tobytes())


def check_packets(folder, kind, scheme, *options):
    path, scan = make_scan(folder)
    with Receiver(kind) as receiver:
        child = play(path, f"{scheme}://127.0.0.1:{receiver.port}", "--rate",
                     1000, "--lose", "7", *options)
        order = [k for k in range(N_PROJECTIONS) if k != 7]
        for number, want in enumerate(expect_packets(scan, order)):
            got = receiver.socket.recv_multipart()
            assert got == [want], f"packet {number}: {got[0][:40].hex()}"
            if kind == "REP":
                receiver.socket.send(struct.pack("<i", 1))
        finish(child)
        same(receiver.socket.poll(200), 0, "further packets")


def check_json(folder, kind, *options):
    need_messages()
    path, scan = make_scan(folder)
    n = {name: len(scan[name]) for name in KIND_OF_TYPE.values()}
    port = find_port()
    child = play(path, f"zmq+json://*:{port}", "--rate", 200, "--order",
                 "interlaced", "--repeat-flats-after", *options)
    with Receiver(kind, port) as receiver:
        seen = {name: [] for name in n}
        for _ in range(sum(n.values()) + n["data_white"]):
            header, pixels = receiver.socket.recv_multipart()
            header = json.loads(header)
            name = KIND_OF_TYPE[header["image_attributes"]["scan_index"]]
            same((header["shape"], header["type"]), ([N_ROWS, N_COLS], "uint16"))
            seen[name].append(header["frame"])
            frame = scan[name][header["frame"] % n[name]]
            assert pixels == frame.astype("<u2").tobytes(), header
        finish(child)
        same(receiver.socket.poll(200), 0, "further frames")
    same(seen["data_dark"], list(range(n["data_dark"])), "darks")
    same(seen["data_white"], list(range(2 * n["data_white"])), "flats")
    same(sorted(seen["data"]), list(range(n["data"])), "projections")
    same(seen["data"][:3], [0, 8, 16], "order")


def check_late_receiver(folder):
    """The sender waits, says so, and loses nothing."""
    need_messages()
    path, scan = make_scan(folder)
    port = find_port()
    child = play(path, f"tcp://127.0.0.1:{port}", "--rate", 1000)
    said = child.stderr.readline()
    assert "waiting for a receiver" in said, said
    with Receiver("PULL", find_port()) as receiver:
        receiver.socket.bind(f"tcp://127.0.0.1:{port}")
        for want in expect_packets(scan, range(N_PROJECTIONS)):
            assert receiver.socket.recv() == want
        finish(child)


def check_lost_receiver(folder):
    """A receiver that goes is waited for, until Ctrl+C."""
    path, _ = make_scan(folder)
    with Receiver("PULL") as receiver:
        child = play(path, f"tcp://127.0.0.1:{receiver.port}", "--rate", 50)
        for _ in range(10):
            receiver.socket.recv()
    said = child.stderr.readline()
    assert "waiting for a receiver" in said, said
    child.send_signal(signal.SIGINT)
    assert "interrupted after" in finish(child, 1)


def check_taken_address(folder):
    path, _ = make_scan(folder)
    with Receiver("PULL") as other:
        said = finish(play(path, f"zmq+json://127.0.0.1:{other.port}"), 1)
    assert "another program uses this address" in said, said
    same(said.count("\n"), 1, "lines")


def check_missing_library(folder):
    """Without the library, the program says what is missing."""
    missing = find_missing(PROGRAM)
    if not missing:
        raise Skip("the program was built with libzmq")
    path, _ = make_scan(folder)
    for scheme in ("tcp", "zmq+json"):
        said = finish(play(path, f"{scheme}://127.0.0.1:{find_port()}"), 1)
        assert missing in said, said
        same(said.count("\n"), 1, "lines")


sys.exit(run([
    (check_swmr,),
    (check_layout,),
    (check_killed,),
    (check_itself,),
    (check_fields_elsewhere,),
    (check_interrupted,),
    (check_without_swmr,),
    (check_mixed_types,),
    (check_in_place,),
    (check_interrupted_image,),
    (check_rate,),
    (check_packets, "PULL", "tcp"),
    (check_packets, "PULL", "zmq+tomopackets"),
    (check_packets, "REP", "zmq+tomopackets", "--request"),
    (check_json, "PULL"),
    (check_json, "SUB", "--publish"),
    (check_late_receiver,),
    (check_lost_receiver,),
    (check_taken_address,),
    (check_missing_library,),
]))
