#!/usr/bin/env python3
"""Makes the manual page of a program from the output of its --help.

make-page.py PROGRAM NAME VERSION OUTPUT

Each command becomes a section with its own options.
"""

import re
import sys

from programs import COMMANDS, run_help, split_line

PURPOSES = {
    "tomolens": "reconstruct parallel-beam tomography scans and watch the slice",
    "tomolens-cli": "reconstruct parallel-beam tomography scans",
}
SEE_ALSO = {"tomolens": "tomolens-cli", "tomolens-cli": "tomolens"}


def escape(text):
    """Escapes @text for roff: keeps dashes, and no line is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def make_option(line):
    option, meaning = split_line(line)
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
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    program, name, version, output = sys.argv[1:]
    page = (f'.TH {escape(name.upper())} 1 "" "Tomolens {version}"\n'
            f".SH NAME\n{escape(name)} \\- {escape(PURPOSES[name])}\n"
            f".SH DESCRIPTION\n{make_body(run_help(program))}")
    for command in COMMANDS[name]:
        page += (f'.SH "{escape(command.upper())}"\n'
                 + make_body(run_help(program, command)))
    page += (f'.SH "SEE ALSO"\n.BR {escape(SEE_ALSO[name])} (1).\n'
             "The manual opens in the window by F1.\n")
    # a section begins with a paragraph of its own
    page = re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", page, flags=re.M)
    with open(output, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
