"""Runs a command that sees a folder which never answers, as one of a network
drive whose server is gone:

    stall.py COMMAND [ARGUMENT...]

Its path is in TL_STALLED. It is a FUSE file system without any code behind it:
this program mounts it in a mount namespace of its own, so that no other program
meets it, answers the first request, without which it would not be mounted, and
no further one. Where the system does not allow that, a test in TAP says so."""

import ctypes
import os
import struct
import subprocess
import sys
import tempfile
import threading

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MNT_DETACH = 2
libc = ctypes.CDLL(None, use_errno=True)


def check(status):
    if status != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def enter_namespace():
    """Root within it, and the same user for all files."""
    uid, gid = os.getuid(), os.getgid()
    check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{uid} {uid} 1")
    write("/proc/self/gid_map", f"{gid} {gid} 1")


def answer_first(device):
    """FUSE_INIT: linux/fuse.h, struct fuse_in_header, fuse_out_header and
    fuse_init_out, version 7.31. Without FUSE_PARALLEL_DIROPS the second program
    would wait for a lock of the first, and could not even be killed."""
    parallel_dirops = 1 << 18
    request = os.read(device, 1 << 17)
    unique = struct.unpack_from("=IIQ", request)[2]
    init = struct.pack("=IIIIHHIIHHI7I", 7, 31, 0, parallel_dirops, 12, 9,
                       1 << 16, 1, 16, 0, *[0] * 8)
    os.write(device, struct.pack("=IiQ", 16 + len(init), 0, unique) + init)


def mount(folder):
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = (f"fd={device},rootmode=40000,user_id={os.getuid()},"
               f"group_id={os.getgid()}")
    server = threading.Thread(target=answer_first, args=[device])
    check(libc.mount(b"stall", folder.encode(), b"fuse", 0, options.encode()))
    server.start()
    server.join()
    return device


def main():
    with tempfile.TemporaryDirectory() as above:
        folder = os.path.join(above, "stalled")
        os.mkdir(folder)
        try:
            enter_namespace()
            device = mount(folder)
        except OSError as error:
            print(f"1..0 # SKIP no folder that stalls: {error}")
            return 0
        try:
            return subprocess.run(sys.argv[1:], check=False, env={
                **os.environ, "TL_STALLED": folder}).returncode
        finally:
            libc.umount2(folder.encode(), MNT_DETACH)
            os.close(device)  # ends what still waits


if __name__ == "__main__":
    sys.exit(main())
