"""What the tests in Python share: cases that may be skipped, printed as TAP."""

import importlib
import inspect
import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path


# What ./check installed for the tests; at the first place, because it has newer
# modules than the system.
if os.environ.get("TL_PYTHON_PACKAGES"):
    sys.path.insert(0, os.environ["TL_PYTHON_PACKAGES"])


class Skip(Exception):
    """The test cannot run here, and why."""


def need(name):
    """Returns: the module of that name."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise Skip(f"no {name}: {missing}") from None


def need_tool(name):
    """Returns: @name, a program that is installed."""
    if shutil.which(name) is None:
        raise Skip(f"{name} is not installed")
    return name


def same(got, want, what=""):
    assert got == want, f"{what}: {got!r}, not {want!r}"


def run(cases):
    """@cases: (function, options…), called with an empty folder and them;
    a generator yields complaints. Returns: whether one failed"""
    print(f"1..{len(cases)}")
    n_failed = 0
    for i, (check, *options) in enumerate(cases, 1):
        name = "/".join([check.__name__[len("check_"):], *map(str, options)])
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = check(Path(folder).resolve(), *options)
                complaints = list(said) if inspect.isgenerator(said) else []
                assert not complaints, "\n".join(complaints)
                print(f"ok {i} /{name}")
            except Skip as why:
                print(f"ok {i} /{name} # SKIP {why}")
            except Exception:  # each failure is one failed test
                n_failed += 1
                print(*("# " + line for line in
                        traceback.format_exc().splitlines()), sep="\n")
                print(f"not ok {i} /{name}")
    return n_failed > 0
