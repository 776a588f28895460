"""Each allocation, read and write of a small reconstruction and of small exports
fails once: the program ends with one sentence, or goes on as if nothing had
been, or goes on and says what it lacks. The same holds for a scan that is cut,
replaced or removed while it is read. Usage: faults.py PROGRAM LIBRARY

LIBRARY is tests/support/faults.c. TL_FAULTS=all tries each call, and interrupted
and short ones as well; otherwise some 15 of each kind are tried, others in each
case."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from cases import need, run  # noqa: E402
from volumes import is_same  # noqa: E402

PROGRAM, LIBRARY = sys.argv[1:3]
LIMIT_S = 20
MOST = 15
CALLS = {"alloc": "alloc", "read": "read", "write": "write"}
MORE = {"short-read": "read", "short-write": "write", "eintr-read": "read",
        "eintr-write": "write"}


def call(command, **env):
    """Returns: the status and what was said"""
    try:
        done = subprocess.run(
            [PROGRAM, *map(str, command)], capture_output=True, timeout=LIMIT_S,
            encoding="utf-8", errors="replace",
            env={**os.environ, "LD_PRELOAD": LIBRARY, **env})
    except subprocess.TimeoutExpired:
        return None, f"more than {LIMIT_S} s"
    return done.returncode, done.stderr


def list_notes(said):
    return {s for s in said.splitlines() if s.startswith("note: ")}


def judge(status, said, notes, out, good, resume):
    """@notes: without a fault. Returns: what is wrong, or None"""
    if status is None or status < 0:
        how = said if status is None else signal.Signals(-status).name
        return f"{how}: {said[-600:]}"
    if status == 0 and (list_notes(said) - notes or is_same(good, out)):
        return None
    if status == 0:
        return f"another result, and nothing said: {said[-600:]}"
    sentences = [s for s in said.splitlines() if s.startswith("tomolens-cli: ")]
    if status != 1 or len(sentences) != 1:
        return f"status {status}: {said[-600:]}"
    if out.exists() and not is_same(good, out):
        status, said = (call([*resume, "-o", out, "--resume"]) if resume
                        else (1, "a wrong result is there"))
        if status != 0 or not is_same(good, out):
            return f"{sentences[0]}\nand then: {said}"
    return None


def check(folder, command, name, can_resume, most_allocs=MOST):
    counts = folder / "counts"
    good = folder / "good" / name
    good.parent.mkdir()
    status, said = call([*command, "-o", good], TL_FAULT_COUNTS=str(counts))
    assert status == 0, said
    notes = list_notes(said)
    numbers = dict(line.split() for line in counts.read_text().splitlines())
    tried, wrong = 0, []
    every = os.environ.get("TL_FAULTS") == "all"
    for fault, kind in {**CALLS, **(MORE if every else {})}.items():
        n = int(numbers[kind])
        assert n > 0, f"no {kind} is seen"
        most = most_allocs if kind == "alloc" else MOST
        for k in range(1, n + 1, 1 if every else max(1, n // most)):
            out = folder / "out" / name
            out.parent.mkdir()
            status, said = call([*command, "-o", out], TL_FAULT=f"{fault}:{k}")
            bad = judge(status, said, notes, out, good,
                        command if can_resume else None)
            if bad is not None:
                wrong.append(f"{fault} {k} of {n}: {bad}")
            shutil.rmtree(out.parent)
            tried += 1
    print(f"# {tried} faults, {len(wrong)} wrong; calls {numbers}")
    assert not wrong, "\n".join(wrong)


def change(scan, how):
    """Cuts the scan, replaces it by another one, or removes it; of a folder,
    each of its images"""
    files = sorted(scan.iterdir()) if scan.is_dir() else [scan]
    for path in files:
        if how == "cut":
            os.truncate(path, path.stat().st_size // 2)
        elif how == "replaced":
            other = path.with_name("other")
            other.write_bytes(path.read_bytes()[::-1])
            os.replace(other, path)
        else:
            path.unlink()


def check_changed(folder, kind, how):
    """The scan changes while a slice is reconstructed."""
    scan = make_scan(folder, kind)
    kept = folder / "kept"
    (shutil.copytree if scan.is_dir() else shutil.copy2)(scan, kept)
    command = ["recon", scan, "--engine", "host", "--centre", 23.5, "--slice", 2]
    good, counts = folder / "good.tiff", folder / "counts"
    status, said = call([*command, "-o", good], TL_FAULT_COUNTS=str(counts))
    assert status == 0, said
    n = int(dict(line.split() for line in
                 counts.read_text().splitlines())["read"])
    for part in range(1, 8):
        out = folder / f"out-{part}.tiff"
        with subprocess.Popen(
                [PROGRAM, *map(str, command), "-o", out], stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL, encoding="utf-8",
                env={**os.environ, "LD_PRELOAD": LIBRARY,
                     "TL_FAULT": f"stop-read:{n * part // 8}"}) as process:
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status), status
            change(scan, how)
            process.send_signal(signal.SIGCONT)
            said = process.communicate(timeout=LIMIT_S)[1]
        bad = judge(process.returncode, said, list_notes(""), out, good, None)
        assert bad is None, f"at read {n * part // 8} of {n}: {bad}"
        print(f"# {part}/8: status {process.returncode}: "
              + said.strip().splitlines()[-1])
        (shutil.rmtree if scan.is_dir() else pathlib.Path.unlink)(
            scan, **({} if scan.is_dir() else {"missing_ok": True}))
        (shutil.copytree if kept.is_dir() else shutil.copy2)(kept, scan)


def make_scan(folder, kind, size=48, projections=20):
    scan = folder / "scan.h5"
    status, said = call(["phantom", scan, "--size", size, "--rows", 4,
                         "--projections", projections, "--seed", 1])
    assert status == 0, said
    if kind == "h5":
        return scan
    h5py, tifffile = need("h5py"), need("tifffile")
    images = folder / "images"
    images.mkdir()
    with h5py.File(scan) as f:
        for name, path in (("scan", "data"), ("flat", "data_white"),
                           ("dark", "data_dark")):
            for i, image in enumerate(f[f"exchange/{path}"][:8]):
                tifffile.imwrite(images / f"{name}_{i:03}.tif", image)
    return images


def check_recon(folder, kind):
    check(folder, ["recon", make_scan(folder, kind), "--engine", "host",
                   "--centre", 23.5, "--slice", 2], "slice.tiff", False)


def check_export(folder, name, *options):
    check(folder, ["export", make_scan(folder, "h5"), "--engine", "host",
                   "--centre", 23.5, *options], name, True)


def check_fourier(folder, name, *command):
    """Of such a size that the host makes slices by the Fourier method: where
    memory is refused to it, a slice may be back-projected if that is said, and
    an export never."""
    scan = make_scan(folder, "h5", 200, 160)
    command = [command[0], scan, "--engine", "host", "--centre", 99.25,
               *command[1:]]
    said = subprocess.run([PROGRAM, *map(str, command), "--json", "-o",
                           folder / name], capture_output=True,
                          encoding="utf-8", check=True).stdout
    assert '"method": "fourier"' in said, said
    check(folder, command, name, command[0] == "export", 150)


CASES = [(check_recon, "h5"), (check_recon, "tiff"),
         (check_export, "volume"), (check_export, "volume.tif"),
         (check_export, "volume.raw"), (check_export, "volume.zarr"),
         (check_export, "volume.h5"),
         (check_export, "volume.nxs", "--compression", 1),
         (check_fourier, "slice.tiff", "recon", "--slice", 2),
         (check_fourier, "volume.raw", "export", "--slices", "1:2")]
CASES += [(check_changed, kind, how) for kind in ("h5", "tiff")
          for how in ("cut", "replaced", "removed")]

if __name__ == "__main__":
    sys.exit(run(CASES))
