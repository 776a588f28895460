"""Are all sentences of the window marked, listed and translated? The marks of
xgettext are those in ui/po/meson.build. Each rule yields complaints."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from sources import Skip

FOLDER = "ui/po/"
MARKS = re.compile(r'\b(?:N?C?_|g_dp?n?gettext2?|ngettext) \('
                   r'|translatable="yes"')
# A property that is read, without the mark.
UNMARKED = re.compile(
    r'<(?:property|attribute) name="(?:label|tooltip-text|title|text|'
    r'placeholder-text|description)">[^<]*[^\W\d_][^<]*<')

# What a user can meet, said below the window; the call up to its sentence.
SAYS = re.compile(r'\b(?:g_set_error|g_set_error_literal|g_prefix_error|'
                  r'g_error_new|tl_scan_draft_note|tl_hdf5_set_error) \('
                  r'(?:[^";()]|\([^"()]*\))*?"((?:[^"\\]|\\.|"\s*")*)"')
PLACEHOLDER = re.compile(r"%[-+ 0-9.*]*[hlz]*[a-zA-Z]|\\n")


def list_lines(tree, name):
    return [line.strip() for line in tree.read(FOLDER + name).splitlines()
            if line.strip() and not line.startswith("#")]


def check_marks(tree):
    """In a .ui file, what is for the eye is marked, "no" where it is a name."""
    for name in tree.list(".ui"):
        text = tree.read(name)
        for match in UNMARKED.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: say translatable, yes or no"


def check_errors(tree):
    """What is said below the window is marked, too; the command line's own
    words are not, and a format of names alone has nothing to mark."""
    for name in tree.list(".c"):
        if not name.startswith(("data/", "gpu/", "app/")) \
                or name.startswith("app/cli"):
            continue
        text = without_comments(tree.read(name), keep_lines=True)
        for match in SAYS.finditer(text):
            if re.search("[a-zA-Z]", PLACEHOLDER.sub("", match[1])):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: mark the sentence with _ ()"


def check_list(tree):
    """POTFILES names the files that have sentences, and no others."""
    if FOLDER + "POTFILES" not in tree.names:
        return
    listed = list_lines(tree, "POTFILES")
    for name in listed:
        if name not in tree.names:
            yield f"{FOLDER}POTFILES: there is no {name}"
    for name in tree.list(".c", ".h", ".ui"):
        if name not in listed and not name.startswith("tests/") \
                and MARKS.search(without_comments(tree.read(name))):
            yield f"{name}: has sentences and is not in {FOLDER}POTFILES"


def without_comments(text, keep_lines=False):
    return re.sub(r"/\*.*?\*/",
                  lambda m: "\n" * (keep_lines * m[0].count("\n")), text,
                  flags=re.S)


def check_catalogues(tree):
    """Each sentence is in each catalogue, translated, and nothing else is."""
    if FOLDER + "POTFILES" not in tree.names:
        return
    for tool in ("xgettext", "msgcmp", "msgfmt"):
        if shutil.which(tool) is None:
            raise Skip(f"no {tool}: gettext is not installed")
    marks = re.findall(r"'(--[^']+)'", tree.read(FOLDER + "meson.build"))
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder, "tomolens.pot")
        code, said = run(tree, "xgettext", *marks,
                         f"--files-from={FOLDER}POTFILES",
                         f"--output={template}")
        if code != 0:
            yield f"{FOLDER}POTFILES: {said}"
            return
        for language in list_lines(tree, "LINGUAS"):
            name = f"{FOLDER}{language}.po"
            code, said = run(tree, "msgfmt", "--check-format",
                             "--check-domain", "--output-file=/dev/null", name)
            if code != 0:
                yield f"{name}: {said}"
            yield from compare(tree, name, template)


def compare(tree, name, template):
    _, said = run(tree, "msgcmp", name, str(template))
    seen = set()
    for place, number, what in re.findall(r"^(.*?):(\d+): (.*)$", said, re.M):
        if place == str(template):
            yield f"{name}: {what}: {sentence_at(template, int(number))}"
        elif number not in seen:
            yield f"{place}:{number}: {what}"
        seen.add(number)


def sentence_at(template, number):
    """The sentence whose entry has the line @number, counted from 1."""
    lines = template.read_text(encoding="utf-8").splitlines()
    start = number - 1
    while lines[start] and not lines[start].startswith("msgid "):
        start -= 1
    return " ".join(lines[start:number - 1])


def run(tree, *command):
    done = subprocess.run(command, cwd=tree.root, text=True, check=False,
                          env=dict(os.environ, LC_ALL="C"),
                          capture_output=True)
    return done.returncode, done.stderr.strip()
