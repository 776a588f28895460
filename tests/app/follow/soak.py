"""A sender that does everything wrong, for a long time: it loses, doubles and
shuffles frames, begins again, changes their shape and sends nonsense. Usage:
soak.py PROGRAM

TL_SOAK_S is how many seconds it does so in each protocol, and TL_SOAK_SEED says
what. Then it sends one whole scan. A module that is not installed is a skipped
test."""

import json
import os
import random
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import scans
from cases import need, run, same
from network import find_port, need_network

PROGRAM = os.path.realpath(sys.argv[1])
PATIENCE_S = 120
SECONDS = float(os.environ.get("TL_SOAK_S", "4"))
SEED = os.environ.get("TL_SOAK_SEED", "1")
N_PROJECTIONS = 60  # of the whole scan
SHAPES = [(4, 32), (7, 51), (64, 64), (1, 200), (33, 256)]
DARK, FLAT, PROJECTION = range(3)

# For the frames; so little that the larger scans do not fit into it, with the
# flats and darks that are kept for the next scan.
MEMORY_BYTES = 700_000
SETTLE_S = 1

# What else the program may take while it runs, in bytes: messages that wait,
# slices, what the C library keeps. Sanitizers keep what is freed, too, and
# eighths of all.
EXTRA_BYTES = 32 << 20
SANITIZER_FACTOR = 4


class Peer:
    """What the two protocols share. @other: zmq.PUSH, to our program"""

    def __init__(self, port):
        self.zmq = need("zmq")
        self.np = need("numpy")
        self.random = random.Random(f"{SEED} {type(self).__name__}")
        self.numbers = self.np.random.default_rng(self.random.getrandbits(32))
        self.port = port
        self.context = self.zmq.Context()
        self.socket = None
        self.n_messages = self.n_frames = self.n_scans = self.n_bytes = 0

    def close(self):
        self.context.destroy(0)

    def send(self, *parts):
        self.socket.send_multipart(parts)
        self.n_messages += 1
        self.n_bytes += sum(map(len, parts))

    def restart(self):
        if self.socket:
            self.socket.close(0)
        self.socket = self.context.socket(self.zmq.PUSH)
        self.socket.sndtimeo = PATIENCE_S * 1000
        self.socket.sndhwm = 10
        self.open()

    def damage(self, data):
        """Returns: the bytes with some that are wrong, lost or too many"""
        data = bytearray(data)
        for _ in range(self.random.randint(0, 4)):
            if data:
                data[self.random.randrange(len(data))] = \
                    self.random.getrandbits(8)
        cut = self.random.choice([len(data), len(data), self.random.randint(
            0, len(data))])
        return bytes(data[:cut]) + self.random.randbytes(
            self.random.choice([0, 0, 1, 4, 400]))

    def send_nonsense(self, *parts):
        """@parts: of a message that is right"""
        choice = self.random.randrange(5)
        if choice == 0:
            self.send(*(self.random.randbytes(self.random.randrange(100))
                        for _ in range(self.random.randint(1, 4))))
        elif choice == 1:
            self.send(*parts, *parts)
        elif choice == 2:
            self.send(parts[0])
        else:
            self.send(*map(self.damage, parts))

    def make_frames(self, shape, n):
        """Returns: (kind, number, pixels) of a scan, without every tenth
        projection and the last one, so that it is never complete, and does not
        end when the sender goes"""
        pool = [self.numbers.integers(500, 1000, shape) for _ in range(8)]
        frames = [(kind, k, pool[self.random.randrange(8)])
                  for kind, count in ((DARK, 3), (FLAT, 4), (PROJECTION, n))
                  for k in range(count)
                  if kind != PROJECTION or (k % 10 != 4 and k < n - 1)]
        frames = [frame for frame in frames if self.random.random() > 0.02]
        if self.random.random() < 0.3:
            self.random.shuffle(frames)
        return frames

    def send_scan(self):
        """One scan, with everything that can be wrong."""
        n = self.random.choice([30, 60, 240])
        frames = self.make_frames(self.random.choice(SHAPES), n)
        stop = self.random.choice([len(frames), self.random.randint(
            0, len(frames))])
        self.n_scans += 1
        self.begin(frames[0][2].shape, n)
        for frame in frames[:stop]:
            self.send(*self.describe(frame))
            self.n_frames += 1
            if self.random.random() < 0.05:
                self.send(*self.describe(frame))
            if self.random.random() < 0.05:
                self.send_nonsense(*self.describe(frame))

    def send_whole(self, path):
        with need("h5py").File(path) as file:
            data = file["exchange"]
            self.begin(data["data"].shape[1:], N_PROJECTIONS,
                       (len(data["data_dark"]), len(data["data_white"])),
                       self.np.deg2rad(data["theta"][:].astype(float)))
            for kind, name in enumerate(("data_dark", "data_white", "data")):
                for k, pixels in enumerate(data[name]):
                    self.send(*self.describe((kind, k, pixels)))


