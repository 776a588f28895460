#!/usr/bin/env python3
"""Measures the window over the ways to another machine, and prints a table.

    tests/support/with-display \\
      tests/bench/remote.py build/tests/ui/bench-drag build/app/tomolens-cli [MBIT]

The centre of a scan of 512 columns and 360 projections is dragged: on Xvfb, on
TigerVNC's X server and through x11vnc with a viewer that reads ZRLE as fast as
it can, through ssh to this machine, and in Weston without a screen, where there
is no mouse. With MBIT, viewer and ssh take no more megabits a second than that.
A way whose programs are not installed is left out, and said. sshd adds an entry
to ~/.Xauthority, as it always does.
"""

import contextlib
import getpass
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SCREEN = (1280, 1024)
ZRLE = 16
RENDERERS = ("cairo", "gl")
# what with-display sets and a session of ssh does not have
KEPT = ("GDK_BACKEND", "GIO_USE_VFS", "GSETTINGS_BACKEND", "GSK_RENDERER",
        "GTK_A11Y", "LC_ALL", "LIBGL_ALWAYS_SOFTWARE", "NO_AT_BRIDGE",
        "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "DBUS_SESSION_BUS_ADDRESS")


class Link:
    """What passes is counted, and held up where the link is slow."""

    def __init__(self, mbit):
        self.bytes_per_s = mbit * 125e3  # 0: as fast as it can
        self.passed = []  # (when, bytes)
        self.free_at = time.monotonic()

    def take(self, n_bytes):
        now = time.monotonic()
        self.passed.append((now, n_bytes))
        if self.bytes_per_s == 0:
            return
        self.free_at = max(self.free_at, now) + n_bytes / self.bytes_per_s
        time.sleep(max(0, self.free_at - now))


class Viewer:
    """A viewer of RFB (RFC 6143) that asks for all and shows nothing."""

    def __init__(self, port, link):
        self.link = link
        self.updates = []  # when
        self.socket = connect(port)
        threading.Thread(target=self.run, daemon=True).start()

    def read(self, n_bytes):
        read = b""
        while len(read) < n_bytes:
            part = self.socket.recv(min(n_bytes - len(read), 1 << 14))
            if not part:
                raise EOFError
            self.link.take(len(part))
            read += part
        return read

    def ask(self, is_incremental):
        self.socket.sendall(struct.pack(">BBHHHH", 3, is_incremental, 0, 0,
                                        *SCREEN))

    def shake_hands(self):
        self.read(12)
        self.socket.sendall(b"RFB 003.008\n")
        self.read(self.read(1)[0])
        self.socket.sendall(b"\1")  # no password
        self.read(4)
        self.socket.sendall(b"\1")  # others may look, too
        self.read(20)
        self.read(struct.unpack(">I", self.read(4))[0])
        self.socket.sendall(struct.pack(">BxHi", 2, 1, ZRLE))

    def read_update(self):
        self.updates.append(time.monotonic())
        for _ in range(struct.unpack(">xH", self.read(3))[0]):
            self.read(12)
            self.read(struct.unpack(">I", self.read(4))[0])
        self.ask(1)

    def run(self):
        with contextlib.suppress(EOFError, OSError):
            self.shake_hands()
            self.ask(0)
            while True:
                kind = self.read(1)[0]
                if kind == 0:
                    self.read_update()
                elif kind == 1:  # colours
                    self.read(6 * struct.unpack(">xHH", self.read(5))[1])
                elif kind == 3:  # text for the clipboard
                    self.read(struct.unpack(">xxxI", self.read(7))[0])


def find_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def connect(port):
    for _ in range(200):
        with contextlib.suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port))
        time.sleep(0.05)
    raise SystemExit(f"nothing answers at port {port}")


