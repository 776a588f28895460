"""Drives a window from Python, over the session bus. Usage:
script.py WINDOW PROGRAM MODULE NOTEBOOK"""

import ast
import json
import math
import mmap
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

# The library of the leak check is for the programs: Python's gi does not start
# with it.
if "LD_PRELOAD" in os.environ:
    os.environ["TL_PRELOAD"] = os.environ.pop("LD_PRELOAD")
    os.execv(sys.executable, [sys.executable, *sys.argv])
ENVIRONMENT = dict(os.environ)
if "TL_PRELOAD" in ENVIRONMENT:
    ENVIRONMENT["LD_PRELOAD"] = ENVIRONMENT.pop("TL_PRELOAD")

from cases import Skip, need, run, same

WINDOW, PROGRAM, MODULE, NOTEBOOK = (Path(word).resolve()
                                     for word in sys.argv[1:])
COLS, ROWS, CENTRE = 96, 5, 46.25
PATIENCE_S = 30


def load():
    need("gi")
    need("numpy")
    if "DBUS_SESSION_BUS_ADDRESS" not in os.environ:
        raise Skip("dbus-run-session is not installed")
    sys.path.insert(0, str(MODULE.parent))
    return need("tomolens")


def make_scan(folder, name="scan.h5"):
    subprocess.run([PROGRAM, "phantom", folder / name, "--size", str(COLS),
                    "--projections", "80", "--rows", str(ROWS), "--centre",
                    str(CENTRE)], check=True, capture_output=True,
                   env=ENVIRONMENT)
    return folder / name


def connect():
    tomolens = load()
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return tomolens.Window(timeout_s=60)
        except tomolens.Error:
            assert time.monotonic() < end, "no window came"
            time.sleep(0.1)


@contextmanager
def open_window(folder=None):
    """@folder: where the window is started; None: here"""
    load()
    with subprocess.Popen([WINDOW], env=ENVIRONMENT, cwd=folder) as process:
        try:
            yield connect()
        finally:
            process.terminate()


def refused(says, call, *arguments, **named):
    """Asserts that the window refuses @call with a sentence that has @says."""
    try:
        call(*arguments, **named)
    except load().Error as error:
        assert says in str(error), f"{error}"
    else:
        raise AssertionError(f"not refused: {says}")


def reconstruct(folder, picture):
    """Returns: what the command line makes with the recipe of @picture"""
    import tifffile
    recipe = folder / "shown.ini"
    recipe.write_text(picture.recipe, encoding="utf-8")
    subprocess.run([PROGRAM, "recon", recipe, "-o", folder / "cli.tiff",
                    "--overwrite"], check=True, capture_output=True,
                   env=ENVIRONMENT)
    return tifffile.imread(folder / "cli.tiff")


def check_read(folder):
    """The picture is that of its recipe, and the axis has been found."""
    import numpy as np
    need("tifffile")
    with open_window() as window:
        window.open(make_scan(folder))
        picture = window.read()
        same(picture.pixels.shape, (COLS, COLS), "shape")
        same(picture.pixels.dtype, np.dtype(np.float32), "type")
        same((picture.kind, picture.scan), ("slice", str(folder / "scan.h5")))
        assert abs(window.parameters()["centre"] - CENTRE) < 0.2
        assert np.array_equal(picture.pixels, reconstruct(folder, picture))


def check_set(folder):
    """Each picture is that of what was set before it was read."""
    import numpy as np
    need("tifffile")
    with open_window() as window:
        window.open(make_scan(folder))
        for centre in (45.0, 45.5, 46.0, 46.5):
            window.set(centre=centre, filter="hann", cutoff=0.75,
                       zingers=True, slice=3)
            picture = window.read()
            for line in (f"centre={centre:g}", "filter=hann",
                         "cutoff=0.75", "zingers=on", "slice=3"):
                assert line in picture.recipe.splitlines(), picture.recipe
        assert np.array_equal(picture.pixels, reconstruct(folder, picture))
        window.set(centre=np.float32(45.5), slice=np.int64(2))
        same(window.parameters()["centre"], 45.5)
        window.set(centre=46) # a whole number, where the state is none
        same(window.parameters()["centre"], 46.0)


