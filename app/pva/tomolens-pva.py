#!/usr/bin/env python3
"""Sends the images of an EPICS detector to Tomolens.

    tomolens-pva 13SIM1:Pva1:Image --to zmq+json://127.0.0.1:9610
    tomolens zmq+json://127.0.0.1:9610

Subscribes by PV Access to an NTNDArray, as areaDetector's plugin NDPva offers
it, and sends each array over ZeroMQ in the dialect of PSI's std_daq: a JSON
object, then the pixels. What an array shows and at which angle are two of its
attributes. An array without the first one is a projection.

std_daq counts the frames of each kind from 0. That number follows uniqueId: an
id that is missing is a frame that is missing, and an id that came before is the
first one of another scan. Two members are added to those of std_daq:
acquisition_id, which differs between scans, and image_attributes.angle_deg.

Needs Python 3.9, p4p, pyzmq and NumPy: python3 -m pip install p4p pyzmq numpy
"""

import argparse
import collections
import fnmatch
import json
import queue
import signal
import sys
import threading
import time

try:
    import numpy as np
    import zmq
    from p4p.client.thread import Context, Disconnected
    MISSING = None
except ImportError as missing:  # --help goes without
    MISSING = missing

# As the program looks for them in areaDetector's files. The first name that
# matches counts.
KIND_NAMES = "image_key", "ImageKey", "HDF5FrameLocation", "SaveDest"
ANGLE_NAMES = ("rotation_angle", "RotationAngle", "theta", "Theta", "angle",
               "Angle", "SampleTheta", "SampleOmega", "SampleRot*")

# NXtomo's image_key, and places in Data Exchange or words of tomoscan.
DARK, FLAT, PROJECTION = range(3)  # scan_index of std_daq
KINDS = {"0": PROJECTION, "1": FLAT, "2": DARK,
         "data": PROJECTION, "data_white": FLAT, "data_dark": DARK,
         "projection": PROJECTION, "flatfield": FLAT, "darkfield": DARK}

TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32",
         "float64")

# Arrays between the threads of p4p and the one that sends. Where it is full,
# PV Access loses arrays, which are counted.
QUEUE_LENGTH = 4

# How long a wait lasts, at most, before Ctrl+C is looked at.
WAIT_S = 0.2


class Refused(Exception):
    """The array cannot be sent, and why."""


def find_attribute(attributes, names):
    """@names may have *. Returns: a value, or None"""
    for name in names:
        for found in sorted(fnmatch.filter(attributes, name)):
            return attributes[found]
    return None


def read_attributes(value):
    """Returns: a dictionary"""
    found = {}
    for attribute in value.attribute:
        inner = attribute.value
        # A record as a value: its own value counts.
        found[attribute.name] = getattr(inner, "value", inner)
    return found


def read_kind(attributes, names):
    found = find_attribute(attributes, names)
    if found is None:
        return PROJECTION
    if isinstance(found, float):
        found = int(found)
    kind = KINDS.get(str(found).strip().rsplit("/", 1)[-1].lower())
    if kind is None:
        raise Refused(f"an array is neither a projection nor a flat nor a dark "
                      f"field, but \"{found}\"")
    return kind


def read_angle(attributes, names):
    """Returns: degrees, or None"""
    found = find_attribute(attributes, names)
    try:
        angle = float(found)
    except (TypeError, ValueError):
        return None
    return angle if np.isfinite(angle) else None


def read_pixels(value):
    """Returns: [rows][columns], little-endian"""
    if value.codec.name:
        raise Refused(f"the arrays are compressed with {value.codec.name}; take "
                      "the PV of a plugin that does not compress them")
    sizes = [dimension.size for dimension in value.dimension]
    if len(sizes) != 2:
        raise Refused(f"an array has {len(sizes)} dimensions, and a grey image "
                      "has two")
    pixels = np.asarray([] if value.value is None else value.value)
    if pixels.dtype.name not in TYPES:
        raise Refused(f"the pixels have the type {pixels.dtype.name}, which is "
                      f"none of {', '.join(TYPES)}")
    if pixels.size == 0 or pixels.size != sizes[0] * sizes[1]:
        raise Refused(f"an array of {sizes[1]} x {sizes[0]} pixels has "
                      f"{pixels.size}")
    little = pixels.dtype.newbyteorder("<")
    return pixels.astype(little, copy=False).reshape(sizes[::-1])


