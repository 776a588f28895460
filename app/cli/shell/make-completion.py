#!/usr/bin/env python3
"""Makes the completion of a program for a shell from the output of its --help.

make-completion.py bash|zsh|fish PROGRAM NAME SUFFIXES OUTPUT

SUFFIXES lists those of scans and recipes.
"""

import re
import sys

from programs import COMMANDS, list_summaries, parse_options, run_help

class Program:
    """@options: those of each command; of "" without a command. @scans: the
    suffixes of files that are offered beside folders."""

    def __init__(self, path, name, suffixes):
        text = run_help(path)
        self.name = name
        self.scans = re.findall(r'^SUFFIX \("(.*)"\)', suffixes, re.M)
        self.function = "_" + name.replace("-", "_")
        self.options = {"": parse_options(text)}
        for command in COMMANDS[name]:
            self.options[command] = parse_options(run_help(path, command))
        self.summaries = list_summaries(text)
        if COMMANDS[name]:
            self.options[""] = [option for option in self.options[
                COMMANDS[name][0]] if option.name == "help"]


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


# --- bash ---

def group_values(program):
    """Yields the options of commands, and what follows all of them."""
    groups = {}
    for command, options in program.options.items():
        for option in options:
            if not option.argument:
                continue
            what = "@" if option.takes_file else " ".join(option.values)
            groups.setdefault(what, []).append(f'"{command} --{option.name}"')
            if option.short:
                groups[what].append(f'"{command} -{option.short}"')
    for what, names in sorted(groups.items()):
        yield "|".join(names), what


BASH = """# Completion for {name} in bash, made from the output of --help.
{function} ()
{{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command="" option="" options="" values="" word
  {choose}
  # --filter=hann is three words here
  if [ "$cur" = "=" ]; then
    option=$prev cur=
  elif [ "$prev" = "=" ] && [ "$COMP_CWORD" -ge 2 ]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  elif [[ $prev == -* ]]; then
    option=$prev
  fi
  COMPREPLY=()
  case "$command $option" in
{values}
  esac
  case $values in
    "") ;;
    @) # a file
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return ;;
    *)
      mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
      return ;;
  esac
  if [[ $cur == -* ]]; then
    case $command in
{options}
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    if [[ ${{COMPREPLY[0]-}} == *= ]]; then
      compopt -o nospace 2>/dev/null
    fi
    return
  fi
{positional}
  # scans and folders
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$cur")
  while IFS= read -r word; do
    case $word in
      {scans}) COMPREPLY+=("$word") ;;
    esac
  done < <(compgen -f -- "$cur")
}}
complete -F {function} {name}
"""
CHOOSE = """if [ "$COMP_CWORD" -gt 1 ]; then
    command=${COMP_WORDS[1]}
  fi
  if [ "$COMP_CWORD" -gt 2 ] && [ "$command ${COMP_WORDS[2]}" = \\
    "bench interactive" ]; then
    command="bench interactive"
  fi"""


def make_bash(program):
    values = options = positional = ""
    for names, what in group_values(program):
        if what:
            values += f"    {names})\n      values={quote(what)} ;;\n"
        else: # anything: nothing is known about it
            values += f"    {names})\n      return ;;\n"
    for command, listed in program.options.items():
        words = " ".join(f"--{option.name}" + "=" * bool(option.argument)
                         for option in listed)
        options += f"      {quote(command)})\n        options={quote(words)} ;;\n"
    commands = [command for command in COMMANDS[program.name]
                if " " not in command]
    if commands:
        positional = f"""  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W {quote(" ".join(commands))} -- "$cur")
    return
  fi
  if [ "$COMP_CWORD" -eq 2 ] && [ "$command" = bench ]; then
    mapfile -t COMPREPLY < <(compgen -W interactive -- "$cur")
    return
  fi
"""
    return BASH.format(name=program.name, function=program.function,
                       choose=CHOOSE if commands else ":",
                       values=values.rstrip(), options=options.rstrip(),
                       positional=positional.rstrip(),
                       scans="|".join(f"*.{suffix}" for suffix in program.scans))