def check_refused(folder):
    """What is refused is said, and nothing is changed."""
    with open_window() as window:
        refused("no scan is open", window.read)
        refused("missing.h5", window.open, folder / "missing.h5")
        (folder / "text.h5").write_text("nothing", encoding="utf-8")
        refused("text.h5", window.open, folder / "text.h5")
        scan = make_scan(folder)
        refused("no-such", window.open, scan, data_path="/no-such")
        window.open(scan)
        before = window.parameters()
        for says, values in (("centre", {"filter": "hann", "centre": 1e308}),
                             ("filter", {"slice": 1, "filter": "shepp"}),
                             ("slice", {"filter": "hann", "slice": 1000}),
                             ("pixel", {"pixel_size": 1e308}),
                             ("slice", {"angles": "0:170", "slice": 1000}),
                             ("slice", {"filter": "hann", "slice": -1}),
                             ("slice", {"filter": "hann", "slice": [1]}),
                             ("colour", {"colour": "red"})):
            refused(says, window.set, **values)
            same(window.parameters(), before, f"after {values}")
        refused("no action", window.activate, "explode")
        refused("no picture", window.show, "hologram")
        same(window.read().kind, "slice")
        window.open(scan.as_uri())
        same(window.read().scan, str(scan))


def check_limits(folder):
    """A limit of the window that no float has is not taken."""
    with open_window() as window:
        window.open(make_scan(folder))
        window.read()
        for name, value in (("window-high", 1e308), ("window-low", -1e308)):
            before = window.parameters()[name]
            window.activate(name, value)
            same(window.parameters()[name], before, name)


ODD = {"b": (True, False),
       "d": (math.nan, math.inf, -math.inf, 1e308, -1e308, 0.0, -0.0),
       "i": (-1, 0, -2**31, 2**31 - 1),
       "u": (0, 2**32 - 1),
       "x": (-2**63, 2**63 - 1),
       "t": (0, 2**64 - 1),
       "s": ("", "no such", "%s%n", "../../x", "1e999", "x" * 100_000)}
# These end the window, or go to the user's desktop.
SPARED = re.compile(r"quit|close|manual|help|about|show-folder|open-uri")


def check_odd_values(folder):
    """Each action and each state gets values that no control has, and some of
    other types. The window lives, and no number is lost."""
    from gi.repository import GLib
    tomolens = load()
    n_sent = n_refused = 0
    scan = make_scan(folder)
    # what is saved as "../../x" stays in the folder of the test
    inside = folder / "odd" / "values" / "here"
    inside.mkdir(parents=True)
    with open_window(inside) as window:
        window.open(scan)
        window.read()
        actions = window._list_actions()
        for name, (_, wanted, states) in sorted(actions.items()):
            if SPARED.search(name):
                continue
            own = wanted or "b"
            for kind, value in ((k, v) for k, values in ODD.items()
                                for v in (values if k == own else values[:1])):
                odd = GLib.Variant(kind, value)
                calls = [("Activate", "(sava{sv})", [odd])] if wanted else []
                calls += [("SetState", "(sva{sv})", odd)] if states else []
                for method, signature, given in calls:
                    n_sent += 1
                    try:
                        window._call("org.gtk.Actions", method, GLib.Variant(
                            signature, (name, given, {})))
                    except tomolens.Error as error:
                        assert "no window" not in str(error), (name, odd)
                        n_refused += 1
        print(f"# {n_sent} values for {len(actions)} actions, {n_refused} of "
              "another type")
        for name, value in window.parameters().items():
            assert not isinstance(value, float) or math.isfinite(value), name
        window.show("slice")
    assert n_sent > len(actions) and n_refused > 0


def check_views(folder):
    with open_window() as window:
        window.open(make_scan(folder))
        window.show("sinogram")
        picture = window.read()
        same((picture.kind, picture.pixels.shape), ("sinogram", (80, COLS)))
        window.show("projection", 7)
        picture = window.read()
        same((picture.kind, picture.pixels.shape), ("projection", (ROWS, COLS)))
        same(window.parameters()["projection"], 7)


def check_busy_views(folder):
    """The volume keeps the engine for itself, so that a slice of other
    parameters is refused; opposite projections are waited for."""
    with open_window() as window:
        window.open(make_scan(folder))
        window.read()
        window.activate("view", "volume")
        same(window.read().kind, "slice")
        window.set(centre=44, slice=3)
        refused("while the volume is shown", window.read)
        window.show("slice")
        recipe = window.read().recipe.splitlines()
        assert "centre=44" in recipe and "slice=3" in recipe, recipe
        window.activate("view", "overlay")
        for centre in (44.5, 45, 45.5):
            window.set(centre=centre)
            picture = window.read()
            same(picture.kind, "overlay")
            assert f"centre={centre:g}" in picture.recipe.splitlines()


