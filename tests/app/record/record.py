"""Streams that are kept as files while they are followed, played by our own
play. Usage: record.py PROGRAM

A module that is not installed is a skipped test."""

import datetime
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import need, run, same
from network import find_port, need_network
from phantoms import make_phantom

PROGRAM = os.path.realpath(sys.argv[1])
PATIENCE_S = 60
N_PROJECTIONS, N_ROWS, N_COLS = 90, 4, 32
NAMES = ("data", "data_white", "data_dark")
HOST = ("--engine", "host")


def make_scan(folder):
    return make_phantom(PROGRAM, folder, N_PROJECTIONS, N_ROWS, N_COLS)


class Child:
    """The program, which prints lines of JSON."""

    def __init__(self, *arguments, most_bytes=None):
        limit = (most_bytes and (lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (most_bytes, most_bytes))))
        self.child = subprocess.Popen([PROGRAM, *map(str, arguments)],
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, encoding="utf-8",
                                      preexec_fn=limit)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def next(self, event):
        """Returns: the next of these events"""
        for line in self.child.stdout:
            said = json.loads(line)
            if said["event"] == event:
                return said
        raise AssertionError(f"no {event}: {self.child.stderr.read()}")

    def rest(self, status=0):
        """Returns: the files that were recorded, and standard error"""
        out, err = self.child.communicate(timeout=PATIENCE_S)
        same(self.child.returncode, status, err)
        said = [json.loads(line) for line in out.splitlines()]
        return [s for s in said if s["event"] == "recorded"], err


def recon_live(address, to, kept, *options, **limits):
    return Child("recon", address, "--follow", "-o", to, "--record", kept,
                 "--json", "--every", "0.2", *HOST, *options, **limits)


def watch(address, kept, *options):
    return Child("watch", address, "--record", kept, "--json", *options)


def play(scan, address, *options):
    return Child("play", scan, "--to", address, "--rate", "100", *options)


def packets():
    need_network(PROGRAM)
    return f"zmq+tomopackets://127.0.0.1:{find_port()}"


def messages():
    need_network(PROGRAM)
    return f"zmq+json://127.0.0.1:{find_port()}"


def recon(scan, to, *options):
    subprocess.run([PROGRAM, "recon", scan, "-o", to, *HOST, *options],
                   check=True, capture_output=True)
    return to.read_bytes()


def list_names(folder):
    return sorted(path.name for path in folder.iterdir())


def check_file(path, scan, order, dtype, angles=None):
    """The frames are those of the scan, as Data Exchange has them. @order: of
    the projections; @angles: of all, or those of the scan as floats of 32
    bits"""
    h5py, np = need("h5py"), need("numpy")
    sent = (scan["theta"].astype(float) * np.pi / 180).astype("<f4")
    angles = sent.astype(float) * 180 / np.pi if angles is None else angles
    with h5py.File(path) as file:
        exchange = file["exchange"]
        same(exchange["theta"].attrs["units"], "degree", "units")
        same(exchange["theta"][:].tolist(), angles[order].tolist(), "theta")
        for name in NAMES:
            data = exchange[name]
            same((data.dtype.str, data.chunks, data.maxshape),
                 (dtype, (1, N_ROWS, N_COLS), (None, N_ROWS, N_COLS)), name)
            want = scan[name] if name != "data" else scan[name][order]
            assert np.array_equal(data[:], want), name
        start = file["process/acquisition/start_date"].asstr()[()]
        age = (datetime.datetime.now(datetime.timezone.utc)
               - datetime.datetime.fromisoformat(start.replace("Z", "+00:00")))
        assert 0 <= age.total_seconds() < 600, start
        return exchange["title"].asstr()[()]


def check_whole(folder, order):
    """All rows of all frames are kept, and the slice of the file is that of the
    stream, to the bit where they come in order."""
    np = need("numpy")
    path, scan = make_scan(folder)
    address, got, kept = packets(), folder / "got.tiff", folder / "a" / "kept"
    with recon_live(address, got, kept) as follow, \
            play(path, address, "--order", order):
        (recorded,), err = follow.rest()
    same(list_names(kept), [Path(recorded["path"]).name], err)
    assert ".unfinished" not in recorded["path"], recorded
    same((recorded["projections"], recorded["flats"], recorded["darks"],
          recorded["not_recorded"], recorded["complete"]),
         (N_PROJECTIONS, len(scan["data_white"]), len(scan["data_dark"]), 0,
          True))
    with need("h5py").File(recorded["path"]) as file:
        theta = file["exchange/theta"][:]
    places = [int(np.abs(scan["theta"] - angle).argmin()) for angle in theta]
    same(places == sorted(places), order == "sequential", "order")
    same(sorted(places), list(range(N_PROJECTIONS)), "projections")
    same(check_file(recorded["path"], scan, places, "<f4"), address, "title")
    want = recon(Path(recorded["path"]), folder / "want.tiff")
    if order == "sequential":
        assert got.read_bytes() == want


