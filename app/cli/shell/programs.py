"""What the programs say about themselves in --help, which GLib makes from the
descriptors of the recipe's keys and from each command's own options."""

import os
import re
import subprocess
from typing import NamedTuple

COMMANDS = {
    "tomolens": [],
    "tomolens-cli": ["info", "centre", "recon", "export", "volume", "render",
                     "thumbnail", "phantom", "play", "watch", "bench", "bench interactive"],
}

# a list in words, as in "xy, xz or yz"; a word may have a remark in brackets
WORD = r"[a-z][\w:-]*(?: \([^)]*\))?"
WORDS = re.compile(rf"\b{WORD}(?:, {WORD})*,? or {WORD}")
TAKES_WORD = {"NAME", "NAMES", "FORMAT", "TYPE", "PLANE"}
TAKES_FILE = re.compile(r"^(FILE|FOLDER|OUT)\b")


class Option(NamedTuple):
    """One option. @argument is "" if it takes none, @values what it can be,
    as far as these are words, and @takes_file whether it is a file or folder.
    """
    name: str
    short: str
    argument: str
    meaning: str
    values: list
    takes_file: bool


def run_help(program, command=""):
    # leaks at the exit of a build with sanitizers are for the tests to find
    env = dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="",
               ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([program, *command.split(), "--help"], env=env,
                          capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def split_line(line):
    """Returns the two columns of a line of --help."""
    left, _, right = re.sub(r"(?<=\S)\s{2,}", "\0", line.strip(), count=1) \
        .partition("\0")
    return left, right


def find_values(argument, meaning):
    values = [part for part in argument.split("|")
              if re.fullmatch(r"[a-z]+", part)]
    brackets = re.search(r"\(([^()]*)\)$", meaning)
    takes = brackets[1] if brackets else ""
    if re.fullmatch(r"[\w-]+(\|[\w-]+)+", takes):
        values += takes.split("|")
    else:
        values += re.findall(r'"([a-z]+)"', takes)
    words = WORDS.search(takes) or WORDS.search(meaning)
    if argument in TAKES_WORD and not values and words:
        values += re.split(r", | or ", re.sub(r" \([^)]*\)", "", words[0]))
    return [value for value in dict.fromkeys(values)
            if value == value.lower()]


def parse_options(text):
    options = []
    for line in text.splitlines():
        match = re.match(r"  (?:-(\w), )?--([\w-]+)(?:=(\S+))?(?:  |$)", line)
        if match:
            argument = match[3] or ""
            meaning = split_line(line)[1]
            takes_file = bool(TAKES_FILE.match(argument)) \
                or match[2] == "output"
            options.append(Option(
                match[2], match[1] or "", argument, meaning,
                [] if takes_file else find_values(argument, meaning),
                takes_file))
    return options


def list_summaries(text):
    """Returns what the list of commands says about each."""
    rows = re.search(r"^Commands:\n((?:  .*\n)*)", text, re.M)
    return dict(split_line(line) for line in rows[1].splitlines()) \
        if rows else {}