# --- zsh ---

def describe_zsh(option):
    meaning = re.sub(r"([\[\]:\\])", r"\\\1", option.meaning)
    action = ""
    if option.takes_file:
        action = ":_files"
    elif option.values:
        words = " ".join(value.replace(":", "\\:") for value in option.values)
        action = f":({words})"
    elif option.argument:
        action = ": "
    argument = re.sub(r"([\[\]:\\])", r"\\\1", option.argument)
    takes = f":{argument}{action}" if option.argument else ""
    equals = "=" if option.argument else ""
    yield quote(f"--{option.name}{equals}[{meaning}]{takes}")
    if option.short:
        yield quote(f"-{option.short}[{meaning}]{takes}")


def make_zsh(program):
    scans = f'*:scan:_files -g "*.({"|".join(program.scans)})(-.)"'
    text = f"#compdef {program.name}\n" \
           f"# Completion for {program.name} in zsh, made from the output of" \
           " --help.\n"
    commands = [command for command in COMMANDS[program.name]
                if " " not in command]
    if commands:
        rows = "\n".join("    " + quote(f"{command}:"
                                        f"{program.summaries[command]}")
                         for command in commands)
        text += f"""if (( CURRENT == 2 )); then
  local -a commands=(
{rows}
  )
  _describe command commands
  return
fi
local command=$words[2]
shift words
(( CURRENT-- ))
if [[ $command == bench && $words[2] == interactive && CURRENT -gt 2 ]]; then
  command="bench interactive"
  shift words
  (( CURRENT-- ))
fi
"""
    else:
        text += "local command=\n"
    text += "case $command in\n"
    for command, options in program.options.items():
        if commands and not command:
            continue
        rows = " \\\n      ".join(row for option in options
                                  for row in describe_zsh(option))
        other = quote(scans) if command != "bench" \
            else quote("*:mode:(interactive)")
        text += f"  {quote(command)})\n    _arguments \\\n      {rows} \\\n" \
                f"      {other} ;;\n"
    return text + "esac\n"


# --- fish ---

def make_fish(program):
    name = program.name
    text = f"# Completion for {name} in fish, made from the output of --help.\n"
    commands = [command for command in COMMANDS[name] if " " not in command]
    suffixes = " ".join(f".{suffix}" for suffix in program.scans)
    for command in commands:
        text += (f"complete -c {name} -f -n __fish_use_subcommand -a {command}"
                 f" -d {quote(program.summaries[command])}\n")
    for command, options in program.options.items():
        if commands and not command:
            continue
        outer, _, inner = command.partition(" ")
        conditions = [f"__fish_seen_subcommand_from {outer}"] if outer else []
        if outer == "bench":
            conditions.append(("" if inner else "not ")
                              + "__fish_seen_subcommand_from interactive")
        condition = f" -n '{'; and '.join(conditions)}'" if conditions else ""
        if command == "bench":
            text += f"complete -c {name}{condition} -f -a interactive\n"
        else:
            text += (f"complete -c {name}{condition} -k -x -a"
                     f" '(__fish_complete_suffix {suffixes})'\n")
        for option in options:
            text += f"complete -c {name}{condition} -l {option.name}"
            text += f" -s {option.short}" if option.short else ""
            if option.takes_file:
                text += " -r -F"
            elif option.argument:
                text += " -x"
                if option.values:
                    text += f" -a {quote(' '.join(option.values))}"
            text += f" -d {quote(option.meaning)}\n"
    return text


MAKERS = {"bash": make_bash, "zsh": make_zsh, "fish": make_fish}


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    shell, path, name, listed, output = sys.argv[1:]
    with open(listed, encoding="utf-8") as file:
        suffixes = file.read()
    with open(output, "w", encoding="utf-8") as file:
        file.write(MAKERS[shell](Program(path, name, suffixes)))


if __name__ == "__main__":
    main()