class Packets(Peer):
    """RECAST3D's, which connects."""

    scheme = "zmq+tomopackets"
    given = ()

    def open(self):
        self.socket.connect(f"tcp://127.0.0.1:{self.port}")

    def begin(self, shape, n, n_fields=(3, 4), angles=None):
        if angles is None:
            angles = self.np.linspace(0, self.np.pi, n)
            if self.random.random() < 0.1:
                self.send_nonsense(struct.pack("<iiii?", 0x302, 0, 3, 4, True))
            if self.random.random() < 0.1:
                self.send_nonsense(struct.pack("<6i", 0x303, 0, *shape, n, n)
                                   + angles.astype("<f4").tobytes())
        self.send(struct.pack("<iiii?", 0x302, 0, *n_fields, False))
        self.send(struct.pack("<6i", 0x303, 0, *shape, n, n)
                  + angles.astype("<f4").tobytes())

    def describe(self, frame):
        kind, number, pixels = frame
        return [struct.pack("<6i", 0x309, kind, number, *pixels.shape,
                            pixels.size) + pixels.astype("<f4").tobytes()]


class Json(Peer):
    """PSI's std_daq, to which a receiver connects, with angles."""

    scheme = "zmq+json"
    given = ("--angles", "0:177", "--expect", str(N_PROJECTIONS))

    def open(self):
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.socket.bind(f"tcp://127.0.0.1:{self.port}")
                return
            except self.zmq.ZMQError:
                assert time.monotonic() < end, "the address stays in use"
                time.sleep(0.01)

    def begin(self, shape, n, n_fields=None, angles=None):
        self.acquisition = f"{self.n_scans} {angles is not None}"
        self.dtype = self.random.choice(["<u2", "<u4", "<f4", ">i2", "<f8"])
        if angles is not None:
            self.dtype = "<u2"

    def describe(self, frame):
        kind, number, pixels = frame
        pixels = pixels.astype(self.dtype)
        said = {"frame": number, "shape": pixels.shape, "dtype": self.dtype,
                "acquisition_id": self.acquisition,
                "image_attributes": {"scan_index": kind}}
        return [json.dumps(said).encode(), pixels.tobytes()]


def has_sanitizer():
    program = Path(PROGRAM).read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


def get_peak(pid):
    """Returns: the most memory that the process has had, in bytes"""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no peak is told")


def count_ticks(pid):
    """Returns: the processor time that the process has had"""
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(words[11]) + int(words[12])


def wait_until_idle(pid):
    """ZeroMQ takes messages of several connections in turns, of closed ones,
    too: what an earlier connection has left would come between those of a
    whole scan, and be taken for another one."""
    ticks = None
    end = time.monotonic() + PATIENCE_S
    while ticks != count_ticks(pid):
        assert time.monotonic() < end, "it has always something to do"
        ticks = count_ticks(pid)
        time.sleep(SETTLE_S)


def check_soak(folder, kind):
    need("zmq")
    need_network(PROGRAM)
    whole = scans.make_scan(PROGRAM, folder, N_PROJECTIONS, "--size", "32",
                            "--rows", "4")
    got, log = folder / "got.tiff", folder / "errors.txt"
    peer = kind(find_port())
    # The sanitizer shall keep less of what is freed than 256 MB.
    environment = {**os.environ, "ASAN_OPTIONS": ":".join(
        [os.environ.get("ASAN_OPTIONS", ""), "quarantine_size_mb=16"])}
    with open(log, "w") as errors:
        child = subprocess.Popen(
            [PROGRAM, "recon", f"{kind.scheme}://127.0.0.1:{peer.port}",
             "--follow", "--every", "0.2", "--memory", str(MEMORY_BYTES), "-o",
             got, "--engine", "host", *kind.given],
            stdout=subprocess.DEVNULL, stderr=errors, env=environment)
    try:
        peer.restart()
        peer.send_scan()  # when it takes that, it has begun
        first = get_peak(child.pid)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if peer.random.random() < 0.2:
                peer.restart()
            peer.send_scan()
            same(child.poll(), None, log.read_text()[-3000:])
        peak = get_peak(child.pid)
        wait_until_idle(child.pid)
        peer.send_whole(whole)
        status = child.wait(PATIENCE_S)
    finally:
        child.kill()
        child.wait()
        peer.close()
    said = log.read_text()
    print(f"# seed {SEED}: {peer.n_messages} messages, {peer.n_frames} frames, "
          f"{peer.n_scans} scans, {peer.n_bytes / 1e6:.0f} MB; peak "
          f"{peak / 1e6:.0f} MB, at first {first / 1e6:.0f} MB; "
          f"{said.count('note: ')} notes")
    same(status, 0, said[-3000:])
    for word in ("Sanitizer", "runtime error", "CRITICAL"):
        assert word not in said, said[-3000:]
    most = EXTRA_BYTES * (SANITIZER_FACTOR if has_sanitizer() else 1)
    assert peak - first < MEMORY_BYTES + most, "it takes more and more memory"
    want = folder / "want.tiff"
    done = subprocess.run([PROGRAM, "recon", whole, "-o", want, "--engine",
                           "host", *kind.given[:2]], capture_output=True,
                          encoding="utf-8", check=False)
    same(done.returncode, 0, done.stderr)
    same(got.read_bytes() == want.read_bytes(), True, "the slice")


def check_packets(folder):
    check_soak(folder, Packets)


def check_json(folder):
    check_soak(folder, Json)


sys.exit(run([
    (check_packets,),
    (check_json,),
]))
