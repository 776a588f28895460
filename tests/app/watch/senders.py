"""Runs the examples of the manual's page about senders, as they stand, and
watches what they send. Usage: senders.py PROGRAM PAGE

A module that is not installed is a skipped test."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import Skip, need, run, same
from network import find_port, need_network

PROGRAM, PAGE = map(os.path.realpath, sys.argv[1:])
PATIENCE_S = 60
N_PROJECTIONS = 180  # of each example


def read_example(module):
    """Returns: the code that imports @module first"""
    found = re.findall(rf"(?:^    import {module}\b.*\n)(?:    .*\n|\n(?=    |\n))*",
                       Path(PAGE).read_text("utf-8"), re.M)
    same(len(found), 1, f"examples of {module}")
    return re.sub("^    ", "", found[0], flags=re.M)


def check_example(folder, code, name, *options):
    """The program sends each frame once, with its angle; nothing is wrong."""
    with subprocess.Popen(
            [PROGRAM, "watch", name, "--json", "--scans", "1", "--timeout",
             str(PATIENCE_S), *options], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding="utf-8") as watch:
        sender = subprocess.run([sys.executable, "-c", code], cwd=folder,
                                capture_output=True, encoding="utf-8",
                                check=False, timeout=PATIENCE_S)
        if sender.returncode:
            watch.kill()
        out, err = watch.communicate()
    same((sender.returncode, sender.stdout, sender.stderr), (0, "", ""))
    same(watch.returncode, 0, out + err)
    said = [json.loads(line) for line in out.splitlines()]
    same([s for s in said if s["event"] == "trouble"], [])
    same([said[-1][key] for key in ("event", "complete", "projections", "flats",
                                    "darks", "malformed", "doubled")],
         ["end", True, N_PROJECTIONS, 1, 1, 0, 0])
    frames = [s for s in said if s["event"] == "frame"]
    for frame in frames:
        if frame["kind"] == "projection":
            same(frame["angle_deg"], frame["number"])
            assert 4500 <= frame["min"] < 4600, frame  # the wire
    dark, flat = [[f for f in frames if f["kind"] == kind][0]["max"]
                  for kind in ("dark", "flat")]
    assert dark < 102 and flat < 9100, (dark, flat)


def check_messages(folder):
    need_network(PROGRAM)
    need("zmq")
    need("numpy")
    code, port = read_example("json"), str(find_port())
    assert "9610" in code, code
    name = f"zmq+json://127.0.0.1:{port}"
    if "libjson-glib-dev" in subprocess.run(
            [PROGRAM, "watch", name, "--timeout", "0.01"], capture_output=True,
            encoding="utf-8", check=False).stderr:
        raise Skip("the program was built without libjson-glib-dev")
    check_example(folder, code.replace("9610", port), name)


def check_file(folder, way):
    need("h5py")
    need("numpy")
    code = read_example("h5py")
    assert "SWMR = True" in code, code
    if way == "plain":
        code = code.replace("SWMR = True", "SWMR = False")
    check_example(folder, code, "live.h5", "--wait", "--expect",
                  f"{N_PROJECTIONS},1,1")


sys.exit(run([
    (check_messages,),
    (check_file, "swmr"),
    (check_file, "plain"),
]))
