"""What the tests of streams share: whether there is a library for them, and
free ports."""

import itertools
import json
import os
import socket
import subprocess

from cases import Skip, same

# Below those that the system gives to connections of other tests.
ports = itertools.cycle(range(10000, 30000))
for _ in range(os.getpid() * 61 % 20000):
    next(ports)


def find_missing(program):
    """Returns: the package without which the program was built, or None"""
    said = subprocess.run([program, "info", "--machine", "--json"], check=True,
                          capture_output=True).stdout
    stream, = json.loads(said)["streams"]
    same(stream["usable"], "missing" not in stream or not stream["missing"])
    return stream.get("missing")


def need_network(program):
    missing = find_missing(program)
    if missing:
        raise Skip(f"the program was built without {missing}")


def find_port():
    """Returns: a port that nobody has bound"""
    for port in ports:
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return port
            except OSError:
                pass
