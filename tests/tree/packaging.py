#!/usr/bin/env python3
"""Checks the recipes of packages in .packaging/, as far as no package is built.

packaging.py SOURCES

Prints TAP; a tool that is not installed is a skip.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from cases import need, need_tool, run

SOURCES = Path(sys.argv[1])


def call(*command):
    done = subprocess.run([str(word) for word in command], text=True,
                          capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


def list_built():
    """The libraries that ./start installs to build the program."""
    text = (SOURCES / ".ci/setup.sh").read_text(encoding="utf-8")
    tables = re.findall(r"^(?:build|window)_packages \(\) \{.*?^END", text,
                        re.S | re.M)
    return {name for table in tables
            for name in re.findall(r"^(lib\S+-dev|zlib1g-dev|gettext)\b",
                                   table, re.M)} - {"libc6-dev"}


def check_scripts(folder):
    """The shell has nothing to say against them."""
    # from there, because one reads .ci/setup.sh
    done = subprocess.run([need_tool("shellcheck"), "--external-sources",
                           "check", "start", ".ci/setup.sh", ".ci/run",
                           ".packaging/build-deb"], cwd=SOURCES, text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        yield done.stdout


def check_debian(folder):
    """Debian's package is built with what ./start installs."""
    control = (SOURCES / ".packaging/debian/control") \
        .read_text(encoding="utf-8")
    depends = re.search(r"^Build-Depends:\n((?: .*\n)*)", control, re.M)[1]
    named = set(re.findall(r"^ (lib\S+-dev|zlib1g-dev|gettext)\b", depends,
                           re.M))
    for name in list_built() ^ named:
        yield f"{name} is either in .ci/setup.sh or in debian/control"
    cli = re.search(r"^Package: tomolens-cli\n(?:.+\n)*", control, re.M)[0]
    if "gtk" in cli:
        yield "tomolens-cli asks for GTK"


def find_version():
    text = (SOURCES / "meson.build").read_text(encoding="utf-8")
    return re.search(r"version: '(.*?)',", text)[1]


def check_conda(folder):
    """What comes of the recipe, without looking for a package."""
    conda = SOURCES / ".packaging/conda"
    text = (conda / "recipe.yaml").read_text(encoding="utf-8")
    version = find_version()
    if f"\n  version: {version}\n" not in text:
        yield f"the version is not {version}"
    rattler = need("rattler_build")  # py-rattler-build in the package index
    recipe = rattler.Stage0Recipe.from_file(str(conda / "recipe.yaml"))
    rendered = recipe.render(
        rattler.VariantConfig.from_file(str(conda / "variants.yaml")),
        rattler.RenderConfig(
            platform=rattler.PlatformConfig(target_platform="linux-64")))
    names = sorted(one.recipe.to_dict()["package"]["name"] for one in rendered)
    if names != ["tomolens", "tomolens-cli", "tomolens-cuda", "tomolens-cuda"]:
        yield f"makes {' '.join(names)}"


def list_commands(recipes):
    """The shell commands of the definitions of containers."""
    lines = recipes["Containerfile"].replace("\\\n", "")
    for command in re.findall(r"^RUN (.*)$", lines, re.M):
        yield "Containerfile", command
    for body in re.findall(r"^%(?:post|runscript|test)\n((?: .*\n)+)",
                           recipes["Apptainer"], re.M):
        yield "Apptainer", body


def check_containers(folder):
    """The shell has nothing to say against them, and both are of one Debian:
    packages of another one ask for libraries that are not there."""
    recipes = {name: (SOURCES / ".packaging" / name).read_text(encoding="utf-8")
               for name in ("Containerfile", "Apptainer")}
    bases = {name: set(re.findall(r"\bdebian:\S+", text))
             for name, text in recipes.items()}
    if len(set.union(*bases.values())) != 1:
        yield f"of several systems: {bases}"
    tool = need_tool("shellcheck")
    for name, command in list_commands(recipes):
        done = subprocess.run([tool, "--shell=sh", "-"], input=command,
                              text=True, capture_output=True, check=False)
        if done.returncode != 0:
            yield name + done.stdout


def check_metainfo(folder):
    """What software centres show is this version."""
    text = (SOURCES / "ui/desktop/org.tomolens.Tomolens.metainfo.xml.in") \
        .read_text(encoding="utf-8")
    newest = re.search(r'<release version="(.*?)"', text)[1]
    if newest != find_version():
        yield f"the newest release is {newest}"


def check_flatpak(folder):
    # it wants to write beside the manifest
    shutil.copy(SOURCES / ".packaging/org.tomolens.Tomolens.yml", folder)
    code, said = call(need_tool("flatpak-builder"), "--show-manifest",
                      folder / "org.tomolens.Tomolens.yml")
    if code != 0:
        yield said
    elif json.loads(said)["modules"][-1]["name"] != "tomolens":
        yield "does not end with the program"


if __name__ == "__main__":
    sys.exit(run([(check_scripts,), (check_debian,), (check_conda,),
                  (check_containers,), (check_metainfo,), (check_flatpak,)]))
