#!/usr/bin/env python3
"""Checks that the manual pages have no mistakes and name every option.

man.py PAGE...

Prints TAP. Skipped where man is a placeholder, as in some container images.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def has_man():
    return shutil.which("man") is not None and re.match(
        r"man \d", subprocess.run(["man", "--version"], capture_output=True,
                                  text=True, check=False).stdout) is not None


def judge(page):
    """Yields the mistakes in the file @page."""
    env = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="200", MANPAGER="cat")
    done = subprocess.run(["man", "--warnings", "--local-file", page],
                          capture_output=True, encoding="utf-8", env=env,
                          check=False)
    if done.returncode != 0 or done.stderr:
        yield done.stderr.strip() or f"exit status {done.returncode}"
    text = re.sub(".\b", "", done.stdout)
    for section in ("NAME", "DESCRIPTION", "SEE ALSO"):
        if not re.search(f"^{section}$", text, re.M):
            yield f"has no section {section}"
    for option in ("--help", "--centre", "--rings", "zmq+json://"):
        if option not in text:
            yield f"does not name {option}"


def main():
    pages = sys.argv[1:]
    print(f"1..{len(pages)}")
    n_failed = 0
    for number, page in enumerate(pages, 1):
        name = f"/shell/man/{Path(page).name}"
        if not has_man():
            print(f"ok {number} {name} # SKIP man is not installed")
            continue
        complaints = list(judge(page))
        for complaint in complaints:
            for line in complaint.splitlines():
                print(f"# {line}")
        n_failed += bool(complaints)
        print(f"{'not ' if complaints else ''}ok {number} {name}")
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
