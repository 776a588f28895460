"""The files of the tree, and what a rule may ask about them."""

import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath

CODE = (".c", ".h", ".cu", ".cuh", ".def")
HEADERS = (".h", ".cuh")
BINARY = (".png", ".tif", ".tiff", ".h5", ".nxs", ".ico")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.M)


class Skip(Exception):
    """Nothing to check here; the text is the reason."""


class Tree:
    """@root: the sources; @build: a configured build folder, or None."""

    def __init__(self, root, build=None):
        self.root = Path(root)
        self.build = Path(build) if build else None
        self.files = sorted(self._list_tracked() or self._walk())
        self.names = set(self.files)
        self._texts = {}

    def _list_tracked(self):
        """What git keeps or would keep; None where git cannot say."""
        if not (self.root / ".git").exists() or not shutil.which("git"):
            return None
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others",
             "--exclude-standard"],
            cwd=self.root, capture_output=True, text=True, check=False)
        if listing.returncode != 0:
            return None
        return {f for f in listing.stdout.split("\0")
                if f and (self.root / f).is_file()}

    def _walk(self):
        """All files, less what .gitignore keeps out of the top folder."""
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root).as_posix()
            top = name.split("/", 1)[0]
            if (path.is_file() and top != ".git" and top != "build"
                    and not top.startswith("build-")
                    and "__pycache__" not in name):
                yield name

    def list(self, *endings, under=""):
        return [f for f in self.files
                if f.startswith(under) and PurePosixPath(f).suffix in endings]

    def read(self, name):
        if name not in self._texts:
            data = (self.root / name).read_bytes()
            self._texts[name] = data.decode("utf-8", errors="replace")
        return self._texts[name]

    def list_text(self):
        return [f for f in self.files
                if PurePosixPath(f).suffix not in BINARY and f != "LICENSE"]

    def includes(self, name):
        """(line number, ours or None, the world's or None) of each #include."""
        text = self.read(name)
        for match in INCLUDE.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[1], match[2]
