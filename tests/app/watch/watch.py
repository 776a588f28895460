"""Streams that are watched, sent by other programs and by our own play. Usage:
watch.py PROGRAM WRITE-SWMR

The senders are written from the descriptions of the protocols, not from the
program. A module that is not installed is a skipped test."""

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

PROGRAM, WRITE_SWMR = map(os.path.realpath, sys.argv[1:])
PATIENCE_S = 30
N_PROJECTIONS, N_ROWS, N_COLS = 40, 6, 10
USAGE = 2  # the exit status where the command line is wrong
INCOMPLETE = 3  # the exit status where frames are missing
DARK, FLAT, PROJECTION = range(3)
KINDS = ("dark", "flat", "projection")
NAMES = ("data_dark", "data_white", "data")


def need_messages():
    need_network(PROGRAM)
    return need("zmq")


class Watch:
    """The program, watching. @tells: that a sender has gone, is not there yet,
    or does not say the angles, which is not what most cases are about"""

    USUAL = ("has closed the connection", "does not say the angle",
             "a projection has no angle", "nobody answers")

    def __init__(self, name, *options, tells=False):
        self.err = None  # of rest()
        self.skipped = () if tells else Watch.USUAL
        self.child = subprocess.Popen(
            [PROGRAM, "watch", name, "--json", "--timeout", str(PATIENCE_S),
             *map(str, options)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def next(self, event=None):
        """Returns: the next event, which is of that kind"""
        said = None
        while not self.is_of_interest(said):
            line = self.child.stdout.readline()
            assert line, "no further event: " + self.child.stderr.read()
            said = json.loads(line)
        if event:
            same(said["event"], event, line)
        return said

    def is_of_interest(self, said):
        return said and not any(text in said.get("text", "")
                                for text in self.skipped)

    def next_scan(self, number):
        """Takes the end of the scan before, too."""
        if number > 1:
            same(self.next("end")["scan"], number - 1)
        same(self.next("scan")["scan"], number)

    def stop_without(self, path):
        """Stops it when it does not have the file open."""
        while True:
            self.child.send_signal(signal.SIGSTOP)
            os.waitpid(self.child.pid, os.WUNTRACED)
            if path not in [fd.resolve() for fd in Path(
                    f"/proc/{self.child.pid}/fd").iterdir()]:
                return
            self.child.send_signal(signal.SIGCONT)
            time.sleep(0.01)

    def rest(self, status=0):
        """Returns: all further events, until the program ends"""
        said = [s for s in map(json.loads, self.child.stdout)
                if self.is_of_interest(s)]
        self.err = self.child.stderr.read()
        same(self.child.wait(PATIENCE_S), status, self.err)
        return said

    def interrupt(self, status=0):
        self.child.send_signal(signal.SIGINT)
        return self.rest(status)


class Sender:
    """A socket that is the other end."""

    def __init__(self, kind, port, binds=False):
        self.zmq = need("zmq")
        self.context = self.zmq.Context()
        self.socket = self.context.socket(getattr(self.zmq, kind))
        self.socket.setsockopt(self.zmq.SNDTIMEO, PATIENCE_S * 1000)
        self.socket.setsockopt(self.zmq.RCVTIMEO, PATIENCE_S * 1000)
        self.socket.setsockopt(self.zmq.LINGER, 5000)
        address = f"tcp://127.0.0.1:{port}"
        (self.socket.bind if binds else self.socket.connect)(address)
        self.is_answered = kind == "REQ"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.context.term()

    def send(self, *parts):
        self.socket.send_multipart(parts)
        if self.is_answered:
            same(self.socket.recv(), struct.pack("<i", 1), "answer")


def make_frames(seed=1):
    """Returns: (kind, number, pixels) of a scan"""
    np = need("numpy")
    random = np.random.default_rng(seed)
    return [(kind, k, random.integers(0, 60000, (N_ROWS, N_COLS)))
            for kind, n in ((DARK, 3), (FLAT, 4), (PROJECTION, N_PROJECTIONS))
            for k in range(n)]


def check_frame(said, frame, angle=None):
    kind, number, pixels = frame
    same((said["event"], said["kind"], said["number"]),
         ("frame", KINDS[kind], number))
    same((said["min"], said["max"]), (pixels.min(), pixels.max()), number)
    assert abs(said["mean"] - pixels.mean()) < 1e-6, number
    if angle is None:
        same(said["angle_deg"], None, "angle")
    else:
        assert abs(said["angle_deg"] - angle) < 1e-4, said


# --- TomoPackets ---

def make_header(n_darks=3, n_flats=4):
    angles = [k * 3.14159265 / N_PROJECTIONS for k in range(N_PROJECTIONS)]
    return [
        struct.pack("<ii6f", 0x301, 0, -1, -1, -1, 1, 1, 1),
        struct.pack("<iiii?", 0x302, 0, n_darks, n_flats, False),
        struct.pack(f"<6i{N_PROJECTIONS}f", 0x303, 0, N_ROWS, N_COLS,
                    N_PROJECTIONS, N_PROJECTIONS, *angles),
    ]


def make_packet(frame):
    kind, number, pixels = frame
    return (struct.pack("<6i", 0x309, kind, number, *pixels.shape, pixels.size)
            + pixels.astype("<f4").tobytes())


def check_packets(folder, kind, scheme):
    need_messages()
    port = find_port()
    frames = make_frames()
    with Watch(f"{scheme}://127.0.0.1:{port}", "--scans", 1) as watch, \
            Sender(kind, port) as sender:
        for packet in make_header():
            sender.send(packet)
        for frame in frames:
            sender.send(make_packet(frame))
        said = watch.next("scan")
        same((said["rows"], said["columns"], said["type"], said["projections"],
              said["flats"], said["darks"], said["attenuation"]),
             (N_ROWS, N_COLS, "float32", N_PROJECTIONS, 4, 3, False))
        for frame in frames:
            check_frame(watch.next(), frame, frame[1] * 180 / N_PROJECTIONS
                        if frame[0] == PROJECTION else None)
        said = watch.next("end")
        same((said["projections"], said["flats"], said["darks"],
              said["missing"], said["doubled"], said["malformed"]),
             (N_PROJECTIONS, 4, 3, 0, 0, 0))
        same(watch.rest(), [])


def check_restarted_sender(folder):
    """A sender goes in the middle of a scan, and another one begins anew."""
    need_messages()
    port = find_port()
    frames = make_frames()
    with Watch(f"zmq+tomopackets://127.0.0.1:{port}", "--scans", 1) as watch:
        with Sender("PUSH", port) as sender:
            for packet in [*make_header(), *map(make_packet, frames[:20])]:
                sender.send(packet)
        watch.next("scan")
        for frame in frames[:20]:
            same(watch.next("frame")["number"], frame[1])
        with Sender("PUSH", port) as sender:
            for packet in [*make_header(), *map(make_packet, frames)]:
                sender.send(packet)
        said = watch.next("end")
        same((said["scan"], said["complete"], said["projections"],
              said["missing"]), (1, False, 13, 27))
        assert "after 13 of 40 projections" in watch.next("trouble")["text"]
        same(watch.next("scan")["scan"], 2)
        said = watch.rest(INCOMPLETE)
        same([event["event"] for event in said], ["frame"] * 47 + ["end"])
        same(said[-1]["doubled"], 0)
        assert "1 of 2 scans is not complete" in watch.err, watch.err


def check_nonsense(folder):
    """Nonsense between the packets changes nothing, is counted, and told."""
    need_messages()
    port = find_port()
    frames = make_frames()
    nonsense = [b"", b"\x09", b"\x09\x03\0\0", os.urandom(1000),
                make_packet(frames[0])[:-1],
                struct.pack("<6i", 0x309, 2, 0, 65536, 65536, 0),
                struct.pack("<6i", 0x303, 0, 2**31 - 1, 2**31 - 1, 1, -1)]
    with Watch(f"zmq+tomopackets://127.0.0.1:{port}", "--scans", 1) as watch, \
            Sender("PUSH", port) as sender:
        for packet in make_header():
            sender.send(packet)
        for k, frame in enumerate(frames):
            sender.send(nonsense[k % len(nonsense)])
            sender.send(make_packet(frame), *([b"more"] if k == 9 else []))
        sender.send(make_packet(frames[9]))
        said = watch.rest()
        seen = [event["number"] for event in said if event["event"] == "frame"]
        want = [frame[1] for frame in frames]
        same(seen, want[:9] + want[10:] + [want[9]], "numbers")
        text = " ".join(event.get("text", "") for event in said)
        assert "it is left out" in text and "2 parts" in text, text
        # Random bytes may be a descriptor of no use, which is not wrong.
        assert said[-1]["malformed"] >= 40, said[-1]


def check_lost(folder):
    """Lost projections are counted, and named when the sender has ended."""
    need_messages()
    port = find_port()
    frames = make_frames()
    with Watch(f"zmq+tomopackets://127.0.0.1:{port}") as watch:
        with Sender("PUSH", port) as sender:
            for packet in make_header():
                sender.send(packet)
            for frame in frames:
                if frame[0] != PROJECTION or frame[1] not in (3, 5, 6):
                    sender.send(make_packet(frame))
        watch.next("scan")
        for _ in range(len(frames) - 3):
            watch.next("frame")
        assert ("3 of 40 projections are missing (counted from 0: 3, 5–6)"
                in watch.next("trouble")["text"])
        for said in (watch.next("end"), *watch.interrupt(INCOMPLETE)):
            same((said["complete"], said["missing"], said["projections"]),
                 (False, 3, N_PROJECTIONS - 3))
        same(said["event"], "interrupted")


def check_left(folder):
    """That the connection is lost is told long before a silence would be."""
    need_messages()
    port = find_port()
    frames = make_frames()
    with Watch(f"zmq+tomopackets://127.0.0.1:{port}", tells=True) as watch:
        with Sender("PUSH", port) as sender:
            for packet in [*make_header(), *map(make_packet, frames[:20])]:
                sender.send(packet)
        while (said := watch.next())["event"] in ("scan", "frame"):
            pass
        assert "has closed the connection" in said["text"], said
        said, = watch.interrupt()
        same((said["projections"], said["complete"]), (13, False))


def check_advice(folder):
    """Whoever reads lines of JSON is told what to do about missing angles, once
    in a scan."""
    need_json()
    port = find_port()
    frames = [f for f in make_frames() if f[0] == PROJECTION][:3]
    with Watch(f"zmq+json://127.0.0.1:{port}", tells=True) as watch, \
            Sender("PUSH", port, binds=True) as sender:
        for frame in frames:
            sender.send(json.dumps(describe_std_daq(frame, "uint16")).encode(),
                        frame[2].astype("<u2").tobytes())
        said = [watch.next() for _ in range(3)]
        same([event["event"] for event in said], ["scan", "frame", "trouble"])
        assert said[-1]["text"].endswith("or by --angles-file FILE"), said
        same([watch.next()["event"] for _ in range(2)], ["frame"] * 2)


def check_announced(folder):
    """A scan that is only announced is none that is incomplete."""
    need_messages()
    port = find_port()
    with Watch(f"zmq+tomopackets://127.0.0.1:{port}", "--timeout", 3) as watch, \
            Sender("PUSH", port) as sender:
        for packet in [*make_header(), *map(make_packet, make_frames()),
                       *make_header()]:
            sender.send(packet)
        same([s["event"] for s in watch.rest() if s["event"] != "frame"][-2:],
             ["end", "scan"])


def check_timeout(folder, n_lost):
    """After --timeout the last scan ends, too, and the status says whether all
    have come."""
    need_messages()
    port = find_port()
    frames = make_frames()
    with Watch(f"zmq+tomopackets://127.0.0.1:{port}", "--timeout", 3) as watch:
        with Sender("PUSH", port) as sender:
            for n in (len(frames), len(frames) - n_lost):
                for packet in [*make_header(), *map(make_packet, frames[:n])]:
                    sender.send(packet)
        said = watch.rest(INCOMPLETE if n_lost else 0)
    ends = [event for event in said if event["event"] == "end"]
    same([(end["scan"], end["complete"], end["missing"]) for end in ends],
         [(1, True, 0), (2, n_lost == 0, n_lost)])
    same(said[-1], ends[-1])
    same("for 3 s, and 1 of 2 scans is not complete" in watch.err, n_lost > 0,
         watch.err)


def check_timeout_unknown(folder):
    """Where nobody says how many projections come, a scan without gaps is
    complete."""
    need_json()
    port = find_port()
    frames = [frame for frame in make_frames() if frame[0] != FLAT]
    for some, n_lost in ((frames, 0), (frames[:10] + frames[11:], 1)):
        with Watch(f"zmq+json://127.0.0.1:{port}", "--timeout", 3) as watch, \
                Sender("PUSH", port, binds=True) as sender:
            for frame in some:
                sender.send(
                    json.dumps(describe_std_daq(frame, "uint16")).encode(),
                    frame[2].astype("<u2").tobytes())
            said = watch.rest(INCOMPLETE if n_lost else 0)
        same((said[-1]["event"], said[-1]["complete"], said[-1]["missing"]),
             ("end", n_lost == 0, n_lost))
        same(", and the scan is not complete" in watch.err, n_lost == 1,
             watch.err)


def check_text(folder):
    """What people read, with one of each kind."""
    need_messages()
    port = find_port()
    frames = [frame for frame in make_frames() if frame[1] == 0]
    with subprocess.Popen(
            [PROGRAM, "watch", f"zmq+tomopackets://127.0.0.1:{port}",
             "--timeout", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8") as child:
        with Sender("PUSH", port) as sender:
            for packet in [*make_header(1, 1), *map(make_packet, frames)]:
                sender.send(packet)
        out, err = child.communicate(timeout=PATIENCE_S)
    same(child.returncode, INCOMPLETE, err)
    assert ("scan 1 is not complete: 1 of 40 projections, 1 flat, 1 dark; "
            "missing: 39, " in out), out
    assert "40 projections, 1 flat, 1 dark, 0 … " in out, out


def check_told_once(folder):
    """The end of a scan that lacks frames is told once, and so is Ctrl+C, which
    says what has not come."""
    need_messages()
    frames = make_frames()
    lost = [f for f in frames if f[0] != PROJECTION or f[1] not in (3, 5)]
    for some, options in ((lost, ("--scans", "1")), (lost, ()),
                          (frames[:20], ())):
        port = find_port()
        with subprocess.Popen(
                [PROGRAM, "watch", f"zmq+tomopackets://127.0.0.1:{port}",
                 *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                encoding="utf-8") as child:
            with Sender("PUSH", port) as sender:
                for packet in [*make_header(), *map(make_packet, some)]:
                    sender.send(packet)
            if not options:
                child.stderr.readline()  # what is lost, or that it has gone
                time.sleep(0.3)
                child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=PATIENCE_S)
        is_over = some is lost
        same(child.returncode, INCOMPLETE if is_over else 0, err)
        same(out.count("38 of 40 projections"), int(is_over), out)
        same(out.count("13 of 40 projections, 4 flats, 3 darks; missing: 27, "),
             int(not is_over), out)
        same(out.count("not followed further"), int(not is_over), out)
        same((out + err).count("has ended"), int(is_over), out + err)


def check_wait(folder, kind):
    """A file or folder that is not there yet is waited for."""
    path, scan = make_scan(folder)
    live = folder / ("live.h5" if kind == "file" else "later/live")
    with Watch(live, "--wait") as watch:
        assert "is not there yet" in watch.child.stderr.readline()
        if kind == "folder":
            live.parent.mkdir()
        else:  # as a writer that has only just made it
            live.touch()
            time.sleep(0.5)
            live.unlink()
        child = play(path, live, "--rate", 60)
        n_frames = sum(len(scan[name]) for name in NAMES)
        said = [watch.next() for _ in range(1 + n_frames)]
        same(child.wait(PATIENCE_S), 0)
    check_all(said, scan)


def check_wait_ends(folder):
    """The wait ends with --timeout, and with Ctrl+C."""
    said = subprocess.run(
        [PROGRAM, "watch", "none.h5", "--wait", "--timeout", "0.3"], cwd=folder,
        capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE_S)
    same((said.returncode, said.stdout), (1, ""))
    assert "still not there after 0.3 s" in said.stderr, said
    assert "it is waited for, for 0.3 s\n" in said.stderr, said
    with Watch(folder / "none.h5", "--wait") as watch:
        assert "is not there yet" in watch.child.stderr.readline()
        event, = watch.interrupt()
        same((event["event"], event["projections"]), ("interrupted", 0))


def check_places(folder):
    """Of a file with room for all frames, and of a folder with all angles, it is
    known what is missing."""
    h5py = need("h5py")
    need("tifffile")
    frames = make_frames()[7:]
    live = folder / "live.h5"
    with h5py.File(live, "w") as file:
        data = file.create_dataset(DATA, (40, N_ROWS, N_COLS), "u2")
        file[ATTRIBUTES + "rotation_angle"] = [k / 2 for k in range(40)]
        for frame in frames[:31]:
            data[frame[1]] = frame[2]
    (folder / "live").mkdir()
    (folder / "live/angles.txt").write_text("".join(f"{k}\n" for k in range(40)))
    for frame in frames[:31]:
        write_image(folder / "live" / name_of(frame), frame[2])
    for name in (live, folder / "live"):
        with Watch(name, "--timeout", "3") as watch:
            end = watch.rest(INCOMPLETE)[-1]
        same([end[key] for key in ("event", "complete", "projections", "missing")],
             ["end", False, 31, 9])


# --- JSON and pixels ---

def need_json():
    need_messages()
    if "libjson-glib-dev" in subprocess.run(
            [PROGRAM, "watch", "zmq+json://127.0.0.1:9", "--timeout", "0.01"],
            capture_output=True, encoding="utf-8", check=False).stderr:
        raise Skip("the program was built without libjson-glib-dev")


def describe_std_daq(frame, dtype):
    kind, number, pixels = frame
    return {"frame": number, "shape": pixels.shape, "type": dtype,
            "image_attributes": {"scan_index": kind}}


def describe_concert(frame, dtype):
    return {"dtype": dtype, "shape": frame[2].shape, "mirror": False,
            "rotate": 0}


def describe_odin(frame, dtype):
    kind, number, pixels = frame
    return {"frame_num": number, "acquisition_id": "", "dtype": dtype,
            "dsize": 2, "dataset": "data", "compression": "none", "tags": [],
            "shape": list(map(str, pixels.shape))}


DIALECTS = {"std_daq": describe_std_daq, "concert": describe_concert,
            "odin": describe_odin}


def check_json(folder, dialect, kind):
    """Projections in each dialect, and in another order than taken."""
    need_json()
    describe = DIALECTS[dialect]
    port = find_port()
    scheme = "zmq+json+sub" if kind == "XPUB" else "zmq+json"
    frames = [f for f in make_frames()
              if f[0] == PROJECTION or dialect == "std_daq"]
    if dialect != "concert":
        frames = frames[::2] + frames[1::2]
    with Watch(f"{scheme}://127.0.0.1:{port}") as watch, \
            Sender(kind, port, binds=True) as sender:
        if kind == "XPUB":
            same(sender.socket.recv(), b"\x01", "subscription")
        for frame in frames:
            sender.send(json.dumps(describe(frame, "uint16")).encode(),
                        frame[2].astype("<u2").tobytes())
        if dialect == "concert":
            sender.send(b'{"end": true}')
        said = watch.next("scan")
        same((said["rows"], said["columns"], said["type"]),
             (N_ROWS, N_COLS, "uint16"))
        for frame in frames:
            check_frame(watch.next(), frame)
        if dialect == "concert":
            same(watch.next("end")["projections"], N_PROJECTIONS)
        said, = watch.interrupt()
        same((said["projections"], said["missing"]), (N_PROJECTIONS, 0))


def check_lost_fields(folder):
    """Flats and darks that are lost between others are missing, too."""
    need_json()
    port = find_port()
    with Watch(f"zmq+json://127.0.0.1:{port}", "--scans", 1) as watch, \
            Sender("PUSH", port, binds=True) as sender:
        for frame in make_frames():
            if frame[:2] not in ((DARK, 1), (FLAT, 2)):
                sender.send(
                    json.dumps(describe_std_daq(frame, "uint16")).encode(),
                    frame[2].astype("<u2").tobytes())
        sender.send(b'{"end": true}')
        said = watch.rest(INCOMPLETE)
    same([event["text"].split(": ", 1)[1] for event in said
          if event["event"] == "trouble"],
         ["1 of 4 flats is missing (counted from 0: 2)",
          "1 of 3 darks is missing (counted from 0: 1)"])
    same([said[-1][key] for key in ("complete", "flats", "darks", "missing")],
         [False, 3, 2, 2])


def check_new_shape(folder):
    """Two frames of another shape or type are another scan, of which none is
    lost; a shape that the pixels contradict is none."""
    need_json()
    np = need("numpy")
    port = find_port()
    first = [(PROJECTION, k, np.full((4, 6), 7 + k)) for k in range(2)]
    second = [(PROJECTION, k, np.full((6, 4), 9 + k)) for k in range(2)]
    with Watch(f"zmq+json://127.0.0.1:{port}") as watch, \
            Sender("PUSH", port, binds=True) as sender:
        for frames, dtype in ((first, "uint16"), (second, "uint16"),
                              (second, "float32")):
            for frame in frames:
                sender.send(json.dumps(describe_std_daq(frame, dtype)).encode(),
                            frame[2].astype(dtype).tobytes())
        sender.send(json.dumps(describe_std_daq(first[0], "uint8")).encode(),
                    b"short")
        for number, frames in ((1, first), (2, second), (3, second)):
            watch.next_scan(number)
            for frame in frames:
                check_frame(watch.next(), frame)
        assert "5 bytes" in watch.next("trouble")["text"]


def check_stray(folder, scheme):
    """A stray frame, of which the shape, the type or the number is another one,
    is left out; the scan goes on, and nothing of it is lost."""
    np = need("numpy")
    port = find_port()
    frames = make_frames()
    other = np.full((N_ROWS + 1, N_COLS), 5)
    if scheme == "json":
        need_json()
        describe = lambda frame, dtype="uint16": (
            json.dumps(describe_std_daq(frame, dtype)).encode(),
            frame[2].astype(dtype).tobytes())
        strays = [describe((PROJECTION, 7, other)),
                  describe((PROJECTION, 7, frames[0][2]), "float32"),
                  describe((PROJECTION, 99999, frames[0][2]))]
        header = ()
    else:
        need_messages()
        describe = lambda frame: (make_packet(frame),)
        strays = [describe((PROJECTION, 99999, frames[0][2])),
                  describe((PROJECTION, N_PROJECTIONS + 9, frames[0][2])),
                  describe((PROJECTION, 7, other))]
        header = make_header()
    with Watch(f"zmq+{scheme}://127.0.0.1:{port}") as watch, \
            Sender("PUSH", port, binds=scheme == "json") as sender:
        for packet in header:
            sender.send(packet)
        for k, frame in enumerate(frames):
            sender.send(*describe(frame))
            if k % 14 == 13:
                sender.send(*strays[k // 14])
        watch.next("scan")
        said = [watch.next() for _ in range(len(frames) + len(strays))]
        seen = [event for event in said if event["event"] == "frame"]
        for event, frame in zip(seen, frames):
            check_frame(event, frame, event["angle_deg"])
        same([event["event"] for event in said if event not in seen],
             ["trouble"] * len(strays), said)
        said = watch.interrupt()
        same((said[-1]["scan"], said[-1]["malformed"], said[-1]["missing"]),
             (1, len(strays), 0))
# --- our own sender ---

def make_scan(folder):
    """Returns: the path, and the frames as they are in the file"""
    h5py = need("h5py")
    path = folder / "scan.h5"
    subprocess.run([PROGRAM, "phantom", path, "--size", str(N_COLS), "--rows",
                    str(N_ROWS), "--projections", str(N_PROJECTIONS)],
                   check=True, stdout=subprocess.DEVNULL)
    with h5py.File(path) as file:
        return path, {name: file["exchange"][name][:]
                      for name in (*NAMES, "theta")}


def play(scan, to, *options):
    return subprocess.Popen([PROGRAM, "play", scan, "--to", str(to),
                             *map(str, options)], stdout=subprocess.DEVNULL)


def check_play_json(folder, scheme, *options):
    """The sender does not say when it is done."""
    need_json()
    path, scan = make_scan(folder)
    scan["theta"] = [None] * N_PROJECTIONS  # nor at which angle
    port = find_port()
    with Watch(f"{scheme}://127.0.0.1:{port}") as watch:
        child = play(path, f"zmq+json://127.0.0.1:{port}", "--rate", 300,
                     *options)
        n_frames = sum(len(scan[name]) for name in NAMES)
        said = [watch.next() for _ in range(1 + n_frames)]
        same(child.wait(PATIENCE_S), 0)
    check_all(said, scan)


def check_all(said, scan, n_lost=0):
    """Each frame of the scan has come once, as it is in the file."""
    frames = [event for event in said if event["event"] == "frame"]
    same([event for event in said[1:] if event["event"] not in ("frame", "end")],
         [], "events between")
    same(len(frames), sum(len(scan[name]) for name in NAMES) - n_lost)
    same(len({(f["kind"], f["number"]) for f in frames}), len(frames))
    for event in frames:
        kind = KINDS.index(event["kind"])
        angle = scan["theta"][event["number"]] if kind == PROJECTION else None
        check_frame(event, (kind, event["number"],
                            scan[NAMES[kind]][event["number"]]), angle)


def check_play(folder, scheme, *options):
    need_messages()
    path, scan = make_scan(folder)
    port = find_port()
    with Watch(f"{scheme}://127.0.0.1:{port}", "--scans", 1) as watch:
        child = play(path, f"zmq+tomopackets://127.0.0.1:{port}", "--rate", 500,
                     *options)
        said = watch.rest()
        same(child.wait(PATIENCE_S), 0)
    check_all(said, scan)
    same([event["event"] for event in said if event["event"] != "frame"],
         ["scan", "end"])


# --- folders ---

def write_image(path, pixels):
    need("tifffile").imwrite(path, pixels.astype("u2"))


def write_slowly(path, pixels, pause_s):
    """In pieces, under the name that the image has in the end."""
    whole = path.with_suffix(".hidden")
    write_image(whole, pixels)
    data = whole.read_bytes()
    whole.unlink()
    with open(path, "wb") as file:
        for k in range(4):
            file.write(data[len(data) * k // 4:len(data) * (k + 1) // 4])
            file.flush()
            time.sleep(pause_s)


def name_of(frame, first=0):
    return f"{('dark', 'flat', 'proj')[frame[0]]}_{first + frame[1]:04d}.tif"


def expect(watch, frames, angle=None):
    """The frames come, in any order."""
    left = {(KINDS[kind], number): (kind, number, pixels)
            for kind, number, pixels in frames}
    while left:
        said = watch.next("frame")
        frame = left.pop((said["kind"], said["number"]))
        check_frame(said, frame, frame[1] * angle
                    if angle and frame[0] == PROJECTION else None)


def check_folder_whole(folder):
    """Images that appear by a new name, in any order after the first one; what
    has other names is not looked at."""
    frames = make_frames()
    live = folder / "live"
    live.mkdir()
    (live / "notes.tmp").write_text("none")
    with Watch(live) as watch:
        for frame in frames[:8] + frames[40:] + frames[8:40]:
            path = live / name_of(frame, 1)
            write_image(path.with_suffix(".tif.tmp"), frame[2])
            path.with_suffix(".tif.tmp").rename(path)
        said = watch.next("scan")
        same((said["rows"], said["columns"], said["type"]),
             (N_ROWS, N_COLS, "uint16"))
        expect(watch, frames)
        said, = watch.interrupt()
        same((said["missing"], said["doubled"], said["malformed"]), (0, 0, 0))


def check_folder_pieces(folder, pause_s):
    """Images that grow under their names, slower than the folder is looked at;
    none is shown before it is whole."""
    frames = make_frames()[:9]
    live = folder / "live"
    live.mkdir()
    with Watch(live) as watch:
        for frame in frames:
            write_slowly(live / name_of(frame), frame[2], pause_s)
        watch.next("scan")
        expect(watch, frames)
        said, = watch.interrupt()
        same(said["malformed"], 0)


def check_folder_faulty(folder):
    """Images of which some end early and stay so, as those of a writer that was
    killed: they are told and left out, and the others are as they were written."""
    frames = make_frames()
    live = folder / "live"
    live.mkdir()
    lost = range(8, 47, 5)
    with Watch(live) as watch:
        for k, frame in enumerate(frames):
            path = live / name_of(frame)
            write_image(path, frame[2])
            if k in lost:
                data = path.read_bytes()
                path.write_bytes(data[:len(data) * k // 50])
        watch.next("scan")
        left = {(KINDS[f[0]], f[1]): f for k, f in enumerate(frames)
                if k not in lost}
        texts = []
        while left or len(texts) < len(lost):
            said = watch.next()
            if said["event"] == "trouble":
                texts.append(said["text"])
            else:
                check_frame(said, left.pop((said["kind"], said["number"])))
        for k in lost:
            same(sum(name_of(frames[k]) in text for text in texts), 1, texts)
        said, = watch.interrupt()
        same((said["malformed"], said["missing"]), (len(lost), len(lost)))


def check_folder_touched(folder):
    """A file that changes after it was taken is another image only if its pixels
    are others: writers set the time afterwards, or add to the header. One that
    was given up comes when it is completed."""
    frames = make_frames()[7:20]
    live = folder / "live"
    live.mkdir()
    paths = [live / name_of(frame) for frame in frames]
    for path, frame in zip(paths, frames):
        write_image(path, frame[2])
    whole = paths[5].read_bytes()
    paths[5].write_bytes(whole[:-20])
    with Watch(live) as watch:
        same(watch.next("scan")["scan"], 1)
        expect(watch, frames[:5] + frames[6:])
        assert paths[5].name in watch.next("trouble")["text"]
        os.utime(paths[2], (1, 1))
        with open(paths[3], "ab") as file:
            file.write(b"more")
        paths[5].write_bytes(whole)
        expect(watch, frames[5:6])
        write_image(paths[7], frames[8][2])
        watch.next_scan(2)
        # What was completed a moment before may belong to that scan, too.
        while abs(watch.next("frame")["mean"] - frames[8][2].mean()) > 1e-6:
            pass


def check_folder_angles(folder):
    """A projection waits for its angle, and an angle for the end of its
    line."""
    frames = make_frames()[7:]
    live = folder / "live"
    live.mkdir()
    with Watch(live) as watch, open(live / "angles.txt", "w") as angles:
        for frame in frames:
            write_image(live / name_of(frame), frame[2])
        angles.write("0\n0.5\n1")
        angles.flush()
        time.sleep(0.3)
        angles.write(".0\n" + "".join(f"{k / 2}\n" for k in range(3, 40)))
        angles.close()
        watch.next("scan")
        expect(watch, frames, 0.5)


def check_folder_replaced(folder):
    """A folder that is emptied and filled again has another scan; files that
    are replaced are those of another one, too."""
    frames = make_frames()[7:20]
    live = folder / "live"
    live.mkdir()
    with Watch(live) as watch:
        for number, other in ((1, frames), (2, make_frames(2)[7:20]),
                              (3, make_frames(3)[7:20])):
            for frame in other:
                write_image(live / name_of(frame), frame[2])
            watch.next_scan(number)
            expect(watch, other)
            for path in live.iterdir() if number == 1 else ():
                path.unlink()


def check_folder_wrong(folder):
    """What is no image is told after a while, and the others are taken."""
    frames = make_frames()[7:12]
    live = folder / "live"
    live.mkdir()
    (live / "proj_9999.tif").write_bytes(b"II*\0 no image")
    for frame in frames:
        write_image(live / name_of(frame), frame[2])
    write_image(live / "other_0001.tif", frames[0][2])
    with Watch(live) as watch:
        seen, texts = [], []
        while len(texts) < 2:
            said = watch.next()
            if said["event"] == "trouble":
                texts.append(said["text"])
            elif said["event"] == "frame":
                seen.append((said["kind"], said["number"]))
        assert any("proj_9999.tif" in text for text in texts), texts
        same(len(seen), 5, "frames")
        said, = watch.interrupt()
        same((said["malformed"], said["missing"]), (2, 0))


def check_folder_edf(folder):
    fabio = need("fabio")
    np = need("numpy")
    frames = make_frames()[7:15]
    live = folder / "live"
    live.mkdir()
    with Watch(live) as watch:
        for frame in frames:
            fabio.edfimage.edfimage(data=frame[2].astype(np.uint16)).write(
                str(live / name_of(frame).replace(".tif", ".edf")))
        watch.next("scan")
        expect(watch, frames)


def check_play_folder(folder, *options):
    path, scan = make_scan(folder)
    live = folder / "live"
    child = play(path, live, "--rate", 60, *options)
    end = time.monotonic() + PATIENCE_S
    while not live.exists():
        assert time.monotonic() < end, "no folder"
    n_frames = sum(len(scan[name]) for name in NAMES)
    with Watch(live) as watch:
        said = [watch.next() for _ in range(1 + n_frames)]
        same(child.wait(PATIENCE_S), 0)
    # Images are numbered as they are taken; here in the order of the angles.
    check_all(said, scan)


# --- HDF5 files ---

def check_play_file(folder, *options):
    path, scan = make_scan(folder)
    live = folder / "live.h5"
    child = play(path, live, "--rate", 60, *options)
    end = time.monotonic() + PATIENCE_S
    while not live.exists():
        assert time.monotonic() < end, "no file"
        time.sleep(0.01)
    n_frames = sum(len(scan[name]) for name in NAMES)
    with Watch(live) as watch:
        said = [watch.next() for _ in range(1 + n_frames)]
        same(child.wait(PATIENCE_S), 0)
    check_all(said, scan)


DATA = "entry/instrument/detector/data"
ATTRIBUTES = "entry/instrument/NDAttributes/"


class Writer:
    """Another program, which writes as areaDetector does, by SWMR."""

    def __init__(self, path):
        h5py = need("h5py")
        self.file = h5py.File(path.with_suffix(".part"), "w", libver="latest")
        self.data = self.file.create_dataset(
            DATA, (0, N_ROWS, N_COLS), "u2", chunks=(1, N_ROWS, N_COLS),
            maxshape=(None, N_ROWS, N_COLS))
        self.keys, self.angles = (
            self.file.create_dataset(ATTRIBUTES + name, (0,), dtype,
                                     chunks=(16,), maxshape=(None,))
            for name, dtype in (("image_key", "i4"), ("rotation_angle", "f8")))
        self.file.swmr_mode = True
        path.with_suffix(".part").rename(path)

    @staticmethod
    def add(dataset, value):
        dataset.resize(len(dataset) + 1, 0)
        dataset[-1] = value
        dataset.flush()


def check_swmr(folder):
    """The extents of data, keys and angles differ for a while: a frame comes
    when it has all of them. A frame that is there and not yet written is not
    shown."""
    frames = make_frames()
    live = folder / "live.h5"
    writer = Writer(live)
    with Watch(live) as watch:
        for frame in frames[:8]:
            writer.add(writer.data, frame[2])
            writer.add(writer.keys, 2 - frame[0])
            writer.add(writer.angles, frame[1] / 2)
        watch.next("scan")
        expect(watch, frames[:8], 0.5)
        for frame in frames[8:12]:
            writer.add(writer.data, frame[2])
        time.sleep(0.3)
        for frame in frames[8:12]:
            writer.add(writer.keys, 2 - frame[0])
            time.sleep(0.1)
            writer.add(writer.angles, frame[1] / 2)
        expect(watch, frames[8:12], 0.5)
        for frame in frames[12:]:
            writer.add(writer.angles, frame[1] / 2)
            writer.add(writer.keys, 2 - frame[0])
        writer.data.resize(len(frames), 0)
        writer.data.flush()
        time.sleep(0.3)
        for k in (13, 12, *range(14, len(frames))):
            writer.data[k] = frames[k][2]
            writer.data.flush()
        expect(watch, frames[12:], 0.5)
        said, = watch.interrupt()
        same((said["missing"], said["doubled"], said["malformed"]), (0, 0, 0))
    writer.file.close()


def check_early(folder):
    """A file that has no projection yet is waited for, without a word."""
    frames = make_frames()
    live = folder / "live.h5"
    writer = Writer(live)
    for frame in frames[:2]:
        writer.add(writer.data, frame[2])
        writer.add(writer.keys, 2)
        writer.add(writer.angles, 0)
    said = subprocess.run([PROGRAM, "watch", live, "--timeout", "7"],
                          capture_output=True, encoding="utf-8", check=False,
                          timeout=PATIENCE_S)
    writer.file.close()
    same(said.returncode, 1)
    assert "nothing has come for 7 s" in said.stderr, said
    same(said.stderr.count("\n"), 1, said.stderr)


def check_killed_writer(folder):
    """A program with HDF5's C library, which writes in areaDetector's layout,
    is killed in the middle of a scan, and another one begins a new file. No
    frame comes before it is whole."""
    path, scan = make_scan(folder)
    live = folder / "live.h5"
    n_frames = sum(len(scan[name]) for name in NAMES)
    write = [WRITE_SWMR, path, live, "60"]
    with subprocess.Popen(write) as writer:
        while not live.exists():
            same(writer.poll(), None, "writer")
            time.sleep(0.01)
        with Watch(live) as watch:
            first = [watch.next() for _ in range(1 + n_frames // 2)]
            writer.kill()
            writer.wait()
            with subprocess.Popen(write) as second:
                seen = watch.next()
                while seen["event"] == "frame":
                    first.append(seen)
                    seen = watch.next()
                same((seen["event"], seen["scan"]), ("end", 1))
                check_all([watch.next() for _ in range(1 + n_frames)], scan)
                same(second.wait(PATIENCE_S), 0)
    check_all(first, scan, 1 + n_frames - len(first))


def check_rest(folder):
    """A file ends when its writer has closed it. One that has stopped is told
    once, and followed further."""
    frames = make_frames()
    lives = folder / "open.h5", folder / "closed.h5"
    writers = [Writer(live) for live in lives]

    def write(writer, some):
        for frame in some:
            writer.add(writer.data, frame[2])
            writer.add(writer.keys, 2 - frame[0])
            writer.add(writer.angles, frame[1] / 2)

    for writer in writers:
        write(writer, frames[:20])
    with Watch(lives[0]) as stopped, Watch(lives[1], "--scans", 1) as closed:
        for watch in (stopped, closed):
            watch.next("scan")
            expect(watch, frames[:20], 0.5)
        writers[1].file.close()
        said, = closed.rest()
        same((said["event"], said["projections"]), ("end", 13), said)
        assert "nothing has been written" in stopped.next("trouble")["text"]
        write(writers[0], frames[20:])
        expect(stopped, frames[20:], 0.5)
        said, = stopped.interrupt()
        same(said["event"], "interrupted", said)
    writers[0].file.close()


def check_new_file(folder):
    """Another file under the same name is another scan."""
    live = folder / "live.h5"
    with_frames = make_frames()[:10], make_frames(2)[:10]
    for frames in with_frames:  # a counting detector's
        frames[0] = (DARK, 0, 0 * frames[0][2])
    writer = Writer(live)
    with Watch(live) as watch:
        for number, frames in enumerate(with_frames, 1):
            for frame in frames:
                writer.add(writer.data, frame[2])
                writer.add(writer.keys, 2 - frame[0])
                writer.add(writer.angles, frame[1] / 2)
            watch.next_scan(number)
            expect(watch, frames, 0.5)
            writer.file.close()
            writer = Writer(live)
    writer.file.close()


def check_same_inode(folder):
    """Also one that has as many frames when it is looked at, and the inode of
    the file that was removed."""
    live = folder / "live.h5"

    def write(frames):
        with need("h5py").File(live, "w") as file:
            for name, values in (
                    (DATA, [f[2].astype("u2") for f in frames]),
                    (ATTRIBUTES + "image_key", [2 - f[0] for f in frames]),
                    (ATTRIBUTES + "rotation_angle", [f[1] / 2 for f in frames])):
                file[name] = values

    write(make_frames()[:10])
    with Watch(live) as watch:
        for number in (1, 2):
            watch.next_scan(number)
            expect(watch, make_frames(number)[:10], 0.5)
            if number == 1:
                watch.stop_without(live)
                inode = live.stat().st_ino
                live.unlink()
                for k in range(2000):  # another program may be faster
                    (folder / str(k)).touch()
                    if (folder / str(k)).stat().st_ino == inode:
                        (folder / str(k)).rename(live)
                        break
                write(make_frames(2)[:10])
                watch.child.send_signal(signal.SIGCONT)


def check_other_file(folder):
    write_image(folder / "image.tif", make_frames()[0][2])
    for name, says in (("image.tif", "only HDF5"), ("none.h5", "no such file or folder; --wait waits")):
        said = subprocess.run([PROGRAM, "watch", folder / name],
                              capture_output=True, encoding="utf-8",
                              check=False, timeout=PATIENCE_S)
        same(said.returncode, 1)
        assert says in said.stderr, said


# --- the address ---

def find_listeners(port):
    """The addresses, in hexadecimal, where some program listens on the port."""
    rows = map(str.split, Path("/proc/net/tcp").read_text().splitlines()[1:])
    listening = "0A"
    return [row[1].split(":")[0] for row in rows
            if row[1].endswith(f":{port:04X}") and row[3] == listening]


def check_address(folder):
    """Only the address that is asked for is bound; one that is taken is refused
    with a sentence."""
    need_messages()
    port = find_port()
    with Watch(f"zmq+tomopackets://127.0.0.1:{port}") as watch:
        end = time.monotonic() + PATIENCE_S
        while not (bound := find_listeners(port)):
            assert time.monotonic() < end, "nothing listens"
        same(bound, ["0100007F"])
        second = subprocess.run(
            [PROGRAM, "watch", f"zmq+tomopackets://127.0.0.1:{port}"],
            capture_output=True, encoding="utf-8", check=False)
        same(second.returncode, 1)
        assert "another program uses this address" in second.stderr, second
        said, = watch.interrupt()
        same(said["event"], "interrupted")


def check_silence(folder):
    need_messages()
    said = subprocess.run(
        [PROGRAM, "watch", f"zmq+tomopackets://127.0.0.1:{find_port()}",
         "--timeout", "0.2"], capture_output=True, encoding="utf-8",
        check=False, timeout=PATIENCE_S)
    same(said.returncode, 1)
    assert "nothing has come for 0.2 s" in said.stderr, said
    same(said.stderr.count("\n"), 1)


def check_nobody(folder, host, said):
    """Where nobody sends, this is told, and waited on."""
    need_messages()
    address = f"zmq+json://{host}:{find_port()}"
    with Watch(address, tells=True) as watch:
        trouble = watch.next("trouble")
        same(trouble["text"], f"{address}: {said}; still waiting")
        event, = watch.interrupt()
        same(event["event"], "interrupted")


def check_any_host(folder):
    """An address is named as it was typed."""
    need_messages()
    for scheme in ("zmq+json", "zmq+json+sub"):
        said = subprocess.run([PROGRAM, "watch", f"{scheme}://*:5555"],
                              capture_output=True, encoding="utf-8",
                              check=False, timeout=PATIENCE_S)
        same(said.returncode, USAGE, said)
        assert f"{scheme}://*:5555: " in said.stderr, said
        assert "needs the name of that host" in said.stderr, said


def check_usage(folder, command, address, says, *options):
    """A name or options that cannot be meant are a wrong command line."""
    need_json()
    said = subprocess.run(
        [PROGRAM, *command, address, "--timeout", "0.1", *options], cwd=folder,
        capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE_S)
    same((said.returncode, said.stdout), (USAGE, ""), said)
    assert says in said.stderr, said


def check_missing_library(folder):
    missing = find_missing(PROGRAM)
    if not missing:
        raise Skip("the program was built with libzmq")
    said = subprocess.run([PROGRAM, "watch", "zmq+tomopackets://*:1234"],
                          capture_output=True, encoding="utf-8", check=False)
    same(said.returncode, 1)
    assert missing in said.stderr, said


sys.exit(run([
    (check_packets, "PUSH", "zmq+tomopackets"),
    (check_packets, "REQ", "zmq+tomopackets+rep"),
    (check_restarted_sender,),
    (check_nonsense,),
    (check_lost,),
    (check_left,),
    (check_advice,),
    (check_announced,),
    (check_timeout, 0),
    (check_timeout, 3),
    (check_timeout_unknown,),
    (check_text,),
    (check_told_once,),
    (check_wait, "file"),
    (check_wait, "folder"),
    (check_wait_ends,),
    (check_places,),
    (check_json, "std_daq", "PUSH"),
    (check_json, "concert", "PUSH"),
    (check_json, "odin", "XPUB"),
    (check_lost_fields,),
    (check_new_shape,),
    (check_stray, "json"),
    (check_stray, "tomopackets"),
    (check_play, "zmq+tomopackets"),
    (check_play, "zmq+tomopackets", "--order", "golden"),
    (check_play, "zmq+tomopackets+rep", "--request"),
    (check_play_json, "zmq+json", "--order", "interlaced"),
    (check_play_json, "zmq+json+sub", "--publish"),
    (check_folder_whole,),
    (check_folder_pieces, 0.03),
    (check_folder_pieces, 0.15),
    (check_folder_faulty,),
    (check_folder_touched,),
    (check_folder_angles,),
    (check_folder_replaced,),
    (check_folder_wrong,),
    (check_folder_edf,),
    (check_play_folder,),
    (check_play_folder, "--in-place"),
    (check_play_file,),
    (check_play_file, "--no-swmr"),
    (check_play_file, "--fields-last"),
    (check_swmr,),
    (check_early,),
    (check_killed_writer,),
    (check_rest,),
    (check_new_file,),
    (check_same_inode,),
    (check_other_file,),
    (check_address,),
    (check_silence,),
    (check_nobody, "nosuch.host.invalid", "no host has this name"),
    (check_nobody, "127.0.0.1", "nobody answers there"),
    (check_any_host,),
    *((check_usage, command, address, says, *options)
      for command in (("watch",), ("recon", "--follow"))
      for address, says, *options in (
          ("zmq+foo://host:9610", "unknown kind of address"),
          ("zmq+json://host", "is no address"),
          ("zmq+json://host:9610", "the number of projections has to be given",
           "--angles", "0:180"))),
    (check_missing_library,),
]))
