#!/usr/bin/env python3
"""Compares the manual's tables with the program.

manual.py [--renew] PAGES SHORTCUTS PROGRAM

Rows of PAGES/parameters.md are the words of PROGRAM recon --help, those of
PAGES/render.md of PROGRAM render --help, and rows of PAGES/keys.md those of the table in the source SHORTCUTS. --renew writes rows
that differ; a new one comes after the row that it follows in the program.
Prints TAP.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

OPTION = re.compile(r"  --([\w-]+)=(\S+) +(.*)")
KEYS = {"Page_Up": "Page Up", "Page_Down": "Page Down", "comma": ",",
        "period": ".", "plus": "+", "minus": "-", "question": "?",
        "Return": "Enter", "arrows": "arrows"}
HEADS = ("option", "key", "---")


def list_options(program, command, first, end=None):
    """Returns the rows of the parameters from @first on, without @end."""
    env = dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="",
               ASAN_OPTIONS=f"{os.environ.get('ASAN_OPTIONS', '')}:"
                            "detect_leaks=0")
    text = subprocess.run([program, command, "--help"], env=env, check=True,
                          capture_output=True, encoding="utf-8").stdout
    rows = []
    text = text[text.index(f"  --{first}="):]
    for key, arg, words in OPTION.findall(text):
        if key == end:
            break
        start = find_bracket(words)
        values = words[start + 1:-1] if start >= 0 else arg
        if "|" in values:
            values = ", ".join(f"`{value}`" for value in values.split("|"))
        meaning = words[:start].strip() if start >= 0 else words
        rows.append(f"| `--{key}` | {meaning} | {values} |")
    return rows


def find_bracket(words):
    """Returns where the bracket opens that ends @words, or -1."""
    depth = 0
    for i in range(len(words) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(words[i], 0)
        if depth == 0:
            return i if i < len(words) - 1 else -1
    return -1


def name_key(key):
    *held, last = re.sub(r"<(\w+)>", r"\1\0", key).split("\0")
    names = sorted((name.replace("Control", "Ctrl") for name in held),
                   key=["Ctrl", "Alt", "Shift"].index)
    return "+".join(names + [KEYS.get(last, last[0].upper() + last[1:])])


def name_own_keys(entry):
    """Returns the keys that a widget handles itself: "Ctrl+arrows", "R"."""
    own = re.search(r"NULL,\s*\{([^}]*)\}", entry)[1]
    keys = "".join(re.findall(r'"([^"]*)"', own)).split()
    held = keys[0][:keys[0].rfind(">") + 1]
    if keys[0] == held + "Left":
        keys = [held + "arrows"]
    return ", ".join(name_key(key) for key in keys)


def list_shortcuts(source):
    """Returns the rows of the shortcuts."""
    text = source[source.index("shortcuts[] = {"):]
    text = text[:text.index("\n};")]
    rows = []
    for entry in re.split(r"\.title = ", text)[1:]:
        title = re.match(r'N_ \("([^"]*)"\)', entry)[1]
        ways = [re.findall(r'"([^"]*)"', keys) for keys in
                re.findall(r'"(?:app|win|window)\.[^"]*",\s*\{([^}]*)\}',
                           entry)]
        # the same keys of other keyboards are not worth a word
        others = [name_key(key) for way in ways for key in way[1:]
                  if "KP_" not in key and "equal" not in key]
        keys = (", ".join(name_key(way[0]) for way in ways)
                or name_own_keys(entry))
        if others:
            keys += f" (or {', '.join(others)})"
        rows.append(f"| {keys} | {title} |")
    return rows


def get_cell(row, column):
    return row.split(" | ")[column].strip("| ")


def renew(page, rows, column):
    """Returns the text @page with @rows, which @column tells apart."""
    wanted = {get_cell(row, column): row for row in rows}
    lines = [line for line in page.splitlines() if not line.startswith("|")
             or get_cell(line, 0) in HEADS or get_cell(line, column) in wanted]
    before = None
    for name, row in wanted.items():
        places = [i for i, line in enumerate(lines)
                  if line.startswith("|") and get_cell(line, column) == name]
        if places:
            lines[places[0]] = row
        else:
            lines.insert(lines.index(before) + 1, row)
        before = row
    return "\n".join(lines) + "\n"


def main():
    renews = sys.argv[1:2] == ["--renew"]
    pages, source, program = sys.argv[1 + renews:]
    tables = [
        ("parameters.md", list_options(program, "recon", "slice"), 0),
        ("render.md", list_options(program, "render", "way", "recipe"), 0),
        ("keys.md", list_shortcuts(Path(source).read_text("utf-8")), 1),
    ]
    n_failed = 0
    print(f"1..{len(tables)}")
    for number, (name, rows, column) in enumerate(tables, 1):
        path = Path(pages, name)
        page = path.read_text("utf-8")
        new = renew(page, rows, column)
        if renews:
            path.write_text(new, "utf-8")
        elif new != page:
            n_failed += 1
            old = page.splitlines()
            for row in new.splitlines():
                if row not in old:
                    print(f"# wanted: {row}")
            print(f"# {sys.argv[0]} --renew {' '.join(sys.argv[1:])}")
        is_good = renews or new == page
        print(f"{'ok' if is_good else 'not ok'} {number} /manual/{name}")
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
