"""Reads pictures from the standard output of recon as other programs do, and
closes it too early. Usage: pipe.py PROGRAM"""

import io
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile

from volumes import print_result

# more than a pipe holds
SIZE, ROWS = 192, 5


def run(program, folder, options, **streams):
    streams.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([program, "recon", "../scan.h5", "--engine", "host",
                           "--centre", "95", "-o", "-", *options], cwd=folder,
                          stderr=subprocess.PIPE, **streams)


def start(program, folder):
    return subprocess.Popen([program, "recon", "../scan.h5", "--engine",
                             "host", "-o", "-"], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_refused(status, err, says):
    """Returns: the reason of a failure, or None"""
    lines = [line for line in err.decode().splitlines()
             if not line.startswith("note: ")]
    if status == 1 and len(lines) == 1 and says in lines[0]:
        return None
    return f"status {status}, {err}"


def check_formats(program, folder, options, shape):
    import numpy as np
    import tifffile
    tiff = run(program, folder, options)
    npy = run(program, folder, [*options, "--format", "npy"])
    if tiff.returncode or npy.returncode:
        return f"{tiff.stderr} {npy.stderr}"
    if b" pixels, centre 95 " not in tiff.stderr:
        return f"no report: {tiff.stderr}"
    if list(folder.iterdir()):
        return f"files: {list(folder.iterdir())}"
    stored = folder.parent / "stored.tiff"
    subprocess.run([program, "recon", "scan.h5", "--engine", "host", "--centre",
                    "95", "-o", stored, "--overwrite", *options], check=True,
                   cwd=folder.parent, stdout=subprocess.DEVNULL)
    want = tifffile.imread(stored)
    if stored.read_bytes() != tiff.stdout:
        return "not the bytes of the file"
    for name, got in (("tiff", tifffile.imread(io.BytesIO(tiff.stdout))),
                      ("npy", np.load(io.BytesIO(npy.stdout),
                                      allow_pickle=False))):
        if got.dtype != np.float32 or got.shape != shape:
            return f"{name}: {got.dtype} {got.shape}"
        if not np.array_equal(got, want):
            return f"{name}: other pixels"
    data = npy.stdout.index(b"\n") + 1
    if data % 64 or len(npy.stdout) != data + want.nbytes:
        return f"npy: {data} of {len(npy.stdout)} bytes"
    return None


def check_slice(program, folder):
    return check_formats(program, folder, ["--slice", "3"], (SIZE, SIZE))


def check_plane(program, folder):
    return check_formats(program, folder, ["--plane", "xz:7"], (ROWS, SIZE))


def check_timing(program, folder):
    import numpy as np
    done = run(program, folder, ["--timing", "--format", "npy"])
    if b"peak memory" not in done.stderr:
        return f"{done.stderr}"
    shape = np.load(io.BytesIO(done.stdout)).shape
    return None if shape == (SIZE, SIZE) else f"{shape}"


def check_terminal(program, folder):
    outer, inner = pty.openpty()
    done = run(program, folder, [], stdout=inner)
    os.close(inner)
    os.close(outer)
    return check_refused(done.returncode, done.stderr, "is a terminal")


def check_none(program, folder):
    done = run(program, folder, [], stdout=None,
               preexec_fn=lambda: os.close(1))
    return check_refused(done.returncode, done.stderr, "is closed")


def check_full(program, folder):
    with open("/dev/full", "wb") as full:
        done = run(program, folder, [], stdout=full)
    return check_refused(done.returncode, done.stderr, "No space left")


def check_closed(program, folder):
    with start(program, folder) as child:
        if child.stdout.read(4) != b"II*\0":
            return "no TIFF"
        child.stdout.close()
        err = child.stderr.read()
    return check_refused(child.returncode, err, "ended before it had the whole")


def check_interrupted(program, folder):
    with start(program, folder) as child:
        child.stdout.read(4)
        child.send_signal(signal.SIGINT) # while nobody reads
        status = child.wait(20)
        err = child.stderr.read()
    return check_refused(status, err, "was interrupted")


CHECKS = [check_slice, check_plane, check_timing, check_terminal, check_none,
          check_full, check_closed, check_interrupted]


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    print(f"1..{len(CHECKS)}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([program, "phantom", folder / "scan.h5", "--size",
                        str(SIZE), "--projections", "64", "--rows", str(ROWS)],
                       check=True, stdout=subprocess.DEVNULL)
        work = folder / "work"
        work.mkdir()
        for number, check in enumerate(CHECKS, 1):
            print_result(number, check.__name__[6:], check(program, work))


if __name__ == "__main__":
    main()