def check_sealed(folder):
    """Nobody changes the pixels, not even the window."""
    tomolens = load()
    with open_window() as window:
        window.open(make_scan(folder))
        reply, files = window._call(tomolens.SCRIPT, "ReadPicture", None)
        file = files.get(reply[0])
        for change in (lambda: os.ftruncate(file, 8),
                       lambda: os.pwrite(file, b"12345678", 0),
                       lambda: mmap.mmap(file, 0)):
            try:
                change()
            except PermissionError:
                continue
            yield "the pixels can be changed"
        os.close(file)
        if window.read().pixels.flags.writeable:
            yield "the array can be changed"


def check_closed(folder):
    """A window that goes is an error of the call that waits."""
    tomolens = load()
    said = []

    def work():
        window = tomolens.Window(timeout_s=60)
        centre = 40
        try:
            while True:
                window.set(centre=centre)
                window.read()
                centre += 0.01
        except tomolens.Error as error:
            said.append(str(error))

    with open_window() as window:
        window.open(make_scan(folder))
        worker = threading.Thread(target=work)
        worker.start()
        time.sleep(0.5)
        window.activate("quit")
        worker.join(PATIENCE_S)
    assert said and ("closed" in said[0] or "no window" in said[0]), said


def check_startup(folder):
    """The program says how long it took to its window and to its picture, and
    neither reads nor writes what the user has."""
    load() # not without a bus: it would become the window of that
    homes = {f"XDG_{name}_HOME": str(folder / "home")
             for name in ("CONFIG", "DATA", "STATE")}
    scan = make_scan(folder)
    start = time.monotonic()
    said = subprocess.run([WINDOW, "--startup-times", scan],
                          check=True, capture_output=True, encoding="utf-8",
                          env=ENVIRONMENT | homes | {
                              "GSETTINGS_BACKEND": "keyfile"}).stdout
    whole = time.monotonic() - start
    times = [float(time) for time in re.fullmatch(
        r"window ([\d.]+) s\npicture ([\d.]+) s\n", said).groups()]
    assert 0 < times[0] <= times[1] <= whole + 0.02, f"{times}, {whole}"
    for name in ("settings.ini", "recipes", "scans.ini"):
        assert not (folder / "home" / "tomolens" / name).exists(), name
    recent = folder / "home" / "recently-used.xbel" # GTK makes an empty one
    assert not recent.exists() or scan.name not in recent.read_text()


def check_several(folder):
    """A desktop opens several files at once: a scan with its recipe."""
    load()
    from gi.repository import GLib
    recipe = folder / "hann.tomolens"
    recipe.write_text("[recipe]\nfilter=hann\n", encoding="utf-8")
    with open_window() as window:
        files = [path.as_uri() for path in (recipe, make_scan(folder))]
        window._call("org.freedesktop.Application", "Open",
                     GLib.Variant("(asa{sv})", (files, {})))
        picture = window.read()
        same(picture.scan, str(folder / "scan.h5"))
        assert "filter=hann" in picture.recipe.splitlines(), picture.recipe


def check_notebook(folder):
    """The cells of the example run, one after another."""
    need("matplotlib").use("agg")
    book = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    same((book["nbformat"], len({cell["id"] for cell in book["cells"]})),
         (4, len(book["cells"])))
    os.environ["PATH"] = f"{PROGRAM.parent}:{os.environ['PATH']}"
    os.chdir(folder)
    names = {}
    with open_window():
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                text = "".join(cell["source"])
                with redirect_stdout(sys.stderr):
                    exec(compile(ast.parse(text), cell["id"], "exec"), names)
    sharpest = names["centres"][names["sharpness"].index(
        max(names["sharpness"]))]
    assert abs(sharpest - names["middle"]) <= 0.5, sharpest


if __name__ == "__main__":
    sys.exit(run([(check_read,), (check_set,), (check_refused,),
                  (check_odd_values,), (check_limits,), (check_views,), (check_busy_views,),
                  (check_sealed,), (check_closed,), (check_startup,),
                  (check_several,), (check_notebook,)]))
