#!/usr/bin/env python3
"""Asks the shells what they complete, with the files made for them.

completion.py SOURCES COMPLETION...

Prints TAP; a shell that is not installed is skipped.
"""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from cases import Skip, need_tool, run, same

# a command line, and words that have to be offered, and that must not
CASES = [
    ("commands", "tomolens-cli ", ["info", "export", "bench"], ["interactive"]),
    ("options", "tomolens-cli recon --pr", ["--preset=", "--precision=",
                                            "--projections="], ["--png"]),
    ("own-options", "tomolens-cli watch --sc", ["--scans="], ["--slice="]),
    ("values", "tomolens-cli recon --filter ha", ["hann", "hamming"], ["ramp"]),
    ("joined-value", "tomolens-cli export --format=ne", ["nexus"], ["tiff"]),
    ("value-of-short", "tomolens-cli recon --centre a", ["auto"], ["middle"]),
    ("sub-command", "tomolens-cli bench ", ["interactive"], ["info"]),
    ("sub-options", "tomolens-cli bench interactive --ev", ["--events="],
     ["--sweep"]),
    # fish names others after them
    ("scans", "tomolens-cli info sc", ["scan.h5", "scans/"], ["scan.txt"]),
    ("any-file", "tomolens-cli recon --recipe sc", ["scan.h5", "scan.txt"], []),
    ("window", "tomolens --rin", ["--rings=", "--ring-size="], ["--slice="]),
    ("window-value", "tomolens --rings wa", ["wavelet"], ["sorting"]),
]

BASH = r"""
source "$1"
read -ra COMP_WORDS <<<"${2//=/ = }"
[[ $2 != *' ' ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"_$3"
for word in "${COMPREPLY[@]}"; do
  [[ ! -d $word ]] || word+=/
  printf '%s\n' "$word"
done
"""


def ask_bash(files, line):
    name = line.split()[0]
    done = subprocess.run(
        ["bash", "-c", BASH, "bash", files["bash", name], line,
         name.replace("-", "_")], capture_output=True, text=True, check=True)
    if done.stderr:
        raise ValueError(done.stderr)
    return done.stdout.split()


def ask_fish(files, line):
    script = f"source {files['fish', line.split()[0]]}; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", script],
                          capture_output=True, text=True, check=True)
    offered = [row.split("\t")[0] for row in done.stdout.splitlines()]
    # the option, without what is before it
    return [word.split("=", 1)[1] if re.match("--.*=.", word) else word
            for word in offered]


ZSH = r"""
PS1='%# '; setopt no_beep; unsetopt list_ambiguous
autoload -Uz compinit; compinit -u -D
zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' verbose no
LISTMAX=1000; unsetopt always_last_prompt
bindkey '^I' list-choices
print ready-$((1 + 1))
"""


def read_until(fd, pattern, limit_s=20):
    text = ""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        ready, _, _ = select.select([fd], [], [], 0.3)
        if ready:
            try:
                text += os.read(fd, 65536).decode(errors="replace")
            except OSError:
                break
        elif re.search(pattern, text):
            break
    return text


def ask_zsh(files, line):
    """zsh completes in its line editor alone, which wants a terminal."""
    folder = Path(files["zsh", line.split()[0]]).parent
    script = Path("zshrc")
    script.write_text(f"fpath=({folder} $fpath)\n" + ZSH, encoding="utf-8")
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", COLUMNS="200", LC_ALL="C.UTF-8")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        os.write(fd, b"source ./zshrc\n")
        read_until(fd, "ready-2")
        os.write(fd, line.encode() + b"\t")
        text = read_until(fd, r"\n")
    finally:
        os.close(fd)
        os.waitpid(pid, 0)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)
    text = text.replace(line, "", 1)
    return re.findall(r"(?:^|\s)(--[\w-]+|[\w.-]+/?)", text)


ASK = {"bash": ask_bash, "zsh": ask_zsh, "fish": ask_fish}


def check_shell(folder, shell, case):
    _, line, wanted, unwanted = CASES[case]
    if (shell, line.split()[0]) not in FILES:
        raise Skip("built without the window")
    need_tool(shell)
    os.chdir(folder)
    os.environ["HOME"] = str(folder)
    for name in ("scan.h5", "scan.txt", "scans/inside.h5"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    offered = ASK[shell](FILES, line)
    for word in wanted:
        # zsh and fish show options without the sign
        if word not in offered and word.rstrip("=") not in offered:
            yield f"{line}: {word} is not among {' '.join(offered)}"
    for word in unwanted:
        if word in offered and (shell, word) != ("fish", "scan.txt"):
            yield f"{line}: offers {word}"


def check_scans(_):
    """Scans have the same suffixes here as in the window."""
    made = Path(FILES["bash", "tomolens-cli"]).read_text(encoding="utf-8")
    text = Path(SOURCES, "ui/dialogs/dialogs.c").read_text(encoding="utf-8")
    listed = re.search(r"scans\[\] = \{(.*?)\}", text, re.S)[1]
    completed = re.search(r"^ +(\*\S+)\) COMPREPLY", made, re.M)[1]
    same(set(completed.split("|")), set(re.findall(r'"(.*?)"', listed)),
         "the suffixes")


def check_shellcheck(_):
    done = subprocess.run(
        [need_tool("shellcheck"), "--shell=bash",
         *(path for (shell, _), path in FILES.items() if shell == "bash")],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def find_files():
    for path in map(os.path.abspath, sys.argv[2:]):
        name = Path(path).name
        shell = "zsh" if name.startswith("_") else \
            "fish" if name.endswith(".fish") else "bash"
        yield (shell, name.lstrip("_").removesuffix(".fish")), path


if __name__ == "__main__":
    SOURCES = sys.argv[1]
    FILES = dict(find_files())
    CASES = {case[0]: case for case in CASES}
    sys.exit(run([(check_shell, shell, case) for shell in ASK
                  for case in CASES] + [(check_scans,), (check_shellcheck,)]))