class Scan:
    """The ids of one scan, and the numbers that they become."""

    def __init__(self, serial):
        self.name = f"{time.time():.3f}/{serial}"
        self.serial = serial
        self.ids = set()
        self.kind = None
        self.offsets = {}  # kind -> its number less the id
        self.ends = collections.Counter()  # kind -> its next number
        self.n_sent = collections.Counter()
        self.n_refused = 0
        self.n_without_receiver = 0

    def count_passed(self):
        """Returns: the ids from the first to the last one"""
        return max(self.ids) - min(self.ids) + 1 if self.ids else 0

    def begins_again(self, unique_id):
        """Returns: whether the id is that of another scan. One between two
        others is late."""
        return bool(self.ids) and (unique_id in self.ids
                                   or unique_id < min(self.ids))

    def number(self, kind, unique_id):
        """Returns: the number within the kind. The first frame of a series has
        the number after the last one of that kind."""
        if kind != self.kind:
            self.kind = kind
            self.offsets[kind] = self.ends[kind] - unique_id
        number = max(self.offsets[kind] + unique_id, 0)
        self.ends[kind] = max(self.ends[kind], number + 1)
        return number

    def describe(self):
        n_lost = self.count_passed() - len(self.ids)
        sent = [f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in (
            (self.n_sent[PROJECTION], "projection"), (self.n_sent[FLAT], "flat"),
            (self.n_sent[DARK], "dark"))]
        return (f"scan {self.serial}: {sent[0]}, {sent[1]} and {sent[2]} sent; "
                f"lost on the way here: {n_lost}, refused: {self.n_refused}, "
                f"without a receiver: {self.n_without_receiver}")


class Sender:
    def __init__(self, options):
        self.options = options
        self.said = set()
        self.is_followed = False
        self.last_id = None
        self.scan = Scan(1)
        self.context = zmq.Context()
        self.socket = self.context.socket(
            zmq.PUB if options.publish else zmq.PUSH)
        self.socket.sndhwm = options.queue
        self.socket.linger = 1000
        address = options.to.split("://", 1)[1]
        try:
            self.socket.bind(f"tcp://{address}")
        except zmq.ZMQError as why:
            sys.exit(f"tomolens-pva: {options.to} cannot be used: {why}")

    def say(self, text):
        print(f"{self.options.pv}: {text}", file=sys.stderr, flush=True)

    def say_once(self, text):
        if text not in self.said:
            self.said.add(text)
            self.say(text)

    def wait(self, has_ended):
        """Waits for the first receiver, unless there may be several."""
        if self.options.publish or self.socket.poll(0, zmq.POLLOUT):
            return
        self.say("a receiver is waited for")
        while not has_ended.is_set():
            if self.socket.poll(WAIT_S * 1000, zmq.POLLOUT):
                return

    def send(self, said, pixels=None):
        """Returns: whether there is a receiver"""
        parts = [json.dumps(said).encode()]
        if pixels is not None:
            parts.append(pixels)
        try:
            self.socket.send_multipart(parts, zmq.NOBLOCK, copy=False)
            return True
        except zmq.Again:
            return False

    def begin_scan(self):
        self.say(self.scan.describe())
        self.scan = Scan(self.scan.serial + 1)

    def send_frame(self, scan, value, unique_id):
        pixels = read_pixels(value)
        attributes = read_attributes(value)
        kind = read_kind(attributes, self.options.kind_names)
        angle = read_angle(attributes, self.options.angle_names)
        said = {"frame": scan.number(kind, unique_id), "shape": pixels.shape,
                "type": pixels.dtype.name, "acquisition_id": scan.name,
                "image_attributes": {"scan_index": kind}}
        if angle is not None:
            said["image_attributes"]["angle_deg"] = angle
        elif kind == PROJECTION:
            self.say_once("the projections have no angle: none of the "
                          "attributes is a number named "
                          + ", ".join(self.options.angle_names))
        if self.send(said, pixels):
            scan.n_sent[kind] += 1
        else:
            scan.n_without_receiver += 1
            self.say_once("no receiver takes the arrays fast enough, or there "
                          "is none: they are left out and counted")

    def take(self, value):
        """@value: an NTNDArray, or an exception that says why there is none"""
        if isinstance(value, Disconnected):
            self.say("is not there; it is waited for")
        elif isinstance(value, Exception):
            self.say(f"cannot be followed: {value}")
        elif not self.is_followed:
            # What is there at first may be there since yesterday.
            self.is_followed = True
            self.last_id = value.uniqueId if value.dimension else None
            self.say("is followed, from the next array on")
        elif value.dimension and value.uniqueId != self.last_id:
            self.last_id = value.uniqueId
            self.take_new(value, value.uniqueId)

    def take_new(self, value, unique_id):
        n_expected = self.options.expect
        if self.scan.begins_again(unique_id) or (
                n_expected and self.scan.ids
                and unique_id >= min(self.scan.ids) + n_expected):
            self.begin_scan()
        scan = self.scan
        scan.ids.add(unique_id)
        try:
            self.send_frame(scan, value, unique_id)
        except Refused as why:
            scan.n_refused += 1
            self.say_once(f"{why}; it is left out")
        if n_expected and scan.count_passed() == n_expected:
            self.send({"end": True})

    def close(self):
        self.say(self.scan.describe())
        self.socket.close()
        self.context.term()


