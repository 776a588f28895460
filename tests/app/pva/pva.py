"""Images of an EPICS detector, which p4p serves here, sent on to our program by
tomolens-pva. Usage: pva.py PROGRAM TOMOLENS-PVA

A module that is not installed is a skipped test."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import need, run, same
from network import find_port, need_network

PROGRAM, HELPER = map(os.path.realpath, sys.argv[1:])
PATIENCE_S = 60
PV = "TEST:Pva1:Image"
DARK, FLAT, PROJECTION = range(3)
N_ROWS, N_COLS = 3, 5


def need_p4p():
    """Returns: the modules for a server"""
    need("zmq")
    need("numpy")
    need("p4p")
    need("p4p.nt")
    need("p4p.server.thread")
    return need("p4p"), need("p4p.server")


class Detector:
    """A server with one array, on this machine alone. @port: 0: any"""

    def __init__(self, port=0):
        p4p, server = need_p4p()
        self.nt = p4p.nt.NTNDArray()
        self.pv = p4p.server.thread.SharedPV()  # takes what is wrapped
        self.server = server.Server(
            providers=[{PV: self.pv}], useenv=False, conf={
                "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1",
                "EPICS_PVAS_SERVER_PORT": str(port),
                "EPICS_PVAS_BROADCAST_PORT": "0",
                "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO"})
        self.port = self.server.conf()["EPICS_PVAS_SERVER_PORT"]
        self.environment = {"EPICS_PVA_NAME_SERVERS": f"127.0.0.1:{self.port}",
                            "EPICS_PVA_AUTO_ADDR_LIST": "NO",
                            "EPICS_PVA_ADDR_LIST": ""}
        self.is_open = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def post(self, unique_id, pixels, codec="", **attributes):
        value = self.nt.wrap(pixels, attrib={"ColorMode": 0, **attributes})
        value.uniqueId = unique_id
        value.codec.name = codec
        (self.pv.post if self.is_open else self.pv.open)(value)
        self.is_open = True


class Helper:
    """tomolens-pva."""

    def __init__(self, detector, *options):
        self.port = find_port()
        packages = os.environ.get("TL_PYTHON_PACKAGES", "")
        path = os.pathsep.join(filter(None, (packages,
                                             os.environ.get("PYTHONPATH"))))
        self.child = subprocess.Popen(
            [sys.executable, "-B", HELPER, PV, "--to",
             f"zmq+json://127.0.0.1:{self.port}", *map(str, options)],
            env={**os.environ, **detector.environment, "PYTHONPATH": path},
            stderr=subprocess.PIPE, encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def wait_for(self, text):
        """Returns: the line that says it, and those before"""
        said = ""
        while text not in said:
            line = self.child.stderr.readline()
            assert line, f"it ends without \"{text}\": {said}"
            said += line
        return said

    def interrupt(self):
        """Returns: what it said since"""
        self.child.send_signal(signal.SIGINT)
        _, said = self.child.communicate(timeout=PATIENCE_S)
        same(self.child.returncode, 0, said)
        return said


class Receiver:
    """Another program that takes what the helper sends."""

    def __init__(self, port, kind="PULL"):
        zmq = need("zmq")
        self.context = zmq.Context()
        self.socket = self.context.socket(getattr(zmq, kind))
        if kind == "SUB":
            self.socket.subscribe(b"")
        self.socket.rcvtimeo = PATIENCE_S * 1000
        self.socket.connect(f"tcp://127.0.0.1:{port}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.destroy(0)

    def next(self):
        """Returns: the JSON, and the pixels"""
        said, *pixels = self.socket.recv_multipart()
        return json.loads(said), *pixels


def make_pixels(seed, shape=(N_ROWS, N_COLS), dtype="u2"):
    np = need("numpy")
    return np.random.default_rng(seed).integers(0, 200, shape).astype(dtype)


def check_frames(folder):
    """Each array comes with its number, its kind and its angle; what was there
    before, or comes again, does not."""
    with Detector() as detector, Helper(detector) as helper, \
            Receiver(helper.port) as receiver:
        detector.post(900, make_pixels(0))  # of yesterday
        helper.wait_for("from the next array on")
        sent = [  # id, kind, number, attributes
            (1, DARK, 0, {"HDF5FrameLocation": "/exchange/data_dark"}),
            (2, DARK, 1, {"HDF5FrameLocation": "/exchange/data_dark"}),
            (3, FLAT, 0, {"HDF5FrameLocation": "/exchange/data_white"}),
            (4, PROJECTION, 0, {"HDF5FrameLocation": "/exchange/data",
                                "SampleRotary": 0.5}),
            (7, PROJECTION, 3, {"HDF5FrameLocation": "/exchange/data",
                                "SampleRotary": 2}),
            (6, PROJECTION, 2, {"image_key": 0, "theta": "-1.5"}),
            (8, FLAT, 1, {"image_key": 1}),
            (10, PROJECTION, 4, {"image_key": 0}),
            (11, PROJECTION, 5, {})]
        scans = set()
        for unique_id, kind, number, attributes in sent:
            pixels = make_pixels(unique_id)
            detector.post(unique_id, pixels, **attributes)
            if unique_id == 7:
                detector.post(unique_id, pixels, **attributes)
            said, got = receiver.next()
            same((said["frame"], said["shape"], said["type"]),
                 (number, [N_ROWS, N_COLS], "uint16"), unique_id)
            same(said["image_attributes"]["scan_index"], kind, unique_id)
            angle = attributes.get("SampleRotary", attributes.get("theta"))
            same(said["image_attributes"].get("angle_deg"),
                 None if angle is None else float(angle), unique_id)
            same(got, pixels.astype("<u2").tobytes(), unique_id)
            scans.add(said["acquisition_id"])
        same(len(scans), 1, "scans")
        detector.post(3, make_pixels(3), image_key=2)
        said, _ = receiver.next()
        same((said["frame"], said["image_attributes"]["scan_index"]), (0, DARK))
        assert said["acquisition_id"] not in scans, said
        said = helper.interrupt()
        assert "the projections have no angle" in said, said
        assert ("scan 1: 5 projections, 2 flats and 2 darks sent; lost on the "
                "way here: 2, refused: 0, without a receiver: 0") in said, said
        assert "scan 2: 0 projections, 0 flats and 1 dark " in said, said


def check_types(folder):
    """The types that the program has, and no other ones."""
    with Detector() as detector, \
            Helper(detector, "--publish", "--angle-name", "omega") as helper, \
            Receiver(helper.port, "SUB") as receiver:
        detector.post(0, make_pixels(0))
        helper.wait_for("from the next array on")
        # A subscription has no handshake.
        number, said = 0, None
        receiver.socket.rcvtimeo = 200
        while said is None:
            number += 1
            detector.post(number, make_pixels(number))
            try:
                said = receiver.next()
            except need("zmq").Again:
                assert number < 5 * PATIENCE_S, "nothing is published"
        receiver.socket.rcvtimeo = PATIENCE_S * 1000
        for dtype in ("uint8", "int8", "int16", "uint32", "int32", "float32",
                      "float64"):
            number += 1
            pixels = make_pixels(number, (4, 7), dtype)
            detector.post(number, pixels, omega=12.25, theta=3.0)
            said = None
            while said is None or said["frame"] < number - 1:
                said, got = receiver.next()
            same((said["type"], said["shape"], said["image_attributes"]),
                 (dtype, [4, 7], {"scan_index": PROJECTION,
                                  "angle_deg": 12.25}), dtype)
            same(got, pixels.tobytes(), dtype)


def check_refused(folder):
    """What cannot be sent is left out with a sentence, which is said once."""
    with Detector() as detector, Helper(detector) as helper, \
            Receiver(helper.port) as receiver:
        detector.post(0, make_pixels(0))
        helper.wait_for("from the next array on")
        good = {"image_key": 0, "theta": 1.0}
        wrong = [(make_pixels(1), {"codec": "lz4"}, "compressed with lz4"),
                 (make_pixels(1, (3, 4, 5)), {}, "3 dimensions"),
                 (make_pixels(1, dtype="i8"), {}, "type int64"),
                 (make_pixels(1), {"image_key": 3}, 'but "3"')]
        number = 0
        for pixels, said, _ in wrong:
            for _ in range(2):
                detector.post(number + 1, pixels, **{**good, **said})
                detector.post(number + 2, make_pixels(number), **good)
                number += 2
                got, _ = receiver.next()
                same(got["frame"], number - 2)
        said = helper.interrupt()
        for _, _, text in wrong:
            same(said.count(text), 1, said)
        assert "8 projections" in said and "refused: 8" in said, said


def check_usage(folder):
    need_p4p()
    for status, text, *options in (
            (2, "--to", PV), (2, "takes zmq+json", PV, "--to", "tcp://*:1"),
            (2, "at least 1", PV, "--to", "zmq+json://*:1", "--queue", "0"),
            (2, "at least 1", PV, "--to", "zmq+json://*:1", "--expect", "0"),
            (1, "cannot be used", PV, "--to", "zmq+json://192.0.2.1:1")):
        packages = os.environ.get("TL_PYTHON_PACKAGES", "")
        done = subprocess.run(
            [sys.executable, "-B", HELPER, *options], capture_output=True,
            env={**os.environ, "PYTHONPATH": packages}, encoding="utf-8",
            check=False)
        same(done.returncode, status, done.stderr)
        assert text in done.stderr, done.stderr


def check_missing(folder):
    """Without p4p it says what to install."""
    (folder / "p4p.py").write_text("raise ImportError('No module named p4p')")
    done = subprocess.run(
        [sys.executable, "-B", HELPER, PV, "--to", "zmq+json://*:1"],
        capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "PYTHONPATH": str(folder)})
    same((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
    assert "pip install p4p" in done.stderr, done.stderr


# --- to our program ---

class Scan:
    def __init__(self, folder, name, *options):
        h5py = need("h5py")
        self.path = folder / name
        subprocess.run([PROGRAM, "phantom", self.path, "--size", "32", "--rows",
                        "3", "--projections", "60", *options], check=True,
                       stdout=subprocess.DEVNULL)
        with h5py.File(self.path) as file:
            data = file["exchange"]
            self.frames = (
                [(pixels, {"image_key": 2}) for pixels in data["data_dark"]]
                + [(pixels, {"image_key": 1}) for pixels in data["data_white"]]
                + [(pixels, {"image_key": 0, "rotation_angle": float(angle)})
                   for pixels, angle in zip(data["data"], data["theta"])])

    def recon(self, to):
        subprocess.run([PROGRAM, "recon", self.path, "-o", to, "--engine",
                        "host", "--overwrite"], check=True, capture_output=True)
        return to.read_bytes()


class Follow:
    """Our program, making a slice of one scan."""

    def __init__(self, port, to):
        self.to = to
        self.child = subprocess.Popen(
            [PROGRAM, "recon", f"zmq+json://127.0.0.1:{port}", "--follow", "-o",
             to, "--engine", "host"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def get(self):
        """Returns: the slice of the whole scan"""
        said, _ = self.child.communicate(timeout=PATIENCE_S)
        same(self.child.returncode, 0, said)
        return self.to.read_bytes()


def check_followed(folder):
    """The slice is that of the file, although the program is not told the
    angles; also after the detector's server was restarted, of the next scan."""
    need_p4p()
    need_network(PROGRAM)
    first = Scan(folder, "first.h5")
    second = Scan(folder, "second.h5", "--centre", "14")
    n = len(first.frames)
    detector = Detector()
    with Helper(detector, "--expect", n, "--queue", 2 * n) as helper:
        with Follow(helper.port, folder / "first.tiff") as follow:
            with detector:
                detector.post(900, first.frames[0][0])
                helper.wait_for("from the next array on")
                for k, (pixels, attributes) in enumerate(first.frames):
                    detector.post(1 + k, pixels, **attributes)
                assert follow.get() == first.recon(folder / "want.tiff")
        helper.wait_for("is not there")
        with Follow(helper.port, folder / "second.tiff") as follow, \
                Detector(detector.port) as again:
            for k, (pixels, attributes) in enumerate(second.frames):
                again.post(1 + k, pixels, **attributes)
                if k == 0:
                    helper.wait_for("scan 1: ")
            assert follow.get() == second.recon(folder / "want.tiff")
        said = helper.interrupt()
        assert f"60 projections" in said and "lost on the way here: 0" in said, \
            said


sys.exit(run([
    (check_frames,),
    (check_types,),
    (check_refused,),
    (check_usage,),
    (check_missing,),
    (check_followed,),
]))
