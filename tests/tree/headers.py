"""Each header compiles alone and included twice: in C, and in C++ where it
stands beside a kernel source of its name."""

import json
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from sources import Skip

KEPT = ("-I", "-D", "-std=", "-m", "-pthread")


def folder_flags(tree):
    """Source folder -> (compiler, flags) of one C file compiled there."""
    if tree.build is None:
        raise Skip("no build folder was named")
    database = tree.build / "compile_commands.json"
    flags = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        source = (Path(entry["directory"]) / entry["file"]).resolve()
        if source.suffix != ".c" or tree.root.resolve() not in source.parents:
            continue
        folder = source.relative_to(tree.root.resolve()).parent.as_posix()
        words = shlex.split(entry["command"])
        first = next(i for i, w in enumerate(words) if w.startswith("-"))
        kept = [w for w in words[first:] if w.startswith(KEPT)]
        kept += [w for pair in zip(words, words[1:]) for w in pair
                 if pair[0] == "-isystem"]
        # The fullest list: main.c sees GTK, the rest of its folder does not.
        if len(kept) > len(flags.get(folder, (None, []))[1]):
            flags[folder] = (words[:first], kept)
    return flags


def check_in_c(tree, folder):
    """@folder: the first part of the path; its headers only."""
    headers = tree.list(".h", under=folder + "/")
    flags = folder_flags(tree)
    jobs = []
    for header in headers:
        place = PurePosixPath(header).parent.as_posix()
        while place not in flags and "/" in place:
            place = PurePosixPath(place).parent.as_posix()
        if place not in flags:
            raise Skip(f"{folder}/ is not part of this build")
        compiler, kept = flags[place]
        jobs.append((header, compiler + ["-x", "c"] + kept))
    return compile_all(tree, jobs)


def check_in_cxx(tree):
    """Without GLib's flags: it stays out of what a kernel includes."""
    headers = [h for h in tree.list(".h")
               if str(PurePosixPath(h).with_suffix(".cu")) in tree.names]
    if not headers:
        raise Skip("no header stands beside a .cu file")
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        raise Skip("no C++ compiler")
    command = [compiler, "-x", "c++", "-std=c++17", f"-I{tree.root}"]
    nvcc = shutil.which("nvcc")
    if nvcc:
        command += ["-isystem", str(Path(nvcc).resolve().parents[1] / "include")]
    return compile_all(tree, [(h, command) for h in headers])


def compile_all(tree, jobs):
    def compile_one(job):
        header, command = job
        line = f'#include "{header}"\n'
        said = subprocess.run(
            command + ["-Wall", "-Werror", "-fsyntax-only", "-"],
            input=line * 2, cwd=tree.build or tree.root, capture_output=True,
            text=True, check=False)
        if said.returncode != 0:
            first = next((x for x in said.stderr.splitlines() if "error" in x),
                         said.stderr.strip())
            return f"{header}: {first}"
        return None

    with ThreadPoolExecutor(max_workers=2) as pool:
        return [text for text in pool.map(compile_one, jobs) if text]
