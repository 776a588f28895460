"""Scans as the program reads them, for comparison with what other programs'
libraries wrote. The first argument of the test is the program read-scan."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "support"))
from cases import Skip, need, same

READER = os.path.abspath(sys.argv[1])


def read_scan(*args, **env):
    """Runs read-scan, with @env added to the environment."""
    done = subprocess.run([READER, *map(str, args)], capture_output=True,
                          encoding="utf-8", env={**os.environ, **env})
    if "was built without" in done.stderr:
        raise Skip(done.stderr.strip())
    return done


class Scan:
    """What the program reads. @options: such as "data=/entry/data"; see
    read-scan.c"""

    def __init__(self, path, folder, *options, **env):
        np = need("numpy")
        out = Path(folder, "out.raw")
        done = read_scan(path, out, *options, **env)
        assert done.returncode == 0, done.stderr
        self.notes, self.facts = [], {}
        for line in done.stdout.splitlines():
            key, value = line.split(" ", 1)
            if key == "note":
                self.notes.append(value)
            else:
                self.facts[key] = value
        shape = tuple(map(int, self.facts["shape"].split()))
        self.angles = np.array(self.facts["angles"].split(), float)
        n = int(np.prod(shape))
        data = out.read_bytes()
        self.frames = np.frombuffer(data, self.facts["type"], n).reshape(shape)
        fields = np.frombuffer(data, "f4", offset=self.frames.nbytes)
        if fields.size:
            self.dark, self.first, self.last = fields.reshape(3, *shape[1:])

    def check(self, want, form):
        np = need("numpy")
        same(self.facts["format"], form, "format")
        same(self.facts["type"], want.dtype.name, "type")
        same(self.frames.shape, want.shape, "shape")
        np.testing.assert_array_equal(self.frames, want)

    def has_note(self, words):
        assert any(words in n for n in self.notes), (words, self.notes)


def refuse(path, folder, *words, options=(), **env):
    """The program refuses @path in one sentence that has all @words.
    Returns: the sentence"""
    done = read_scan(path, Path(folder, "out.raw"), *options, **env)
    same(done.returncode, 1, f"status, {done.stderr}")
    same(done.stderr.count("\n"), 1, "lines")
    for word in words:
        assert word in done.stderr, (word, done.stderr)
    return done.stderr.strip()


def damage(scan, path, n_times):
    """Cuts and changes the file @path of @scan, @n_times each."""
    # libgsf's own complaints would be fatal; ours would be on stderr.
    calm = {k: v for k, v in os.environ.items() if k != "G_DEBUG"}
    done = subprocess.run([READER, "--damage", scan, path, str(n_times)],
                          capture_output=True, text=True, env=calm)
    same((done.returncode, done.stderr), (0, ""))
    counts = dict(line.split() for line in done.stdout.splitlines())
    assert int(counts["cut"]) > 0.8 * n_times, counts
