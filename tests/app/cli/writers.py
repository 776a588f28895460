"""Scans that another program writes: neither is kept out by the other, and what
a killed writer has left is read. Usage: writers.py PROGRAM

h5py writes, in processes of their own: HDF5 in the format that all libraries
read ("plain"), and in its newest one, with and without SWMR (single writer,
multiple readers)."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

WRITER = """
import sys
import h5py
import numpy as np
kind, layout, lists, n_frames, name = sys.argv[1:]
f = h5py.File(name, "w", libver="earliest" if kind == "plain" else "latest")
exchange = layout == "exchange"
d = f.create_dataset("/exchange/data" if exchange else
                     "/entry/instrument/detector/data", (0, 16, 32), "u2",
                     chunks=(1, 16, 32), maxshape=(None, 16, 32))
theta, keys = np.arange(0, 180, 9.0), np.zeros(20, "i4")
if exchange:
    f["/exchange/data_white"] = np.full((2, 16, 32), 1000, "u2")
    f["/exchange/data_dark"] = np.zeros((2, 16, 32), "u2")
    values = {"/exchange/theta": theta}
else:
    keys[:3] = 2, 1, 1
    more = "/entry/instrument/NDAttributes/"
    values = {more + "image_key": keys, more + "Theta": theta}
n_now = 0 if lists == "grow" else 20
for path, value in values.items():
    f.create_dataset(path, data=value[:n_now], chunks=(20,), maxshape=(None,))
if kind == "swmr":
    f.swmr_mode = True
for i in range(int(n_frames)):
    d.resize(i + 1, 0)
    d[i] = np.full((16, 32), 500 + i, "u2")
    d.flush()
    for path, value in values.items():
        if lists == "grow" and i + 1 < int(n_frames):
            f[path].resize(i + 1, 0)
            f[path][i] = value[i]
            f[path].flush()
if kind != "swmr":
    f.flush()
print("written", flush=True)
sys.stdin.readline()
d[0] = 1
f.close()
print("closed", flush=True)
"""

APPEND = """
import sys
import h5py
with h5py.File(sys.argv[1], "r+") as f:
    f["/exchange/more"] = 1
"""


def start_writer(scan, kind, layout="exchange", lists="before", n_frames=20):
    """@lists: whether image keys and angles are written "before" the frames, or
    "grow" after them, and are not there of the last frame"""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, kind, layout,
                               lists, str(n_frames), scan],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              encoding="utf-8")
    assert writer.stdout.readline() == "written\n", "nothing is written"
    return writer


def ask(program, scan):
    """Returns: what the program says of the scan, or why it does not open"""
    done = subprocess.run([program, "info", scan], capture_output=True,
                          encoding="utf-8")
    return done.stdout if done.returncode == 0 else done.stderr


def check_killed(program, folder, kind, *args):
    *options, want = args
    scan = folder / "killed.h5"
    writer = start_writer(scan, kind, *options)
    writer.kill()
    writer.wait()
    said = ask(program, scan)
    assert want in said, said


def check_open(program, folder, kind, want):
    scan = folder / "open.h5"
    writer = start_writer(scan, kind)
    said = ask(program, scan)
    rest = writer.communicate("\n")[0]
    assert rest == "closed\n", "the writer was kept out"
    assert want in said, said
    said = ask(program, scan)
    assert "20 of 16 rows" in said, said


def check_append(program, folder):
    """Appends to a scan while the program, which is stopped, reads it."""
    scan = folder / "read.h5"
    subprocess.run([program, "phantom", scan, "--size", "128", "--projections",
                    "64", "--rows", "320"], check=True, capture_output=True)
    reader = subprocess.Popen([program, "export", scan, "--engine", "host",
                               "--centre", "60", "-o", folder / "volume.raw"],
                              stderr=subprocess.PIPE, encoding="utf-8",
                              stdout=subprocess.DEVNULL)
    first = reader.stderr.readline()
    reader.send_signal(signal.SIGSTOP)
    appended = subprocess.run([sys.executable, "-c", APPEND, scan],
                              capture_output=True, encoding="utf-8")
    reader.send_signal(signal.SIGCONT)
    errors = reader.communicate()[1]
    assert reader.returncode == 0, first + errors
    assert appended.returncode == 0, appended.stderr


def check_filter(program, folder):
    """Names the package of a plug-in that is missing."""
    scan = folder / "lzf.h5"
    script = """
import sys
import h5py
import numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("/exchange/data", data=np.ones((4, 8, 16), "u2"),
                     compression="lzf")
"""
    subprocess.run([sys.executable, "-c", script, scan], check=True)
    nowhere = {**os.environ, "HDF5_PLUGIN_PATH": str(folder / "none")}
    done = subprocess.run([program, "info", scan], capture_output=True,
                          encoding="utf-8", env=nowhere)
    assert done.returncode == 1 and "LZF" in done.stderr and (
        "install the package bitshuffle" in done.stderr), done.stderr


def check_new(program, folder):
    """Tells of a library that is too old for the file."""
    scan = folder / "new.h5"
    script = """
import sys
import h5py
h5py.File(sys.argv[1], "w", libver="latest").close()
"""
    subprocess.run([sys.executable, "-c", script, scan], check=True)
    with open(scan, "r+b") as file:
        file.seek(8)  # the version of the superblock, behind the signature
        file.write(b"\x09")
    said = ask(program, scan)
    assert "newer than" in said and "h5repack" in said, said


CASES = [
    ("killed/plain", check_killed, ["plain", "20 of 16 rows"]),
    ("killed/latest", check_killed, ["latest", "h5clear --status"]),
    ("killed/swmr", check_killed, ["swmr", "20 of 16 rows"]),
    *((f"killed/{layout}/{kind}/{lists}", check_killed,
       [kind, layout, lists, 12, want])
      for kind in ("plain", "swmr") for layout, lists, want in (
          ("exchange", "before", "finished: the first 12 angles are used"),
          ("exchange", "grow", "has no number for them): 11"),
          ("area", "before", "finished: the first 12 keys are used"),
          ("area", "grow", "after the first 11 have no key"))),
    ("open/plain", check_open, ["plain", "20 of 16 rows"]),
    ("open/latest", check_open, ["latest", "wait until it is done"]),
    ("open/swmr", check_open, ["swmr", "20 of 16 rows"]),
    ("append", check_append, []),
    ("filter", check_filter, []),
    ("new", check_new, []),
]


def main():
    program = os.path.realpath(sys.argv[1])
    try:
        import h5py
    except ImportError as error:
        print(f"1..0 # SKIP {error}")
        return
    print(f"1..{len(CASES)}\n# HDF5 {h5py.version.hdf5_version}")
    for number, (name, check, args) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            result = "ok"
            try:
                check(program, pathlib.Path(folder), *args)
            except (AssertionError, subprocess.SubprocessError) as error:
                reason = str(error).strip().replace("\n", "\n# ")
                result = f"# {reason}\nnot ok"
        print(f"{result} {number} /writers/{name}", flush=True)


main()