def send(zmq, socket, pixels, kind, number):
    socket.send_json({"shape": pixels.shape, "dtype": str(pixels.dtype),
                      "frame": number, "image_attributes": {"scan_index": kind}},
                     zmq.SNDMORE)
    socket.send(pixels.tobytes())


def check_type(folder):
    """Samples stay what they are, with the angles that the user gives, and
    flats after the projections count there."""
    np, zmq = need("numpy"), need("zmq")
    need_network(PROGRAM)
    _, scan = make_scan(folder)
    got, kept = folder / "got.tiff", folder / "kept"
    later = (scan["data_white"] * 0.8).astype("u2")
    n_fields = f"{2 * len(later)},{len(scan['data_dark'])}"
    with zmq.Context() as context, context.socket(zmq.PUSH) as socket:
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        socket.setsockopt(zmq.SNDTIMEO, PATIENCE_S * 1000)
        with recon_live(f"zmq+json://127.0.0.1:{port}", got, kept, "--angles",
                        "0:178", "--expect",
                        f"{N_PROJECTIONS},{n_fields}") as follow:
            for kind, name in enumerate(("data_dark", "data_white", "data")):
                for k, pixels in enumerate(scan[name]):
                    send(zmq, socket, pixels, kind, k)
            for k, pixels in enumerate(later, len(later)):
                send(zmq, socket, pixels, 1, k)
            (recorded,), _ = follow.rest()
    n_flats = len(later)
    scan["data_white"] = np.concatenate([scan["data_white"], later])
    check_file(recorded["path"], scan, range(N_PROJECTIONS), "<u2",
               np.arange(N_PROJECTIONS) * 2.0)
    with need("h5py").File(recorded["path"]) as file:
        angles = file["exchange/theta_white"][:]
    assert np.isnan(angles[:n_flats]).all(), angles
    same(angles[n_flats:].tolist(), [178.0] * n_flats, "flats")
    want = recon(recorded["path"], folder / "want.tiff")
    assert got.read_bytes() == want


def check_no_angles(folder):
    """Projections whose angles nobody knows are kept; the angles can be given
    when the file is read."""
    np = need("numpy")
    path, scan = make_scan(folder)
    address, kept = messages(), folder / "kept"
    with watch(address, kept, "--scans", 1, "--expect", N_PROJECTIONS) as child, \
            play(path, address):
        (recorded,), _ = child.rest()
    with need("h5py").File(recorded["path"]) as file:
        assert np.isnan(file["exchange/theta"][:]).all()
        assert np.array_equal(file["exchange/data"][:], scan["data"])
    options = ("--angles", "0:178")
    assert (recon(recorded["path"], folder / "got.tiff", *options)
            == recon(path, folder / "want.tiff", *options))


def check_scans(folder):
    """Each scan has its file; one that the sender breaks off stays named
    unfinished."""
    path, scan = make_scan(folder)
    address, kept = packets(), folder / "kept"
    with watch(address, kept, "--scans", 2) as child:
        with play(path, address):
            for _ in range(60):
                child.next("frame")
        for _ in range(2):
            with play(path, address) as sender:
                same(sender.child.wait(PATIENCE_S), 0)
        recorded, _ = child.rest(3)
    same([r["complete"] for r in recorded], [False, True, True])
    assert recorded[0]["path"].endswith(".unfinished.h5"), recorded
    same(sorted(Path(r["path"]).name for r in recorded), list_names(kept))
    for r in recorded[1:]:
        check_file(r["path"], scan, range(N_PROJECTIONS), "<f4")
    n = recorded[0]["projections"]
    assert 0 < n < N_PROJECTIONS, n
    with need("h5py").File(recorded[0]["path"]) as file:
        same(len(file["exchange/data"]), n)


def check_interrupted(folder):
    """After Ctrl+C the file is closed: it opens without SWMR."""
    path, _ = make_scan(folder)
    address, kept = packets(), folder / "kept"
    with watch(address, kept) as child, play(path, address):
        for _ in range(40):
            child.next("frame")
        child.child.send_signal(signal.SIGINT)
        (recorded,), _ = child.rest()
    assert recorded["path"].endswith(".unfinished.h5"), recorded
    with need("h5py").File(recorded["path"]) as file:
        same(len(file["exchange/data"]), recorded["projections"])


