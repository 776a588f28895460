"""Kills exports at random moments, and compares what is resumed at last with
what was made at once. Usage: kill.py PROGRAM [SEED]"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from volumes import (FORMATS, compare, is_same, make_scan,
                     print_result)

KILLS = 4  # of each format

def remove(folder):
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def check(program, scan, folder, name, options):
    """Returns: the reason of a failure, or None"""
    command = [program, "export", scan, "--engine", "host", "--centre", "60",
               *options, "--resume", "--overwrite", "-o"]
    whole, killed = folder / "whole", folder / "killed"
    whole.mkdir()
    killed.mkdir()
    started = time.monotonic()
    subprocess.run([*command, whole / name], check=True, capture_output=True)
    seconds = time.monotonic() - started
    n = 0
    while n < KILLS:
        child = subprocess.Popen([*command, killed / name],
                                 stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, seconds))
        child.kill()
        if child.wait() == 0:  # it was faster
            remove(killed)
            continue
        n += 1
        if (killed / name).exists() and not is_same(whole / name,
                                                    killed / name):
            return "killed: a part of a volume stands in its place"
    last = subprocess.run([*command, killed / name], capture_output=True,
                          encoding="utf-8")
    if last.returncode != 0:
        return last.stderr
    return compare(whole, killed, name)


def main():
    program = os.path.realpath(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    random.seed(seed)
    print(f"1..{len(FORMATS)}\n# seed {seed}")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        scan = make_scan(program, scratch)
        for number, (name, options) in enumerate(FORMATS, 1):
            folder = scratch / str(number)
            folder.mkdir()
            try:
                reason = check(program, scan, folder, name, options)
            except ImportError as error:
                print(f"ok {number} /kill/{name} # SKIP {error}")
                continue
            print_result(number, f"kill/{name}", reason)


main()
