"""What lies where the CUDA module should be, and is none: the program says in
one sentence why there is no CUDA, and reconstructs on the processor. Usage:
module.py PROGRAM NO_ENTRY OTHER_VERSION NEEDS_LIBRARY (the last three are
libraries of odd-module.c)"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import run, same  # noqa: E402

PROGRAM, NO_ENTRY, OTHER_VERSION, NEEDS_LIBRARY = sys.argv[1:5]
LIMIT_S = 10


def call(folder, *args):
    """Returns: the status and what was said; looks for the module in @folder"""
    # Meson sets where the library is that shall be missing
    unset = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        [PROGRAM, *map(str, args)], capture_output=True, encoding="utf-8",
        timeout=LIMIT_S, env={**unset, "TOMOLENS_MODULE_DIR": str(folder)})
    return done.returncode, done.stderr


def check_odd(folder, kind):
    module = folder / "tomolens-cuda.so"
    files = {"no-entry": NO_ENTRY, "other-version": OTHER_VERSION,
             "without-library": NEEDS_LIBRARY}
    if kind in files:
        shutil.copy(files[kind], module)
    elif kind == "folder":
        module.mkdir()
    elif kind == "fifo":
        os.mkfifo(module)
    elif kind == "empty":
        module.write_bytes(b"")
    elif kind == "cut":
        whole = Path(OTHER_VERSION).read_bytes()
        module.write_bytes(whole[:len(whole) // 3])
    want = {"missing": "no CUDA module", "folder": "no CUDA module",
            "fifo": "no CUDA module", "no-entry": "is not a module",
            "other-version": "another version",
            "cut": "not copied to its end"}.get(kind, "does not load")
    scan, slices = folder / "scan.h5", folder / "slice.tif"
    same(call(folder, "phantom", scan, "--size", 32, "--rows", 2,
              "--projections", 20)[0], 0)
    recon = "recon", scan, "-o", slices, "--centre", 15.5, "--engine"
    status, said = call(folder, *recon, "cuda")
    same(status, 1, said)
    same(len(said.splitlines()), 1, said)
    assert want in said, said
    assert not slices.exists()
    status, said = call(folder, *recon, "auto")
    same(status, 0, said)
    assert slices.stat().st_size > 32 * 32 * 4


CASES = [(check_odd, kind) for kind in
         ("missing", "empty", "cut", "folder", "fifo", "no-entry", "other-version",
          "without-library")]

if __name__ == "__main__":
    sys.exit(run(CASES))
