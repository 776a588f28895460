"""Fills the disk while volumes are exported to it, and resumes them when there
is room again. Usage: full-disk.py PROGRAM

The disk is a small one in memory, which only a user namespace may mount."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from volumes import FORMATS, compare, make_scan, print_result

MB = 1 << 20
DISK_BYTES = 16 * MB  # a volume has 10.5 MB
BEGUN_BYTES = MB
WATCH_S = 1  # between two looks of the program at the disk


def count_bytes(disk):
    """Returns: how many are taken, and how many are free"""
    room = os.statvfs(disk)
    return ((room.f_blocks - room.f_bfree) * room.f_frsize,
            room.f_bfree * room.f_frsize)


def fill(disk, left):
    """Leaves so many bytes free. Returns: what takes the room"""
    filler = disk / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while count_bytes(disk)[1] > left:
                file.write(b"0" * 4096)
        except OSError:
            pass  # a stopped program may end what it was writing
    return filler


def interrupt(command, disk, left):
    """Fills the disk but for some bytes when an export has begun. Returns: its
    status, its errors, and the filler"""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, encoding="utf-8")
    while count_bytes(disk)[0] < BEGUN_BYTES and child.poll() is None:
        time.sleep(0.001)
    child.send_signal(signal.SIGSTOP)
    filler = fill(disk, left)
    time.sleep(1.1 * WATCH_S)
    child.send_signal(signal.SIGCONT)
    errors = child.communicate()[1]
    return child.returncode, errors, filler


def get_sentence(errors):
    sentences = [line for line in errors.splitlines()
                 if line.startswith("tomolens-cli: ")]
    return sentences[0] if len(sentences) == 1 else ""


def check_copy(command, disk, name):
    """Kills an export, and resumes it on a full disk. Returns: the reason of a
    failure, or None"""
    child = subprocess.Popen([*command, disk / name], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    while count_bytes(disk)[0] < BEGUN_BYTES and child.poll() is None:
        time.sleep(0.001)
    child.kill()
    child.wait()
    filler = fill(disk, 0)
    refused = subprocess.run([*command, disk / name, "--resume"],
                             capture_output=True, encoding="utf-8")
    sentence = get_sentence(refused.stderr)
    filler.unlink()
    if refused.returncode != 1 or f"{disk / name}: its export was killed" not in (
            sentence) or "make room, then resume" not in sentence:
        return f"copy: {refused.returncode} {refused.stderr}"
    resumed = subprocess.run([*command, disk / name, "--resume"],
                             capture_output=True, encoding="utf-8")
    (disk / name).unlink()
    return None if resumed.returncode == 0 else f"copied: {resumed.stderr}"


def check(program, scan, whole, disk, name, options):
    """Returns: the reason of a failure, or None"""
    command = [program, "export", scan, "--engine", "host", "--centre", "60",
               *options, "-o"]
    subprocess.run([*command, whole / name], check=True, capture_output=True)
    # How small the rest will be is known without compression alone.
    is_watched = "--compression" not in options
    reason = None if is_watched else check_copy(command, disk, name)
    if reason is not None:
        return reason
    status, errors, filler = interrupt([*command, disk / name], disk,
                                       MB if is_watched else 0)
    if status != 1 or f"{disk / name}" not in get_sentence(errors) or (
            "disk is full" not in get_sentence(errors)):
        return f"full: {status} {errors}"
    if is_watched and "note: the disk has" not in errors:
        return f"no warning: {errors}"
    if "more than is free" not in get_sentence(errors):
        return f"not how much: {errors}"
    if (disk / name).exists():
        return "full: a part of a volume stands in its place"
    refused = subprocess.run([*command, disk / name, "--resume"],
                             capture_output=True, encoding="utf-8")
    sentence = get_sentence(refused.stderr)
    if refused.returncode != 1 or not ("free" in sentence or "full" in sentence):
        return f"refused: {refused.returncode} {refused.stderr}"
    filler.unlink()
    resumed = subprocess.run([*command, disk / name, "--resume"],
                             capture_output=True, encoding="utf-8")
    if resumed.returncode != 0:
        return f"resumed: {resumed.stderr}"
    return compare(whole, disk, name)


def main():
    program = os.path.realpath(sys.argv[1])
    print(f"1..{len(FORMATS)}")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        scan = make_scan(program, scratch)
        for number, (name, options) in enumerate(FORMATS, 1):
            whole, disk = scratch / f"whole-{number}", scratch / f"disk-{number}"
            whole.mkdir()
            disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}",
                            "none", disk], check=True)
            try:
                reason = check(program, scan, whole, disk, name, options)
            except ImportError as error:
                print(f"ok {number} /full/{name} # SKIP {error}")
                continue
            finally:
                subprocess.run(["umount", "--lazy", disk], check=True)
            print_result(number, f"full/{name}", reason)


def enter():
    """Starts this program again where it may mount a disk."""
    wants = ["unshare", "--map-root-user", "--mount"]
    try:
        subprocess.run([*wants, "mount", "-t", "tmpfs", "none", "/mnt"],
                       check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("1..0 # SKIP no user namespace in which a disk can be mounted")
        return
    os.execvp(wants[0], [*wants, sys.executable, "-B", *sys.argv, "--inside"])


if sys.argv[-1] == "--inside":
    main()
else:
    enter()
