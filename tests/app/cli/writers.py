"""Scans that another program writes: neither is kept out by the other, and what
a killed writer has left is read. Usage: writers.py PROGRAM [WINDOW]

h5py writes, in processes of its own: HDF5 in the format that all libraries
read ("plain"), and in its newest one, with and without SWMR (single writer,
multiple readers). So does the program itself. With WINDOW, the program with a
window holds the scan meanwhile, and nothing else is tested."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import need, run, same

PROGRAM = os.path.realpath(sys.argv[1])
WINDOW = os.path.realpath(sys.argv[2]) if len(sys.argv) > 2 else None
PATIENCE_S = 30

# Appends as many frames as each number that it reads says, and closes the file
# at their end.
WRITER = """
import sys
import h5py
import numpy as np
kind, layout, lists, name = sys.argv[1:]
f = h5py.File(name, "w", libver="earliest" if kind == "plain" else "latest")
exchange = layout == "exchange"
d = f.create_dataset("/exchange/data" if exchange else
                     "/entry/instrument/detector/data", (0, 64, 128), "u2",
                     chunks=(1, 64, 128), maxshape=(None, 64, 128))
theta, keys = np.arange(0, 180, 9.0), np.zeros(20, "i4")
if exchange:
    f["/exchange/data_white"] = np.full((2, 64, 128), 1000, "u2")
    f["/exchange/data_dark"] = np.zeros((2, 64, 128), "u2")
    values = {"/exchange/theta": theta}
else:
    keys[:3] = 2, 1, 1
    more = "/entry/instrument/NDAttributes/"
    values = {more + "image_key": keys, more + "Theta": theta}
n_now = 20 if lists == "before" else 0
for path, value in values.items():
    f.create_dataset(path, data=value[:n_now], chunks=(20,), maxshape=(None,))
if kind == "swmr":
    f.swmr_mode = True
for line in sys.stdin:
    for i in range(len(d), len(d) + int(line)):
        d.resize(i + 1, 0)
        d[i] = np.random.default_rng(i).integers(
            0, 10, (64, 128)) + (10 if i == 0 else 900)
        d.flush()
        for path, value in values.items():
            n_values = i + (lists != "behind")
            if n_values > len(f[path]):
                f[path].resize(n_values, 0)
                f[path][:] = value[:n_values]
                f[path].flush()
    if kind != "swmr":
        f.flush()
    print("written", flush=True)
d[0] = 11
f.close()
print("closed", flush=True)
"""

APPEND = """
import sys
import h5py
with h5py.File(sys.argv[1], "r+") as f:
    f["/exchange/more"] = 1