def check_killed(folder):
    """What is there when the program is killed can be read, here and by the
    program, and all frames are whole."""
    h5py, np = need("h5py"), need("numpy")
    path, scan = make_scan(folder)
    address, kept = packets(), folder / "kept"
    with watch(address, kept) as child, play(path, address):
        for _ in range(60):
            child.next("frame")
        child.child.kill()
        child.child.wait(PATIENCE_S)
    (name,) = list_names(kept)
    assert name.endswith(".unfinished.h5"), name
    with h5py.File(kept / name, "r", swmr=True) as file:
        exchange = file["exchange"]
        n = len(exchange["theta"])
        assert n > 20, n
        assert np.array_equal(exchange["data"][:n], scan["data"][:n])
    said = json.loads(subprocess.run([PROGRAM, "info", kept / name, "--json"],
                                     check=True, capture_output=True).stdout)
    same((said["projections"], said["flats"], said["darks"]),
         (n, len(scan["data_white"]), len(scan["data_dark"])))


def check_full_disk(folder):
    """A full disk ends the recording, not the slice, and a script sees it."""
    path, _ = make_scan(folder)
    address, got, kept = packets(), folder / "got.tiff", folder / "kept"
    with recon_live(address, got, kept, most_bytes=290_000) as follow, \
            play(path, address):
        recorded, err = follow.rest(1)
    same(recorded, [], err)
    same(err.count("this scan is not recorded further"), 1, err)
    assert "1 scan was not recorded whole" in err, err
    (name,) = list_names(kept)
    assert f"{name}: cannot be written: the file is larger" in err, err
    with need("h5py").File(kept / name) as file:
        assert 0 < len(file["exchange/data"]) < N_PROJECTIONS
    with recon_live(address, folder / "want.tiff", kept) as follow, \
            play(path, address):
        follow.rest()
    assert got.read_bytes() == (folder / "want.tiff").read_bytes()
    with Child("watch", address, "--record", kept, "--json", "--scans", 1,
               most_bytes=290_000) as child, play(path, address, "--lose", 3):
        recorded, err = child.rest(1)  # worse than that a frame is missing
    same((recorded, err.count("not recorded whole")), ([], 1), err)


def check_existing(folder):
    """A name that is there already gets a number."""
    path, scan = make_scan(folder)
    address, kept = packets(), folder / "kept"
    kept.mkdir()
    now = datetime.datetime.now()
    for k in range(600):
        when = now + datetime.timedelta(seconds=k)
        name = when.strftime("%Y-%m-%d_%H-%M-%S")
        (kept / f"{name}.h5").write_text("precious")
        (kept / f"{name}-2.unfinished.h5").write_text("precious")
    there = set(list_names(kept))
    with watch(address, kept, "--scans", 1) as child, play(path, address):
        (recorded,), _ = child.rest()
    assert recorded["path"].endswith("-3.h5"), recorded
    check_file(recorded["path"], scan, range(N_PROJECTIONS), "<f4")
    same(set(list_names(kept)) - there, {Path(recorded["path"]).name})
    for name in there:
        same((kept / name).read_text(), "precious", name)


def check_refused(folder):
    path, _ = make_scan(folder)
    address = "zmq+tomopackets://127.0.0.1:9"
    for status, said, *arguments in (
            (2, "--record is for addresses", "watch", path),
            (2, "--record is for addresses", "watch", folder),
            (2, "--record is for addresses", "recon", path, "--follow"),
            (2, "are for --follow", "recon", path),
            (1, "cannot be written", "watch", address),
            (1, "cannot be written", "recon", address, "--follow")):
        done = subprocess.run([PROGRAM, *arguments, "--record", path],
                              capture_output=True, encoding="utf-8",
                              timeout=PATIENCE_S, check=False)
        same(done.returncode, status, done.stderr)
        assert said in done.stderr, done.stderr
    same(list_names(folder), ["scan.h5"])


def check_text(folder):
    """People are told the name of the file."""
    path, _ = make_scan(folder)
    address, kept = packets(), folder / "kept"
    child = subprocess.Popen([PROGRAM, "watch", address, "--record", kept,
                              "--scans", "1"], stdout=subprocess.PIPE,
                             encoding="utf-8")
    with play(path, address):
        out, _ = child.communicate(timeout=PATIENCE_S)
    (name,) = list_names(kept)
    assert f"{kept / name}: recorded {N_PROJECTIONS} projections" in out, out


sys.exit(run([
    (check_whole, "sequential"),
    (check_whole, "golden"),
    (check_type,),
    (check_no_angles,),
    (check_scans,),
    (check_interrupted,),
    (check_killed,),
    (check_full_disk,),
    (check_existing,),
    (check_refused,),
    (check_text,),
]))
