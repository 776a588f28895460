"""The programs are built so that a mistake in them is hard to use: what
tests/README.md says of the build, read from the files. Usage: hardening.py
FILE..."""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from cases import need_tool, run  # noqa: E402


def read(path, *options):
    return subprocess.run([need_tool("readelf"), "-W", *options, path],
                          capture_output=True, encoding="utf-8",
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                          check=True).stdout


def check_file(_, path):
    names = read(path, "--syms")
    head, parts = read(path, "-h"), read(path, "-l")
    if "DYN" not in head:
        yield "its addresses are the same in each run"
    if "GNU_RELRO" not in parts or "NOW" not in read(path, "-d"):
        yield "its tables of functions can be written"
    stack = [s for s in parts.splitlines() if "GNU_STACK" in s]
    if not stack or "E" in stack[0].split()[-2]:
        yield "its stack can be executed"
    if "__stack_chk_fail" not in names:
        yield "its stack is not protected"
    if not re.search(r" __(?!stack)\w+_chk@", names):
        yield "no function is checked for the size of its memory"


if __name__ == "__main__":
    sys.exit(run([(check_file, path) for path in sys.argv[1:]]))
