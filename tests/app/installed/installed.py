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

ID = "org.tomolens.Tomolens"
OBJECT = "/org/tomolens/Tomolens"


class Skip(Exception):
    """A tool or a part that is not there."""


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], text=True,
                          capture_output=True, check=False,
                          env=dict(os.environ, **environment))
    return done.returncode, done.stdout + done.stderr


def need(tool):
    path = shutil.which(tool)
    if path is None:
        raise Skip(f"{tool} is not installed")
    return path


def need_window(root):
    if not (root / "bin/tomolens").exists():
        raise Skip("built without the window")


def check_module(root):
    """The module is that of the place where the program is now."""
    _, said = run(root / "bin/tomolens-cli", "info", "--machine")
    where = re.search(r"no CUDA module \((.*?)\)", said)
    module = list(root.glob("lib*/**/tomolens-cuda.so"))
    if module:
        if where:
            yield f"{module[0]} is not found: {said}"
    elif not where or not where[1].startswith(f"{root}/"):
        yield f"looks elsewhere than below {root}: {said}"


def check_stray(root):
    """A copy outside a folder of programs loads nothing from beside it."""
    stray = root.parent / "stray"
    stray.mkdir()
    shutil.copy(root / "bin/tomolens-cli", stray)
    _, said = run(stray / "tomolens-cli", "info", "--machine")
    if f"{root.parent}/" in said:
        yield f"looks beside itself: {said}"


def start_window(root, data):
    return subprocess.Popen(
        [root / "bin/tomolens"],
        env=dict(os.environ, LANGUAGE="de", XDG_DATA_DIRS=data))


def wait_for(condition, limit_s=30):
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def check_language(root):
    """gettext maps the catalogue that it uses."""
    need_window(root)
    catalogue = root / "share/locale/de/LC_MESSAGES/tomolens.mo"
    if not catalogue.exists():
        raise Skip("built without translations")
    process = start_window(root, "/usr/share")
    maps = Path(f"/proc/{process.pid}/maps")
    try:
        if not wait_for(lambda: str(catalogue) in maps.read_text("utf-8")):
            yield f"{catalogue} is not used"
    finally:
        process.terminate()
        process.wait()


def call(*words):
    return run("gdbus", "call", "--session", *words)


def check_activation(root):
    """The bus starts the program, which opens its window."""
    need_window(root)
    need("gdbus")
    need("dbus-run-session")
    service = root / f"share/dbus-1/services/{ID}.service"
    text = service.read_text(encoding="utf-8")
    program = re.search("^Exec=(\\S+)", text, re.M)[1]
    if program != f"{PREFIX}/bin/tomolens":
        yield f"starts {program}"
    # its path is absolute, as D-Bus wants it
    service.write_text(text.replace(program, f"{root}/bin/tomolens"),
                       encoding="utf-8")
    code, said = run("dbus-run-session", "--", sys.executable, "-B", __file__,
                     "activate", XDG_DATA_DIRS=f"{root}/share:/usr/share")
    if code != 0:
        yield said


def activate():
    """Inside the bus that knows the service."""
    code, said = call("--dest", ID, "--object-path", OBJECT, "--method",
                      "org.freedesktop.Application.Activate", "{}")
    if code != 0:
        return said
    has_window = wait_for(lambda: call(
        "--dest", ID, "--object-path", f"{OBJECT}/window/1", "--method",
        "org.gtk.Actions.List")[0] == 0)
    call("--dest", ID, "--object-path", OBJECT, "--method",
         "org.gtk.Actions.Activate", "quit", "[]", "{}")
    return None if has_window else "no window came"


def check_desktop_file(root):
    need_window(root)
    path = root / f"share/applications/{ID}.desktop"
    text = path.read_text(encoding="utf-8")
    for line in ("Exec=tomolens %F", "DBusActivatable=true"):
        if line not in text.splitlines():
            yield f"has no {line}"
    if "inode/directory" in text:
        yield "claims all folders"
    _, said = run(need("desktop-file-validate"), path)
    if said:
        yield said


def check_metainfo(root):
    need_window(root)
    path = root / f"share/metainfo/{ID}.metainfo.xml"
    # the network is not asked whether the pictures are there
    code, said = run(need("appstreamcli"), "validate", "--no-net", path)
    if code != 0:
        yield said
    pictures = re.findall(r">https://[^<]*/([^/<]*\.png)<",
                          path.read_text(encoding="utf-8"))
    if not pictures:
        yield "has no pictures"
    for picture in pictures:
        if not Path(SOURCES, "ui/screenshots", picture).exists():
            yield f"there is no ui/screenshots/{picture}"


def check_types(root):
    """A recipe has its own type, and the desktop file takes it."""
    need_window(root)
    code, said = run(need("update-mime-database"), root / "share/mime")
    if code != 0:
        yield said
    globs = (root / "share/mime/globs").read_text(encoding="utf-8")
    if "application/x-tomolens-recipe:*.tomolens" not in globs.splitlines():
        yield "*.tomolens has no type"
    need("update-desktop-database")
    run("update-desktop-database", root / "share/applications")
    cache = (root / "share/applications/mimeinfo.cache") \
        .read_text(encoding="utf-8")
    if f"application/x-tomolens-recipe={ID}.desktop;" not in cache:
        yield "recipes are not opened by the program"


def check_icons(root):
    need_window(root)
    for place in (f"scalable/apps/{ID}.svg", f"symbolic/apps/{ID}-symbolic.svg"):
        if not (root / "share/icons/hicolor" / place).exists():
            yield f"there is no {place}"


def check_pages(root):
    if not (root / "share/man").exists():
        raise Skip("built for another machine, without manual pages")
    programs = [path.name for path in (root / "bin").iterdir()
                if path.name != "tomolens-pva"]
    for name in programs:
        for place in (f"man/man1/{name}.1", f"fish/vendor_completions.d/{name}.fish",
                      f"bash-completion/completions/{name}",
                      f"zsh/site-functions/_{name}"):
            if not (root / "share" / place).exists():
                yield f"there is no share/{place}"


CHECKS = {
    "module": check_module,
    "stray": check_stray,
    "pages": check_pages,
    "icons": check_icons,
    "desktop-file": check_desktop_file,
    "metainfo": check_metainfo,
    "types": check_types,
    "language": check_language,
    "activation": check_activation,
}


def install(folder):
    meson, build = sys.argv[1:3]
    code, said = run(meson, "install", "-C", build, "--no-rebuild", "--quiet",
                     DESTDIR=str(folder / "staged"))
    if code != 0:
        raise OSError(said)
    root = folder / "moved"
    shutil.move(folder / "staged" / PREFIX.lstrip("/"), root)
    return root


def main():
    # the installation, and not the build
    os.environ.pop("TOMOLENS_MODULE_DIR", None)
    n_failed = 0
    print(f"1..{len(CHECKS)}")
    with tempfile.TemporaryDirectory() as folder:
        root = install(Path(folder))
        for number, (name, check) in enumerate(CHECKS.items(), 1):
            complaints, note = [], ""
            try:
                complaints = list(check(root))
            except Skip as reason:
                note = f" # SKIP {reason}"
            for complaint in complaints:
                print("# " + complaint.rstrip().replace("\n", "\n# "))
            n_failed += bool(complaints)
            print(f"{'not ' if complaints else ''}ok {number} "
                  f"/installed/{name}{note}")
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["activate"]:
        sys.exit(activate())
    SOURCES, PREFIX = sys.argv[3:5]
    main()
