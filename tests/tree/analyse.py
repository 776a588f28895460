"""What compilers and checkers find without running the program.
Usage: analyse.py SOURCE BUILD

Three tools over the sources of the program, with the checks that are stated
below. A tool that is not installed is skipped."""

import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOMS = ("data/", "gpu/", "render/", "app/", "ui/")

CPPCHECK = ["--enable=warning", "--library=gtk", "--std=c11", "--quiet",
            # memory that another function takes over, as GLib's do
            "--suppress=memleak", "--suppress=leakNoVarFunctionCall",
            "--suppress=leakReturnValNotUsed",
            # of GLib's macros: MAX (a, a + b), and others
            "--suppress=invalidTestForOverflow", "--suppress=internalAstError",
            "--suppress=unknownMacro",
            # an array that is filled by the function that gets it
            "--suppress=legacyUninitvar", "--suppress=uninitvar",
            # a function that gets the address of a sum returns something else
            "--suppress=returnDanglingLifetime:gpu/engine.c"]

# Of what reads and writes files and talks to others. The analyzer does not know
# that g_new() never returns NULL, nor what g_autoptr() frees.
ANALYZED = ("data/", "app/cli/", "app/display/", "app/export/",
            "app/messages/", "app/parameters/", "app/recipe/", "app/scan/",
            "app/session/")
ANALYZER = ["-O0", "-fanalyzer", "-Wno-analyzer-use-of-uninitialized-value",
            "-Wno-analyzer-malloc-leak",
            "-Wno-analyzer-possible-null-dereference",
            "-Wno-analyzer-null-dereference",
            "-Wno-analyzer-possible-null-argument",
            "-Wno-analyzer-null-argument"]

TIDY = ["-*", "bugprone-*", "-bugprone-easily-swappable-parameters",
        "-bugprone-narrowing-conversions", "-bugprone-reserved-identifier",
        "-bugprone-implicit-widening-of-multiplication-result",
        "-bugprone-assignment-in-if-condition", "-bugprone-macro-parentheses",
        "-bugprone-branch-clone",
        "-bugprone-sizeof-expression",  # GLib's g_clear_pointer()
        "-bugprone-integer-division",   # the middle of whole numbers
        "cert-str34-c", "misc-redundant-expression"]


def list_commands(source, build):
    """Returns: (file from the top, command) of each C file of the program"""
    commands = []
    for entry in json.loads(Path(build, "compile_commands.json").read_text()):
        path = Path(entry["directory"], entry["file"]).resolve()
        if path.suffix != ".c" or not path.is_relative_to(source):
            continue
        name = str(path.relative_to(source))
        if name.startswith(ROOMS):
            commands.append((name, shlex.split(entry["command"])))
    return sorted(dict(commands).items())


def run_each(commands, call):
    """Returns: what @call says of each command, in as many threads as cores"""
    n = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        return [line for lines in pool.map(lambda c: call(*c), commands)
                for line in lines]


def find(args, words, **more):
    """Returns: the lines of the output of @args that have one of @words"""
    done = subprocess.run(args, capture_output=True, encoding="utf-8",
                          errors="replace", **more)
    lines = (done.stdout + done.stderr).splitlines()
    found = [line for line in lines if any(w in line for w in words)]
    return dict.fromkeys(found)


def check_cppcheck(source, build, commands):
    n = len(os.sched_getaffinity(0))
    return find(["cppcheck", f"-j{n}", *CPPCHECK, "-I.",
                 *(name for name, _ in commands)],
                (": error: ", ": warning: ", ": portability: "), cwd=source)


def check_analyzer(source, build, commands):
    def call(name, command):
        if not name.startswith(ANALYZED):
            return []
        words = command[command[0].endswith("ccache"):]
        words[words.index("-o") + 1] = os.devnull
        return find([*words, *ANALYZER, "-fdiagnostics-plain-output"],
                    ("[-Wanalyzer",), cwd=build)
    return run_each(commands, call)


def check_tidy(source, build, commands):
    def call(name, command):
        if name.startswith("ui/"):  # GTK's headers take seconds for each file
            return []
        return find(["clang-tidy", "-p", build, "--quiet",
                     "--checks=" + ",".join(TIDY), name],
                    (": warning: ", ": error: "), cwd=source)
    return run_each(commands, call)


CHECKS = ((check_cppcheck, "cppcheck"), (check_analyzer, "gcc"),
          (check_tidy, "clang-tidy"))


def main(source, build):
    commands = list_commands(Path(source).resolve(), build)
    print(f"1..{len(CHECKS)}")
    for i, (check, tool) in enumerate(CHECKS, 1):
        name = check.__name__[len("check_"):]
        if shutil.which(tool) is None:
            print(f"ok {i} /analyse/{name} # SKIP no {tool} is installed")
            continue
        found = list(check(source, build, commands))
        for line in found:
            print("#", line)
        print(f"{'not ' if found or not commands else ''}ok {i} /analyse/{name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
