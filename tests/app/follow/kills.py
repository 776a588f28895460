"""Senders that are killed at random moments while our program follows them, and
begin again. Usage: kills.py PROGRAM WRITE-SWMR

TL_KILLS is how often each is killed, and TL_KILLS_SEED says when. A module that
is not installed is a skipped test."""

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import scans
from cases import need, run, same
from network import find_port, need_network

PROGRAM, WRITE_SWMR = map(os.path.realpath, sys.argv[1:])
PATIENCE_S = 90
N_KILLS = int(os.environ.get("TL_KILLS", "3"))
SEED = os.environ.get("TL_KILLS_SEED", "1")
N_PROJECTIONS = 60
RATE = 100
ANGLES = ("--angles", "0:177")


def make_scan(folder):
    """Returns: its path, and its numbers of projections, flats and darks"""
    h5py = need("h5py")
    path = scans.make_scan(PROGRAM, folder, N_PROJECTIONS, "--size", "32",
                           "--rows", "4")
    with h5py.File(path) as file:
        return path, [len(file["exchange"][name])
                      for name in ("data", "data_white", "data_dark")]


def recon(scan, to, *options):
    done = subprocess.run([PROGRAM, "recon", scan, "-o", to, "--engine", "host",
                           *options], check=False, capture_output=True,
                          encoding="utf-8")
    same(done.returncode, 0, done.stderr)
    return to.read_bytes()


def send(command):
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def follow(name, to, log, *options):
    with open(log, "w") as errors:
        return subprocess.Popen(
            [PROGRAM, "recon", str(name), "--follow", "--every", "0.2", "-o", to,
             "--engine", "host", *options], stdout=subprocess.DEVNULL,
            stderr=errors)


def wait_for(path):
    end = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end, f"waited in vain for {path}"
        time.sleep(0.01)


def check_notes(notes, n_kills):
    """Each time it begins again is told in one sentence, and nothing else is
    told of the sender, but that it was slow."""
    begun = [note for note in notes if "another scan begins after" in note]
    assert len(begun) <= n_kills, notes
    same([note for note in notes if note not in begun and "centre" not in note
          and "nothing has" not in note], [], notes)


def check_killed(folder, way, *options):
    scan, n_frames = make_scan(folder)
    live = folder / {"folder": "live"}.get(way, "live.h5")
    got, log = folder / "got.tiff", folder / "errors.txt"
    expect = ("--expect", ",".join(map(str, n_frames)))
    if way in ("packets", "json"):
        need_network(PROGRAM)
        scheme = f"zmq+{'tomopackets' if way == 'packets' else way}"
        address = f"127.0.0.1:{find_port()}"
        name = f"{scheme}{'+rep' if '--request' in options else ''}://{address}"
        to = f"{scheme}://{address}"
    else:
        name = to = live
    command = [PROGRAM, "play", scan, "--to", to, "--rate", RATE, *options]
    if way in ("file", "folder"):
        command.append("--overwrite")
    elif way == "swmr":
        command = [WRITE_SWMR, scan, live, RATE]
    moments = random.Random(f"{SEED} {way} {options}")
    times_s = [moments.uniform(0, 1.2 * sum(n_frames) / RATE)
               for _ in range(N_KILLS)]
    print(f"# seed {SEED}, killed after",
          *(f"{time_s:.2f} s" for time_s in times_s))
    senders = [send(command)]
    if to == live:
        wait_for(live)
    elif way == "json":
        expect += ANGLES
    follower = follow(name, got, log, *expect)
    try:
        for time_s in times_s:
            time.sleep(time_s)
            senders[-1].kill()
            senders[-1].wait()
            senders.append(send(command))
        same(follower.wait(PATIENCE_S), 0, log.read_text())
    finally:
        for child in (*senders, follower):
            child.kill()
            child.wait()
    check_notes(re.findall("^note: (.*)$", log.read_text(), re.M), N_KILLS)
    given = ANGLES if way == "json" else ()
    assert got.read_bytes() == recon(scan, folder / "want.tiff", *given)


print(f"# seed {SEED}")
sys.exit(run([
    (check_killed, "file"),
    (check_killed, "file", "--no-swmr"),
    (check_killed, "swmr"),
    (check_killed, "folder"),
    (check_killed, "folder", "--in-place"),
    (check_killed, "packets"),
    (check_killed, "packets", "--request"),
    (check_killed, "json"),
    (check_killed, "json", "--order", "interlaced"),
]))