def serve_proxy(to_port, link):
    """Returns the port of one that passes on to @to_port"""
    door = socket.create_server(("127.0.0.1", 0))

    def pass_on(here, there):
        with contextlib.suppress(OSError):
            while part := here.recv(1 << 14):
                link.take(len(part))
                there.sendall(part)
            there.shutdown(socket.SHUT_WR)

    def run():
        while True:
            here = door.accept()[0]
            there = connect(to_port)
            for ends in ((here, there), (there, here)):
                threading.Thread(target=pass_on, args=ends, daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    return door.getsockname()[1]


@contextlib.contextmanager
def running(*words):
    server = subprocess.Popen([str(word) for word in words],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def drag(command, **environment):
    """Returns what bench-drag says of the drags"""
    done = subprocess.run([str(word) for word in command], text=True, check=True,
                          capture_output=True, env=os.environ | environment)
    said = json.loads(next(line for line in done.stdout.splitlines()
                           if line.startswith("{")))
    return said | {"from": time.monotonic() - said["seconds"]}


def measure_xvfb(command, folder, link):
    return drag(command), None


def measure_tigervnc(command, folder, link):
    port, display = find_port(), f":{os.getpid() % 1000 + 200}"
    with running("Xvnc", display, "-geometry", "{}x{}".format(*SCREEN),
                 "-depth", 24, "-SecurityTypes", "None", "-rfbport", port,
                 "-localhost", "-AlwaysShared"):
        viewer = Viewer(port, link)
        return drag(command, DISPLAY=display), viewer


def measure_x11vnc(command, folder, link):
    port = find_port()
    with running("x11vnc", "-display", os.environ["DISPLAY"], "-rfbport", port,
                 "-localhost", "-nopw", "-forever", "-shared"):
        viewer = Viewer(port, link)
        return drag(command), viewer


def measure_ssh(command, folder, link, *options):
    port = find_port()
    key, keys = folder / "key", folder / "keys"
    if not key.exists():
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key],
                       check=True)
        keys.write_text(key.with_suffix(".pub").read_text(encoding="utf-8"),
                        encoding="utf-8")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    environment = [f"{name}={os.environ[name]}" for name in KEPT
                   if name in os.environ]
    with running(shutil.which("sshd"), "-D", "-f", "/dev/null", "-p", port,
                 "-h", key, "-o", "ListenAddress=127.0.0.1",
                 "-o", f"AuthorizedKeysFile={keys}", "-o", "StrictModes=no",
                 "-o", "PidFile=none", "-o", "X11Forwarding=yes"):
        connect(port).close()
        return drag(["ssh", *options, "-p", serve_proxy(port, link), "-i", key,
                     "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR",
                     "-o", f"UserKnownHostsFile={folder / 'known'}",
                     f"{getpass.getuser()}@127.0.0.1", "env", *environment,
                     *command]), None


def measure_weston(command, folder, link):
    place = Path(os.environ["XDG_RUNTIME_DIR"]) / "bench-remote"
    with running("weston", "--backend=headless-backend.so", "--use-pixman",
                 f"--width={SCREEN[0]}", f"--height={SCREEN[1]}",
                 f"--socket={place.name}", "--idle-time=0"):
        while not place.exists():
            time.sleep(0.05)
        return drag(command, GDK_BACKEND="wayland",
                    WAYLAND_DISPLAY=place.name), None


# name, the program, how
WAYS = (
    ("Xvfb", "Xvfb", measure_xvfb),
    ("TigerVNC", "Xvnc", measure_tigervnc),
    ("x11vnc", "x11vnc", measure_x11vnc),
    ("`ssh -Y`", "sshd", lambda *a: measure_ssh(*a, "-Y")),
    ("`ssh -CY`", "sshd", lambda *a: measure_ssh(*a, "-CY")),
    ("Weston", "weston", measure_weston),
)


def report(name, renderer, link, drags, viewer):
    drawn, per_second = drags["pictures"], drags["per_second"]
    seen = (sum(when > drags["from"] for when in viewer.updates)
            if viewer else drawn)
    n_bytes = sum(n for when, n in link.passed if when > drags["from"])
    passed = f"{n_bytes / seen / 1e6:.2f} MB" if n_bytes > 0 else ""
    print(f"| {name} | {'Cairo' if renderer == 'cairo' else 'OpenGL'}"
          f" | {per_second:.1f} | {drags['median_ms']:.0f} ms"
          f" | {per_second * seen / drawn:.1f} | {passed}"
          f" | {os.getloadavg()[0]:.0f} |", flush=True)


def main():
    bench, program, *mbit = sys.argv[1:]
    print("| display | GTK draws by | pictures/s drawn | median between two"
          " | seen/s | a picture | load |\n|" + " --- |" * 7, flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scan = folder / "scan.h5"
        subprocess.run([program, "phantom", scan, "--size", "512",
                        "--projections", "360", "--rows", "16"],
                       check=True, capture_output=True)
        for way, needed, measure in WAYS:
            if shutil.which(needed) is None:
                print(f"{way}: {needed} is not installed", flush=True)
                continue
            for renderer in RENDERERS:
                os.environ["GSK_RENDERER"] = renderer
                link = Link(float(mbit[0]) if mbit else 0)
                report(way, renderer, link,
                       *measure([Path(bench).resolve(), scan], folder, link))


if __name__ == "__main__":
    main()
