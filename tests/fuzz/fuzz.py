"""Inputs that no program has written.

  fuzz.py try TARGET CORPUS N LIMIT_S MEMORY_MIB
  fuzz.py guided SECONDS TARGET...

try makes N damaged variants of the files of CORPUS, the same in each run, and
runs the program TARGET over them and the files. Each input has LIMIT_S seconds,
and the program MEMORY_MIB of address space (0: no limit, for sanitizers, which
reserve terabytes). An input that ends it is kept in the current folder.

guided runs libFuzzer, as a build with -Dfuzzing=true has it, on each target
until it has used so many seconds of processor time, from the corpus of that
name in tests/files/fuzz. A finding is kept in the current folder, with the
target in its name, and libFuzzer goes on; so is what it wrote, as TARGET.log.
"""

import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = HERE.parent / "files" / "fuzz"
MAX_FINDINGS = 20  # of a target, by libFuzzer
INTERRUPTED = 72  # what libFuzzer returns after SIGINT
BATCH = 50  # inputs of a process, which counts its leaks at its end

# Numbers at which sizes, offsets and counts go wrong.
EXTREMES = [sign * (1 << bits) + more for bits in (0, 7, 8, 15, 16, 31, 32, 63)
            for sign in (1, -1) for more in (-1, 0, 1)]


def damage(whole, rng):
    """Returns: the bytes @whole with one to four damages"""
    data = bytearray(whole)
    for _ in range(rng.randint(1, 4)):
        if not data:
            break
        # half of the damages are in the header
        at = rng.randrange(min(len(data), 1024) if rng.random() < 0.5
                           else len(data))
        length = rng.randint(1, min(64, len(data)))
        kind = rng.choice("flip flip number text cut drop repeat".split())
        if kind == "flip":
            data[at] ^= 1 << rng.randrange(8)
        elif kind == "number":
            size = rng.choice((1, 2, 4, 8))
            number = rng.choice(EXTREMES) % (1 << 8 * size)
            order = rng.choice(("little", "big"))
            data[at:at + size] = number.to_bytes(size, order)
        elif kind == "text":
            data[at:at + rng.randint(0, 3)] = str(rng.choice(EXTREMES)).encode()
        elif kind == "cut":
            del data[at:]
        elif kind == "drop":
            del data[at:at + length]
        else:
            data[at:at] = data[at:at + length] * rng.randint(1, 9)
    return bytes(data)


def make_inputs(corpus, n, folder):
    """Returns: the files of @corpus, and @n damaged variants in @folder"""
    files = sorted(p for p in corpus.iterdir() if p.is_file())
    wholes = [p.read_bytes() for p in files]
    made = list(files)
    for i in range(n):
        made.append(folder / f"{corpus.name}-{i}")
        made[-1].write_bytes(damage(wholes[i % len(wholes)], random.Random(i)))
    return made


def make_environment(folder, target):
    """Temporary files in @folder, and a finding of a sanitizer is an error."""
    env = dict(os.environ, TMPDIR=str(folder))
    leaks = f"suppressions={HERE / 'leaks.supp'}:print_suppressions=0"
    memory = "allocator_may_return_null=1"
    if Path(target).name == "fuzz-scan-txrm":
        # libgsf allocates by GLib, which has no frame pointers
        memory += ":fast_unwind_on_malloc=0"
    for name, more in (("LSAN_OPTIONS", leaks), ("ASAN_OPTIONS", memory),
                       ("UBSAN_OPTIONS", "halt_on_error=1")):
        env[name] = ":".join(filter(None, (env.get(name), more)))
    return env


def try_batch(target, inputs, limit_s, memory_mib, env):
    """Returns: what went wrong, or None"""
    def limit():
        if memory_mib:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mib << 20,) * 2)
    done = subprocess.run([target, str(limit_s), *map(str, inputs)],
                          capture_output=True, env=env, preexec_fn=limit)
    if done.returncode == 0:
        return None
    said = done.stdout.decode(errors="replace").splitlines()
    errors = done.stderr.decode(errors="replace")[-6000:]
    how = (signal.Signals(-done.returncode).name if done.returncode < 0
           else f"status {done.returncode}")
    begun = [p for p in inputs if str(p) in said]
    if not begun:
        return f"{how} before the first input\n{errors}"
    if said[-1] == "end" and len(inputs) > 1:
        # leaks are counted at the end: find out whose they are
        alone = (try_batch(target, [p], limit_s, memory_mib, env)
                 for p in inputs)
        return next(filter(None, alone),
                    f"{how} after {len(inputs)} inputs, none alone\n{errors}")
    last = begun[-1]
    shutil.copy(last, last.name)
    return f"{how} at {last.name}, which is now in {os.getcwd()}\n{errors}"


def try_all(target, corpus, n, limit_s, memory_mib):
    """Returns: whether all is well"""
    with tempfile.TemporaryDirectory() as folder:
        env = make_environment(folder, target)
        inputs = make_inputs(corpus, n, Path(folder))
        for at in range(0, len(inputs), BATCH):
            wrong = try_batch(target, inputs[at:at + BATCH], limit_s,
                              memory_mib, env)
            if wrong is not None:
                print("\n".join("# " + line for line in wrong.splitlines()))
                return False
    return True


def get_processor_s(pid):
    """Returns: what the process @pid has used until now, without the search
    for leaks, which is a process of its own"""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_for(seconds, command, log, env):
    """Runs libFuzzer until it has used @seconds of processor time or has found
    something. Returns: whether it has, and the seconds that it used"""
    child = subprocess.Popen(command, env=env, stdout=log, stderr=log)
    while os.waitid(os.P_PID, child.pid,
                    os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if get_processor_s(child.pid) >= seconds:
            child.send_signal(signal.SIGINT)
        time.sleep(0.5)
    used_s = get_processor_s(child.pid)
    return child.wait() not in (0, INTERRUPTED), used_s


def guide(seconds, target):
    """Returns: whether libFuzzer has found nothing"""
    name = Path(target).name
    n_found, used_s = 0, 0
    with tempfile.TemporaryDirectory() as folder, \
            open(f"{name}.log", "wb") as log:
        new = Path(folder, "new")
        shutil.copytree(FILES / name[len("fuzz-"):], new)
        # HDF5 waits for the writer of each damaged variant
        Path(new, "unfinished.h5").unlink(missing_ok=True)
        env = make_environment(folder, target)
        env["G_DEBUG"] = "fatal-criticals"
        # a limit of time counts waiting for a processor, too
        command = [os.path.abspath(target), "-timeout=60",
                   "-rss_limit_mb=3000", "-max_len=65536",
                   # what is allocated and not used takes no memory
                   "-malloc_limit_mb=1000000",
                   f"-artifact_prefix={os.getcwd()}/{name}-",
                   "-print_final_stats=1", new]
        while used_s < seconds and n_found < MAX_FINDINGS:
            has_found, s = run_for(seconds - used_s, command, log, env)
            n_found += has_found
            used_s += s
    counts = re.findall(r"number_of_executed_units: *(\d+)",
                        Path(f"{name}.log").read_text(errors="replace"))
    print(f"{name}: {sum(map(int, counts))} inputs, {used_s:.0f} s of "
          f"processor time, {n_found} findings", flush=True)
    return n_found == 0


def main(how, *args):
    if how == "guided":
        sys.exit(not all([guide(int(args[0]), t) for t in args[1:]]))
    target, corpus, n, limit_s, memory_mib = args
    print("1..1")
    good = try_all(target, Path(corpus), int(n), int(limit_s), int(memory_mib))
    print("ok 1" if good else "not ok 1", f"/{Path(corpus).name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
