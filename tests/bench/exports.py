#!/usr/bin/env python3
"""Measures exports beside their stages alone, and prints the table of README.md.

exports.py BUILD FOLDER [--size N] [--repeat N] [--engine NAME]
           [--methods NAME...] [--devices] [--disk FOLDER]

BUILD has the programs. FOLDER gets the scans, up to 20 bytes for each of N^3
voxels, and the volumes; with memory behind it (/dev/shm), storage does not limit.
It is written once before, because a virtual machine gets its memory slowly the
first time. --devices: besides, exports by one GPU and by two in turns, with their
slices compared byte by byte. --disk FOLDER: exports to that disk in turns with 8
writers of dd. Needs h5py.
"""

import argparse
import filecmp
import json
import os
import shutil
import statistics
import subprocess
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py

# Of the blocks of an export by the Fourier method, and if a device inflates.
BLOCK_ROWS, INFLATED_ROWS = 16, 8


def call(*words):
    """Returns what the command prints, which is JSON."""
    done = subprocess.run([str(word) for word in words], text=True, check=False,
                          capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{words}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout.startswith("{") else {}


def touch(folder, n_bytes):
    path = folder / "touched"
    block = bytes(1 << 26)
    with path.open("wb") as file:
        for _ in range(n_bytes // len(block)):
            file.write(block)
    path.unlink()


def write_gzip(plain, path):
    """Writes the scan @plain again with a gzip chunk for each projection."""
    with h5py.File(plain) as scan, h5py.File(path, "w") as out:
        for name in scan["exchange"]:
            if name != "data":
                scan.copy(f"exchange/{name}", out.require_group("exchange"))
        frames = scan["exchange/data"]
        chunk = (1,) + frames.shape[1:]
        made = out.create_dataset("exchange/data", frames.shape, frames.dtype,
                                  chunks=chunk, compression="gzip",
                                  compression_opts=4)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            step = 4 * os.cpu_count()
            for first in range(0, len(frames), step):
                images = frames[first:first + step]
                for k, packed in enumerate(pool.map(
                        lambda image: zlib.compress(image.tobytes(), 4),
                        images)):
                    made.id.write_direct_chunk((first + k, 0, 0), packed)


class Bench:
    def __init__(self, words):
        found = {path.name: path for path in words.build.rglob("*")
                 if path.name in ("tomolens-cli", "bench-export")
                 and path.is_file() and os.access(path, os.X_OK)}
        self.cli = found["tomolens-cli"]
        self.stages = found["bench-export"]
        self.words = words

    def compute(self, n_rows, method):
        size = self.words.size
        answer = call(self.cli, "bench", "--volume", "--json", "--engine",
                      self.words.engine, "--method", method, "--size", size,
                      "--projections", size, "--rows", n_rows)
        return max(run["slices_per_s"] for run in answer["runs"])

    def write(self, scan, volume, *options):
        """Returns the summary of one export; "all_s" is with start and end."""
        volume.parent.mkdir(exist_ok=True)
        began = time.monotonic()
        answer = call(self.cli, "export", scan, "--centre",
                      self.words.size * 0.5194, "--engine", self.words.engine,
                      *options, "-o", volume, "--json")
        answer["all_s"] = time.monotonic() - began
        return answer

    def export(self, scan, volume, *options):
        """As write(), without the volume."""
        answer = self.write(scan, volume, *options)
        shutil.rmtree(volume.parent)
        return answer

    def measure_ends(self, scan, volume, block_rows, *at_once):
        """@at_once: as many threads write while others read. Returns: what
        bench-export says."""
        volume.parent.mkdir()
        answer = call(self.stages, scan, block_rows, volume, self.words.engine,
                      *at_once)
        shutil.rmtree(volume.parent)
        return answer

    def rows(self, label, scan, suffix="", block_rows=BLOCK_ROWS):
        """Prints a line of the table for each method."""
        volume = self.words.folder / "out" / f"volume{suffix}"
        stages = self.measure_ends(scan, volume, block_rows)
        writing = {name.removeprefix("writing_"): rate
                   for name, rate in stages.items()
                   if name.startswith("writing_")}
        both = self.measure_ends(scan, volume, block_rows,
                                 max(writing, key=writing.get))
        for method in self.words.methods:
            exports = [self.export(scan, volume, "--method", method)
                       for _ in range(self.words.repeat)]
            n = exports[0]["slices"]
            alone = {"reading": n / stages["read_s"],
                     "computing": self.compute(min(n, 256), method),
                     "writing": max(writing.values())}
            slowest = min(alone, key=alone.get)
            rates = sorted(n / one["wall_s"] for one in exports)
            share = alone[slowest] / statistics.median(rates)
            listed = ", ".join(f"{rate:.0f}" for rate in rates)
            print(f"| {label} | {method} | {listed} | {exports[0]['limit']} "
                  f"| {slowest} {alone[slowest]:.0f} | {share:.2f} "
                  f"| {n / both['both_s']:.0f} |", flush=True)

    def devices(self, scan):
        """Prints the rates of one GPU and of two, and compares their slices."""
        volume = self.words.folder / "out" / "volume"
        # floats, and integers, which take half the bytes to write
        for sample in ("float32", "uint16"):
            for precision in ("full", "fast"):
                options = ["--precision", precision, "--sample", sample]
                if sample == "uint16":
                    options.append("--range=-0.01:0.05")
                rates = {1: [], 2: []}
                limits = {}
                for _ in range(self.words.repeat):
                    for n in rates:
                        one = self.export(scan, volume, *options, "--devices", n)
                        rates[n].append(one["slices"] / one["wall_s"])
                        limits[n] = one["limit"]
                one, two = (statistics.median(rates[n]) for n in rates)
                print(f"{sample}, {precision}: one GPU {one:.0f} ({limits[1]}), "
                      f"two {two:.0f} ({limits[2]}), {two / one:.2f} times",
                      flush=True)
        folders = [self.words.folder / f"by{n}" / "volume" for n in (1, 2)]
        for n, folder in enumerate(folders, 1):
            self.write(scan, folder, "--slices", "0:127", "--devices", n)
        names = sorted(path.name for path in folders[0].glob("*.tiff"))
        same = sum(filecmp.cmp(folders[0] / name, folders[1] / name, shallow=False)
                   for name in names)
        print(f"by one and by two: {same} of {len(names)} files are the same")
        for folder in folders:
            shutil.rmtree(folder.parent)

    def disk(self, scan):
        """Prints MB/s of dd and of exports to a disk, in turns."""
        folder = self.words.disk
        size = self.words.size
        folder.mkdir(parents=True, exist_ok=True)
        n_slices = size // 2
        n_bytes = n_slices * size * size * 4
        for _ in range(self.words.repeat):
            files = [folder / f"dd{k}" for k in range(8)]
            began = time.monotonic()
            writers = [subprocess.Popen(
                ["dd", f"if={scan}", f"of={file}", "bs=8M", "conv=fsync",
                 "iflag=count_bytes,skip_bytes", f"count={n_bytes // 8}",
                 f"skip={n_bytes // 8 * k}"],
                stderr=subprocess.DEVNULL) for k, file in enumerate(files)]
            for writer in writers:
                writer.wait()
            seconds = time.monotonic() - began
            for file in files:
                file.unlink()
            one = self.export(scan, folder / "out" / "volume", "--slices",
                              f"0:{n_slices - 1}")
            written = one["slices"] * size * size * 4
            print(f"disk: dd {n_bytes / seconds / 1e6:.0f} MB/s, "
                  f"export {written / one['all_s'] / 1e6:.0f} MB/s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--devices", action="store_true")
    parser.add_argument("--disk", type=Path)
    words = parser.parse_args()
    bench = Bench(words)
    words.folder.mkdir(parents=True, exist_ok=True)
    size = words.size
    touch(words.folder, 8 * size ** 3)
    full, few, packed, images = (words.folder / name for name in (
        "full.h5", "few.h5", "gzip.h5", "images"))
    call(bench.cli, "phantom", full, "--size", size)
    print("| scan, volume | method | slices/s | limit | alone | ratio "
          "| reading and writing at once |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    bench.rows(f"HDF5, {size} rows; TIFF folder", full)
    bench.rows("the same; raw samples, one file", full, ".raw")
    if words.devices:
        bench.devices(full)
    if words.disk:
        bench.disk(full)
    call(bench.cli, "play", full, "--to", images, "--rate", 100000)
    bench.rows(f"TIFF folder, {size} rows; TIFF folder", images)
    shutil.rmtree(images)
    full.unlink()
    call(bench.cli, "phantom", few, "--size", size, "--rows", size // 4)
    write_gzip(few, packed)
    bench.rows(f"HDF5, gzip, a chunk for each projection, {size // 4} rows; "
              "TIFF folder", packed, block_rows=INFLATED_ROWS)
    packed.unlink()
    few.unlink()


if __name__ == "__main__":
    main()
