#!/usr/bin/env python3
"""Installs the programs, moves them, and looks whether they find what is theirs
and whether a desktop would accept it.

installed.py MESON BUILD SOURCES PREFIX

Prints TAP. Needs a display and a session bus for the window; a tool that is
not installed is a skip.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from cases import Skip, need_tool, run

ID = "org.tomolens.Tomolens"
OBJECT = "/org/tomolens/Tomolens"


def call(*command, **environment):
    done = subprocess.run([str(word) for word in command], text=True,
                          capture_output=True, check=False,
                          env=dict(os.environ, **environment))
    return done.returncode, done.stdout + done.stderr


def need_window():
    if not (ROOT / "bin/tomolens").exists():
        raise Skip("built without the window")


def check_module(folder):
    """The module is that of the place where the program is now."""
    _, said = call(ROOT / "bin/tomolens-cli", "info", "--machine")
    where = re.search(r"no CUDA module \((.*?)\)", said)
    module = list(ROOT.glob("lib*/**/tomolens-cuda.so"))
    if module:
        if where:
            yield f"{module[0]} is not found: {said}"
    elif not where or not where[1].startswith(f"{ROOT}/"):
        yield f"looks elsewhere than below {ROOT}: {said}"


def check_stray(folder):
    """A copy outside a folder of programs loads nothing from beside it."""
    shutil.copy(ROOT / "bin/tomolens-cli", folder)
    _, said = call(folder / "tomolens-cli", "info", "--machine")
    if f"{folder}/" in said:
        yield f"looks beside itself: {said}"


def start_window():
    return subprocess.Popen(
        [ROOT / "bin/tomolens"],
        env=dict(os.environ, LANGUAGE="de"))


def wait_for(condition, limit_s=30):
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def check_used(path):
    """The window maps the file, as GLib does."""
    process = start_window()
    maps = Path(f"/proc/{process.pid}/maps")
    try:
        if not wait_for(lambda: str(path) in maps.read_text("utf-8")):
            yield f"{path} is not used"
    finally:
        process.terminate()
        process.wait()


def check_language(folder):
    need_window()
    catalogue = ROOT / "share/locale/de/LC_MESSAGES/tomolens.mo"
    if not catalogue.exists():
        raise Skip("built without translations")
    yield from check_used(catalogue)


def check_settings(folder):
    need_window()
    yield from check_used(ROOT / "share/tomolens/gschemas.compiled")


def call_bus(*words):
    return call("gdbus", "call", "--session", *words)


def check_activation(folder):
    """The bus starts the program, which opens its window."""
    need_window()
    need_tool("gdbus")
    need_tool("dbus-run-session")
    service = ROOT / f"share/dbus-1/services/{ID}.service"
    text = service.read_text(encoding="utf-8")
    program = re.search("^Exec=(\\S+)", text, re.M)[1]
    if program != f"{PREFIX}/bin/tomolens":
        yield f"starts {program}"
    # its path is absolute, as D-Bus wants it
    service.write_text(text.replace(program, f"{ROOT}/bin/tomolens"),
                       encoding="utf-8")
    code, said = call("dbus-run-session", "--", sys.executable, "-B", __file__,
                     "activate", XDG_DATA_DIRS=f"{ROOT}/share:/usr/share")
    if code != 0:
        yield said


def activate():
    """Inside the bus that knows the service."""
    code, said = call_bus("--dest", ID, "--object-path", OBJECT, "--method",
                      "org.freedesktop.Application.Activate", "{}")
    if code != 0:
        return said
    has_window = wait_for(lambda: call_bus(
        "--dest", ID, "--object-path", f"{OBJECT}/window/1", "--method",
        "org.gtk.Actions.List")[0] == 0)
    call_bus("--dest", ID, "--object-path", OBJECT, "--method",
         "org.gtk.Actions.Activate", "quit", "[]", "{}")
    return None if has_window else "no window came"


def check_desktop_file(folder):
    need_window()
    path = ROOT / f"share/applications/{ID}.desktop"
    text = path.read_text(encoding="utf-8")
    for line in ("Exec=tomolens %F", "DBusActivatable=true"):
        if line not in text.splitlines():
            yield f"has no {line}"
    if "inode/directory" in text:
        yield "claims all folders"
    _, said = call(need_tool("desktop-file-validate"), path)
    if said:
        yield said


def check_metainfo(folder):
    need_window()
    path = ROOT / f"share/metainfo/{ID}.metainfo.xml"
    # the network is not asked whether the pictures are there
    code, said = call(need_tool("appstreamcli"), "validate", "--no-net", path)
    if code != 0:
        yield said
    pictures = re.findall(r">https://[^<]*/([^/<]*\.png)<",
                          path.read_text(encoding="utf-8"))
    if not pictures:
        yield "has no pictures"
    for picture in pictures:
        if not Path(SOURCES, "ui/screenshots", picture).exists():
            yield f"there is no ui/screenshots/{picture}"


def check_types(folder):
    """A recipe has its own type, and the desktop file takes it."""
    need_window()
    code, said = call(need_tool("update-mime-database"), ROOT / "share/mime")
    if code != 0:
        yield said
    globs = (ROOT / "share/mime/globs").read_text(encoding="utf-8")
    if "application/x-tomolens-recipe:*.tomolens" not in globs.splitlines():
        yield "*.tomolens has no type"
    need_tool("update-desktop-database")
    call("update-desktop-database", ROOT / "share/applications")
    cache = (ROOT / "share/applications/mimeinfo.cache") \
        .read_text(encoding="utf-8")
    if f"application/x-tomolens-recipe={ID}.desktop;" not in cache:
        yield "recipes are not opened by the program"


def check_icons(folder):
    need_window()
    for place in (f"scalable/apps/{ID}.svg", f"symbolic/apps/{ID}-symbolic.svg"):
        if not (ROOT / "share/icons/hicolor" / place).exists():
            yield f"there is no {place}"


def check_thumbnailer(folder):
    """What a file manager calls makes a picture."""
    text = (ROOT / "share/thumbnailers/tomolens.thumbnailer") \
        .read_text(encoding="utf-8")
    words = re.search("^Exec=(.*)", text, re.M)[1].split()
    call(ROOT / "bin/tomolens-cli", "phantom", folder / "s.h5", "--size", "32")
    (folder / "t.png").touch()
    values = {"%i": folder / "s.h5", "%o": folder / "t.png", "%s": 16}
    code, said = call(ROOT / "bin" / words[0],
                      *(values.get(word, word) for word in words[1:]))
    if code != 0 or not (folder / "t.png").read_bytes().startswith(b"\x89PNG"):
        yield said


def check_client(folder):
    """Python finds the module for scripts, and the example is there."""
    need_window()
    found = list(ROOT.glob("lib*/**/tomolens.py"))
    if len(found) != 1 or found[0].parent.name not in ("site-packages",
                                                       "dist-packages"):
        yield f"the module is at {found}"
    if not (ROOT / "share/doc/tomolens/examples/tomolens.ipynb").exists():
        yield "there is no example"


def check_pages(folder):
    if not (ROOT / "share/man").exists():
        raise Skip("built for another machine, without manual pages")
    programs = [path.name for path in (ROOT / "bin").iterdir()
                if path.name != "tomolens-pva"]
    for name in programs:
        for place in (f"man/man1/{name}.1", f"fish/vendor_completions.d/{name}.fish",
                      f"bash-completion/completions/{name}",
                      f"zsh/site-functions/_{name}"):
            if not (ROOT / "share" / place).exists():
                yield f"there is no share/{place}"


def install():
    meson, build = sys.argv[1:3]
    staged = ROOT.parent / "staged"
    code, said = call(meson, "install", "-C", build, "--no-rebuild", "--quiet",
                      DESTDIR=str(staged))
    if code != 0:
        raise OSError(said)
    shutil.move(staged / PREFIX.lstrip("/"), ROOT)


def main():
    # the installation, and not the build
    os.environ.pop("TOMOLENS_MODULE_DIR", None)
    with TEMPORARY:
        install()
        return run([(check_module,), (check_stray,), (check_pages,),
                    (check_client,), (check_thumbnailer,),
                    (check_icons,), (check_desktop_file,), (check_metainfo,),
                    (check_types,), (check_language,), (check_settings,),
                    (check_activation,)])


if __name__ == "__main__":
    if sys.argv[1:] == ["activate"]:
        sys.exit(activate())
    SOURCES, PREFIX = sys.argv[3:5]
    # where the installation is moved to
    TEMPORARY = tempfile.TemporaryDirectory()
    ROOT = Path(TEMPORARY.name).resolve() / "moved"
    sys.exit(main())
