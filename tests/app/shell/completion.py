#!/usr/bin/env python3
"""Asks the shells what they complete, with the files made for them.

completion.py COMPLETION...

Prints TAP; a shell that is not installed is skipped.
"""

import functools
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from cases import Skip, need_tool, run

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


PROMPT = "ready> "
ZSH = rf"""
setopt no_beep; unsetopt list_ambiguous prompt_sp
autoload -Uz compinit; compinit -u -D
zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' verbose no
LISTMAX=1000; unsetopt always_last_prompt
bindkey '^I' list-choices
PS1='{PROMPT}'
"""
KILL_LINE = "\x15"


class Zsh:
    """zsh completes in its line editor alone, which wants a terminal. One zsh
    answers all questions, because it takes a second to start."""

    def __init__(self, folders):
        script = Path("zshrc").absolute()
        script.write_text(f"fpath=({' '.join(folders)} $fpath)\n" + ZSH,
                          encoding="utf-8")
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", COLUMNS="200", LC_ALL="C.UTF-8")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.say(f"source {script}\n", PROMPT, 20)

    def say(self, text, end, limit_s=8):
        """Returns: what follows, up to @end after a new line"""
        os.write(self.fd, text.encode())
        said = ""
        give_up = time.monotonic() + limit_s
        while not said.endswith("\n" + end):
            if not select.select([self.fd], [], [],
                                 max(0, give_up - time.monotonic()))[0]:
                raise TimeoutError(f"zsh says {said!r}")
            said += os.read(self.fd, 65536).decode(errors="replace")
            said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", said)
        return said.removesuffix(end)

    def ask(self, line):
        self.say(f"cd {os.getcwd()}\n", PROMPT)
        said = self.say(line + "\t", PROMPT + line)
        self.say(KILL_LINE + "\n", PROMPT)
        return re.findall(r"(?:^|\s)(--[\w-]+|[\w.-]+/?)",
                          said.replace(line, "", 1))


@functools.cache
def start_zsh():
    return Zsh({str(Path(path).parent) for (shell, _), path in FILES.items()
                if shell == "zsh"})


def ask_zsh(files, line):
    return start_zsh().ask(line)


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


def check_shellcheck(_):
    done = subprocess.run(
        [need_tool("shellcheck"), "--shell=bash",
         *(path for (shell, _), path in FILES.items() if shell == "bash")],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def find_files():
    for path in map(os.path.abspath, sys.argv[1:]):
        name = Path(path).name
        shell = "zsh" if name.startswith("_") else \
            "fish" if name.endswith(".fish") else "bash"
        yield (shell, name.lstrip("_").removesuffix(".fish")), path


if __name__ == "__main__":
    FILES = dict(find_files())
    CASES = {case[0]: case for case in CASES}
    sys.exit(run([(check_shell, shell, case) for shell in ASK
                  for case in CASES] + [(check_shellcheck,)]))
