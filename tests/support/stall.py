"""Runs a command that sees a folder which never answers, as one of a network
drive whose server is gone:

    stall.py COMMAND [ARGUMENT...]

Its path is in TL_STALLED. It is a FUSE file system without any code behind it:
this program mounts it in a mount namespace of its own, so that no other program
meets it, answers the first request, without which it would not be mounted, and
no further one. Where the system does not allow that, a test in TAP says so.

TL_FALLING_SILENT is a file in another folder of this kind. It has the bytes
that the command has written to the file TL_SPOKEN, answers N_READS reads, and
then no further request."""

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

# The reader's own look at the first bytes of an HDF5 file, and the first read
# of the library.
N_READS = 2

# Requests and errors of FUSE: linux/fuse.h.
LOOKUP, FORGET, GETATTR, OPEN, READ, INTERRUPT = 1, 2, 3, 14, 15, 36
RELEASE, BATCH_FORGET = 18, 42
ENOSYS = 38
FILE_NODE, FOPEN_DIRECT_IO, FOR_EVER_S = 2, 1, 1 << 30


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


def read_request(device):
    """struct fuse_in_header. Returns: opcode, unique, node and what follows"""
    request = os.read(device, 1 << 17)
    _, opcode, unique, node = struct.unpack_from("=IIQQ", request)
    return opcode, unique, node, request[40:]


def answer(device, unique, data=b"", error=0):
    """struct fuse_out_header"""
    os.write(device, struct.pack("=IiQ", 16 + len(data), -error, unique) + data)


def answer_first(device):
    """FUSE_INIT: struct fuse_init_out, version 7.31. Without
    FUSE_PARALLEL_DIROPS the second program would wait for a lock of the first,
    and could not even be killed."""
    parallel_dirops = 1 << 18
    unique = read_request(device)[1]
    answer(device, unique, struct.pack(
        "=IIIIHHIIHHI7I", 7, 31, 0, parallel_dirops, 12, 9, 1 << 16, 1, 16, 0,
        *[0] * 8))


def describe(path):
    """struct fuse_attr"""
    size = os.path.getsize(path)
    return struct.pack("=6Q10I", FILE_NODE, size, size // 512 + 1, 0, 0, 0, 0, 0,
                       0, 0o100444, 1, os.getuid(), os.getgid(), 0, 4096, 0)


def answer_file(device, path):
    """Without the cache of the kernel, each read is a request. What is not read
    from the device can be killed, unlike what is read and not answered."""
    answer_first(device)
    n_reads = 0
    while n_reads < N_READS:
        try:
            opcode, unique, node, rest = read_request(device)
        except OSError:  # the command has ended, and has not opened the file
            return
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
            continue
        if opcode == LOOKUP:
            answer(device, unique, struct.pack(
                "=4Q2I", FILE_NODE, 0, FOR_EVER_S, FOR_EVER_S, 0, 0)
                + describe(path))
        elif opcode == GETATTR and node == FILE_NODE:
            answer(device, unique,
                   struct.pack("=Q2I", FOR_EVER_S, 0, 0) + describe(path))
        elif opcode == OPEN:
            answer(device, unique, struct.pack("=Q2I", 0, FOPEN_DIRECT_IO, 0))
        elif opcode == READ:
            _, offset, size = struct.unpack_from("=QQI", rest)
            with open(path, "rb") as file:
                file.seek(offset)
                answer(device, unique, file.read(size))
            n_reads += 1
        elif opcode == RELEASE:
            answer(device, unique)
        else:
            # FLUSH, too: then the system sends no second one, for whose answer
            # it would wait when the process ends
            answer(device, unique, error=ENOSYS)


def mount(folder, serve, *args):
    """Returns: the device, and the thread that answers"""
    os.mkdir(folder)
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = (f"fd={device},rootmode=40000,user_id={os.getuid()},"
               f"group_id={os.getgid()}")
    server = threading.Thread(target=serve, args=[device, *args], daemon=True)
    check(libc.mount(b"stall", folder.encode(), b"fuse", 0, options.encode()))
    server.start()
    return device, server


def main():
    with tempfile.TemporaryDirectory() as above:
        stalled = os.path.join(above, "stalled")
        silent = os.path.join(above, "silent")
        spoken = os.path.join(above, "spoken.h5")
        try:
            enter_namespace()
            device, server = mount(stalled, answer_first)
            server.join()
            second = mount(silent, answer_file, spoken)[0]
        except OSError as error:
            print(f"1..0 # SKIP no folder that stalls: {error}")
            return 0
        try:
            return subprocess.run(sys.argv[1:], check=False, env={
                **os.environ, "TL_STALLED": stalled, "TL_SPOKEN": spoken,
                "TL_FALLING_SILENT": os.path.join(silent, "scan.h5")
            }).returncode
        finally:
            for folder in stalled, silent:
                libc.umount2(folder.encode(), MNT_DETACH)
            os.close(device)  # ends what still waits
            os.close(second)


if __name__ == "__main__":
    sys.exit(main())
