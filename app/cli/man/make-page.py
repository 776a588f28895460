#!/usr/bin/env python3
"""Makes the manual page of a program from the output of its --help.

make-page.py PROGRAM NAME VERSION OUTPUT [COMMAND...]

Each COMMAND becomes a section with its own options; "bench interactive" is one
COMMAND.
"""

import os
import re
import subprocess
import sys

PURPOSES = {
    "tomolens": "reconstruct parallel-beam tomography scans and watch the slice",
    "tomolens-cli": "reconstruct parallel-beam tomography scans",
}
SEE_ALSO = {"tomolens": "tomolens-cli", "tomolens-cli": "tomolens"}


def run_help(program, command):
    # leaks at the exit of a build with sanitizers are for the tests to find
    env = dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="",
               ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([program, *command.split(), "--help"], env=env,
                          capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def escape(text):
    """Escapes @text for roff: keeps dashes, and no line is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def make_option(line):
    option, _, meaning = re.sub(r"(?<=\S)\s{2,}", "\0", line.strip(), 1) \
        .partition("\0")
    return f".TP\n.B {escape(option)}\n{escape(meaning)}\n"


def make_body(text):
    """Returns the section for one --help: usage, paragraphs, options, tables."""
    page = ""
    usage = False
    for line in text.splitlines():
        if line == "Usage:":
            usage = True
        elif usage:
            page += f".PP\n.B {escape(line.strip())}\n"
            usage = False
        elif re.fullmatch(r"[A-Z][A-Za-z ]*:", line):
            page += f".SS {escape(line[:-1])}\n"
        elif re.match(r"  \S", line):
            page += make_option(line)
        elif line.strip():
            page += f".PP\n{escape(line)}\n"
    return page


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    program, name, version, output, *commands = sys.argv[1:]
    page = (f'.TH {escape(name.upper())} 1 "" "Tomolens {version}"\n'
            f".SH NAME\n{escape(name)} \\- {escape(PURPOSES[name])}\n"
            f".SH DESCRIPTION\n{make_body(run_help(program, ''))}")
    for command in commands:
        page += (f'.SH "{escape(command.upper())}"\n'
                 + make_body(run_help(program, command)))
    page += (f'.SH "SEE ALSO"\n.BR {escape(SEE_ALSO[name])} (1).\n'
             "The manual opens in the window by F1.\n")
    with open(output, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