"""


class Writer:
    """h5py. @lists: image keys and angles are written "before" the frames, or
    they "grow" with them, or do so "behind" them by one"""

    def __init__(self, scan, kind, layout="exchange", lists="before"):
        need("h5py")
        self.child = subprocess.Popen(
            [sys.executable, "-c", WRITER, kind, layout, lists, scan],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def add(self, n_frames):
        self.child.stdin.write(f"{n_frames}\n")
        self.child.stdin.flush()
        same(self.child.stdout.readline(), "written\n", "the writer says")

    def kill(self):
        self.child.kill()
        self.child.wait()

    def close(self):
        rest = self.child.communicate()[0]
        same(rest, "closed\n", "the writer says, if it is not kept out,")


class Player(Writer):
    """The program itself, in areaDetector's layout."""

    def __init__(self, scan, *options):
        self.scan = scan
        source = scan.with_name("source.h5")
        subprocess.run([PROGRAM, "phantom", source, "--size", "128", "--rows",
                        "64", "--projections", "900"], check=True,
                       capture_output=True)
        self.child = subprocess.Popen(
            [PROGRAM, "play", source, "--to", scan, "--rate", "50", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    def add(self, n_frames):
        """Waits until there are so many more."""
        end = time.monotonic() + PATIENCE_S
        n_before = count_frames(self.scan)
        while (n := count_frames(self.scan)) < n_before + n_frames:
            assert time.monotonic() < end, f"{n_before} frames, then {n}"
            assert self.child.poll() is None, self.child.communicate()[1]


def ask(scan, *options):
    """Returns: what the program says of the scan, or why it does not open"""
    done = subprocess.run([PROGRAM, "info", scan, *options],
                          capture_output=True, encoding="utf-8", check=False)
    return done.stdout if done.returncode == 0 else done.stderr


def count_frames(scan):
    said = ask(scan, "--json")
    if not said.startswith("{"):
        return 0
    info = json.loads(said)
    return info["projections"] + info["flats"] + info["darks"]


def is_held(process, scan):
    """Whether it has the scan open, by HDF5 and besides to read its chunks"""
    try:
        return sum(os.readlink(fd) == str(scan)
                   for fd in Path(f"/proc/{process.pid}/fd").iterdir()) > 1
    except FileNotFoundError:  # a file that it has closed meanwhile
        return False


def hold(scan, folder, command, grows=False):
    """Returns: the program, stopped while it has the scan open; the window goes
    on, because it has it open for as long as it shows it. A scan that @grows it
    opens 20 times a second"""
    line = {"info": [PROGRAM, "info", scan],
            "recon": [PROGRAM, "recon", scan, "--engine", "host", "--centre",
                      "60", "-o", folder / "slice.tiff", "--overwrite"],
            "window": [WINDOW, scan, "--engine", "host"]}[command]
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        reader = subprocess.Popen(line, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, encoding="utf-8")
        while not is_held(reader, scan) and reader.poll() is None:
            assert time.monotonic() < end, "the scan is not opened"
        if command == "window":
            time.sleep(1)
        else:
            reader.send_signal(signal.SIGSTOP)
        if reader.poll() is None and (grows or is_held(reader, scan)):
            return reader
        reader.kill()  # it was too fast
        reader.communicate()
    raise AssertionError("the scan was never held")


def release(reader, command):
    """Lets the program read what it has opened."""
    if command == "window":
        assert reader.poll() is None, reader.communicate()[1]
        reader.terminate()
        reader.communicate()
        return
    reader.send_signal(signal.SIGCONT)
    errors = reader.communicate(timeout=PATIENCE_S)[1]
    same(reader.returncode, 0, errors)


def check_held(folder, command, how, *options):
    """The writer is never refused while the program has the scan open, and is
    killed; then the scan opens."""
    scan = folder / "scan.h5"
    writer = (Player if how == "play" else Writer)(scan, *options)
    writer.add(12)
    grows = command == "window" and how == "play"
    reader = hold(scan, folder, command, grows)
    try:
        n = count_frames(scan)
        assert n >= 12, ask(scan)
        writer.add(6)
        same(grows or is_held(reader, scan), True, "held")
        writer.kill()
        assert count_frames(scan) >= n + 6, ask(scan)
    finally:
        release(reader, command)


def check_killed(folder, kind, *args):
    *options, want = args
    scan = folder / "killed.h5"
    writer = Writer(scan, kind, *options)
    writer.add(12 if options else 20)
    writer.kill()
    said = ask(scan)
    assert want in said, said


def check_open(folder, kind, want):
    scan = folder / "open.h5"
    writer = Writer(scan, kind)
    writer.add(20)
    said = ask(scan)
    writer.close()
    assert want in said, said
    said = ask(scan)
    assert "20 of 64 rows" in said, said


def check_append(folder, command):
    """Appends to a scan while the program has it open."""
    need("h5py")
    scan = folder / "read.h5"
    subprocess.run([PROGRAM, "phantom", scan, "--size", "128", "--projections",
                    "64", "--rows", "64"], check=True, capture_output=True)
    reader = hold(scan, folder, command)
    try:
        appended = subprocess.run([sys.executable, "-c", APPEND, scan],
                                  capture_output=True, encoding="utf-8",
                                  check=False)
        same(is_held(reader, scan), True, "held")
    finally:
        release(reader, command)
    same(appended.returncode, 0, appended.stderr)


def make_of_blocks(f, shape):
    """A virtual dataset of as many files as there are."""
    from h5py import h5d, h5p, h5s, h5t
    whole = h5s.create_simple(shape, (h5s.UNLIMITED, *shape[1:]))
    whole.select_hyperslab((0, 0, 0), (h5s.UNLIMITED, 1, 1),
                           (shape[0], 1, 1), shape)
    how = h5p.create(h5p.DATASET_CREATE)
    how.set_virtual(whole, b"block%b", b"data", h5s.create_simple(shape))
    h5d.create(f["/exchange"].id, b"data", h5t.STD_U16LE, whole, how)


def check_sources(folder, kind):
    """An export notices that other files with the scan's samples changed."""
    h5py, np = need("h5py"), need("numpy")
    frames = np.random.default_rng(1).integers(100, 900, (20, 4, 16), "u2")
    source = folder / "other"
    with h5py.File(folder / "scan.h5", "w") as f:
        f["/exchange/theta"] = np.arange(20) * 9.0
        if kind == "external":
            frames.tofile(source)
            f.create_dataset("/exchange/data", frames.shape, "u2",
                             external=[(str(source), 0, frames.nbytes)])
        else:
            with h5py.File(source, "w") as other:
                other["data"] = frames
            if kind == "blocks":
                source = source.rename(folder / "block0")
                make_of_blocks(f, frames.shape)
            else:
                layout = h5py.VirtualLayout(frames.shape, "u2")
                layout[:] = h5py.VirtualSource("other", "data", frames.shape)
                f.create_virtual_dataset("/exchange/data", layout)
    command = [PROGRAM, "export", folder / "scan.h5", "-o", folder / "out"]
    subprocess.run(command, check=True, capture_output=True)
    command.append("--resume")
    subprocess.run(command, check=True, capture_output=True)
    os.utime(source, (1e9, 2e9))
    done = subprocess.run(command, capture_output=True, encoding="utf-8",
                          check=False)
    same(done.returncode, 1, done.stdout)
    assert "what differs: date of the scan" in done.stderr, done.stderr


def check_filter(folder):
    """Names the package of a plug-in that is missing."""
    h5py, np = need("h5py"), need("numpy")
    scan = folder / "lzf.h5"
    with h5py.File(scan, "w") as f:
        f.create_dataset("/exchange/data", data=np.ones((4, 8, 16), "u2"),
                         compression="lzf")
    nowhere = {**os.environ, "HDF5_PLUGIN_PATH": str(folder / "none")}
    done = subprocess.run([PROGRAM, "info", scan], capture_output=True,
                          encoding="utf-8", env=nowhere, check=False)
    assert done.returncode == 1 and "LZF" in done.stderr and (
        "install the package bitshuffle" in done.stderr), done.stderr


def check_new(folder):
    """Tells of a library that is too old for the file."""
    h5py = need("h5py")
    scan = folder / "new.h5"
    h5py.File(scan, "w", libver="latest").close()
    with open(scan, "r+b") as file:
        file.seek(8)  # the version of the superblock, behind the signature
        file.write(b"\x09")
    said = ask(scan)
    assert "newer than" in said and "h5repack" in said, said


def check_replaced(folder):
    """The log of an export whose scan is another one when it begins says what
    helps, as the message does, and both say it once. The program waits for its
    angles, which are a pipe, when it has opened the scan."""
    scan, angles, log = (folder / name for name in ("a.raw", "angles", "log"))
    scan.write_bytes(bytes(16 * 8 * 12 * 4))
    other = folder / "other"
    other.write_bytes(bytes(16 * 8 * 11 * 4))
    os.mkfifo(angles)
    child = subprocess.Popen(
        [PROGRAM, "export", scan, "--raw", "16x8x12:float32le", "--angles-file",
         angles, "--engine", "host", "--centre", "7.5", "-o", folder / "out",
         "--log", log], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        encoding="utf-8")
    with open(angles, "w", encoding="utf-8") as pipe:
        other.replace(scan)
        pipe.write("\n".join(str(15 * k) for k in range(12)))
    said = child.communicate(timeout=PATIENCE_S)[1]
    same(child.returncode, 1, said)
    for text in said, log.read_text("utf-8"):
        same(text.count("; --raw 16x8x11:float32le would fit\n"), 1, text)


def list_held(command):
    return [(check_append, command)] + [
        (check_held, command, *how) for how in (
            ("h5py", "plain"), ("h5py", "swmr"),
            ("h5py", "plain", "area", "grow"), ("h5py", "swmr", "area", "grow"),
            ("h5py", "swmr", "area", "before"), ("play",),
            ("play", "--no-swmr"))]


sys.exit(run(list_held("window") if WINDOW else [
    (check_killed, "plain", "20 of 64 rows"),
    (check_killed, "latest", "h5clear --status"),
    (check_killed, "swmr", "20 of 64 rows"),
    *((check_killed, kind, layout, lists, want)
      for kind in ("plain", "swmr") for layout, lists, want in (
          ("exchange", "before", "finished: the first 12 angles are used"),
          ("exchange", "behind", "has no number for them): 11"),
          ("area", "before", "finished: the first 12 keys are used"),
          ("area", "behind", "after the first 11 have no key"))),
    (check_open, "plain", "20 of 64 rows"),
    (check_open, "latest", "wait until it is done"),
    (check_open, "swmr", "20 of 64 rows"),
    *list_held("info"),
    *list_held("recon"),
    (check_sources, "external"),
    (check_sources, "virtual"),
    (check_sources, "blocks"),
    (check_filter,),
    (check_new,),
    (check_replaced,),
]))
