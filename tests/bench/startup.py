#!/usr/bin/env python3
"""Measures how long the window takes to start.

    tests/support/with-display --screen 1024x900 \\
      tests/bench/startup.py build/ui/tomolens build/app/tomolens-cli

To the empty window, and to the first picture of a scan of 2048 x 2048 pixels
and 720 projections, which is in the page cache: the median, the fastest and
the slowest of 15 starts each. The first start is told apart: Mesa compiles the
shaders then, and keeps them. The load is that of the machine.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

N_STARTS = 15
ROWS = 16  # of a scan as large as that one a slice is made of few rows


def start(window, *scan):
    """Returns: the seconds to what is printed last"""
    said = subprocess.run([window, "--startup-times", *scan], check=True,
                          capture_output=True, encoding="utf-8").stdout
    return float(re.findall(r"([\d.]+) s", said)[-1])


def measure(name, window, *scan):
    cold, *times = (start(window, *scan) for _ in range(N_STARTS + 1))
    print(f"{name}: {statistics.median(times):.2f} s"
          f" ({min(times):.2f} … {max(times):.2f}), first {cold:.2f} s,"
          f" load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors",
          flush=True)


def main():
    window, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        scan = Path(folder) / "scan.h5"
        subprocess.run([program, "phantom", scan, "--size", "2048",
                        "--projections", "720", "--rows", str(ROWS)],
                       check=True, capture_output=True)
        measure("empty window", window)
        measure("first picture", window, scan)


if __name__ == "__main__":
    main()