def receive(sender, options, has_ended):
    arrays = queue.Queue(QUEUE_LENGTH)

    def put(value):
        while not has_ended.is_set():
            try:
                return arrays.put(value, timeout=WAIT_S)
            except queue.Full:
                pass

    with Context("pva", nt=False) as context, context.monitor(
            options.pv, put, f"field()record[queueSize={options.queue}]",
            notify_disconnect=True):
        while not has_ended.is_set():
            try:
                sender.take(arrays.get(timeout=WAIT_S))
            except queue.Empty:
                pass


def follow(options):
    """Until Ctrl+C."""
    has_ended = threading.Event()
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda *_: has_ended.set())
    sender = Sender(options)
    sender.wait(has_ended)
    receive(sender, options, has_ended)
    sender.close()


def parse():
    parser = argparse.ArgumentParser(
        prog="tomolens-pva", description="Sends the images of an EPICS detector "
        "to Tomolens, which follows the scan by the address after --to.",
        epilog="Ctrl+C ends it.")
    parser.add_argument("pv", metavar="PV", help="of an NTNDArray, such as "
                        "13SIM1:Pva1:Image")
    parser.add_argument("--to", required=True, metavar="zmq+json://HOST:PORT",
                        help="bind this address, and no other; * stands for all "
                        "addresses of this machine")
    parser.add_argument("--publish", action="store_true",
                        help="for any number of receivers, which open "
                        "zmq+json+sub://HOST:PORT")
    parser.add_argument("--expect", type=int, metavar="N",
                        help="so many arrays, darks and flats included, are a "
                        "scan: its end is told, and the next array begins "
                        "another one (a scan begins when uniqueId begins again)")
    parser.add_argument("--angle-name", metavar="NAME", help="the attribute "
                        f"with the angle in degrees ({', '.join(ANGLE_NAMES)})")
    parser.add_argument("--kind-name", metavar="NAME", help="the attribute that "
                        "says what an array shows: 0, data or Projection; 1, "
                        "data_white or FlatField; 2, data_dark or DarkField "
                        f"({', '.join(KIND_NAMES)})")
    parser.add_argument("--queue", type=int, default=32, metavar="N",
                        help="arrays that may wait on each side (%(default)s)")
    options = parser.parse_args()
    if not options.to.startswith("zmq+json://"):
        parser.error(f"--to takes zmq+json://HOST:PORT, not {options.to}")
    if options.queue < 1 or (options.expect is not None and options.expect < 1):
        parser.error("--queue and --expect take a number of at least 1")
    if MISSING:
        parser.exit(1, f"tomolens-pva: {MISSING}; p4p, pyzmq and NumPy are "
                    "needed, for example by: python3 -m pip install p4p pyzmq "
                    "numpy\n")
    options.kind_names = ([options.kind_name] if options.kind_name
                          else KIND_NAMES)
    options.angle_names = ([options.angle_name] if options.angle_name
                           else ANGLE_NAMES)
    return options


if __name__ == "__main__":
    follow(parse())
