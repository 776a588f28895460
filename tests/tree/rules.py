"""Rules that need no compiler. Each takes a Tree and yields complaints, each
one sentence that begins with the file, or raises Skip."""

import re
import shutil
import subprocess
from pathlib import PurePosixPath

from sources import CODE, Skip

TOP = {"meson.build", "meson_options.txt", "README.md", "LICENSE", "start",
       "check", "app", "ui", "gpu", "render", "data", "tests"}
MAX_TEST_BYTES = 1000 * 1000

# The libraries that have one home.
LIBRARIES = [
    ("libtiff", r"tiff.*\.h", ("data/",)),
    ("HDF5", r"(hdf5|H5).*\.h", ("data/",)),
    ("ISA-L", r"isa-l/.*", ("data/",)),
    ("zlib", r"zlib\.h", ("data/",)),
    ("libpng", r"(libpng.*/)?png.*\.h", ("data/", "app/cli/test-cli-render.c")),
    ("ZeroMQ", r"zmq.*\.h", ("data/stream/", "bench/")),
    ("FFTW", r"fftw3.*\.h", ("gpu/host/", "gpu/centre/")),
    ("CUDA", r"(cuda|cufft|cublas|curand|nvrtc|nvml|driver_types|vector_types|"
             r"cooperative_groups|thrust/|cub/|device_).*", ("gpu/cuda/",)),
    ("OpenGL", r"(epoxy|GL|GLES\d?|EGL|KHR)/.*",
     ("render/", "gpu/cuda/memory/interop.c", "ui/picture/test-lost-context.c")),
    ("GTK", r"(gtk|gdk|gsk|pango|adwaita)/.*|(graphene|cairo|adwaita).*\.h",
     ("ui/", "app/main.c")),
]


def check_top_level(tree):
    for name in sorted({f.split("/", 1)[0] for f in tree.files}):
        if name not in TOP and not name.startswith("."):
            yield f"{name}: nothing of that name belongs at the top"


def home_of(name):
    """The place of a file; a test has that of the folder it tests."""
    if name.startswith("tests/") and not name.startswith("tests/support/"):
        return name[len("tests/"):]
    return name


def check_libraries(tree):
    for name in tree.list(*CODE):
        home = home_of(name)
        for line, _, world in tree.includes(name):
            for library, pattern, places in LIBRARIES:
                if world and re.fullmatch(pattern, world) \
                        and not home.startswith(places):
                    yield (f"{name}:{line}: <{world}>: {library} belongs to "
                           + " and ".join(places))


def check_include_order(tree):
    """Own header, then ours, then the world; lists (.def) stand anywhere."""
    for name in tree.list(".c", ".cu"):
        own = str(PurePosixPath(name).with_suffix(".h"))
        world_seen = None
        includes = [i for i in tree.includes(name)
                    if not (i[1] or "").endswith(".def")]
        for i, (line, ours, world) in enumerate(includes):
            if ours == own and i > 0:
                yield f"{name}:{line}: its own header comes first"
            elif ours and world_seen:
                yield f"{name}:{line}: {ours} comes after <{world_seen}>"
            world_seen = world or world_seen


def check_cuda_question(tree):
    """CUDA is looked for when the program starts, never by the compiler."""
    asks = re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*(?:CUDA|NVCC|HAVE_GPU)", re.M)
    defines = re.compile(r"-D\w*CUDA|set(?:10)?\s*\(\s*'\w*CUDA")
    for names, pattern in ((tree.list(*CODE), asks),
                           ([f for f in tree.files
                             if f.endswith("meson.build")], defines)):
        for name in names:
            if not name.startswith("gpu/cuda/"):
                for line in matching_lines(tree.read(name), pattern):
                    yield f"{name}:{line}: asks at compile time for CUDA"


def matching_lines(text, pattern):
    return [text.count("\n", 0, m.start()) + 1 for m in pattern.finditer(text)]


def check_kernel_sources(tree):
    """GLib stays out of .cu files, and kernels are called ..._kernel."""
    bounds = r"(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?"
    kernel = re.compile(r"__global__\s+" + bounds + r"(?:\w+\s+)*" + bounds
                        + r"(?!__launch)(\w+)\s*\(")
    for name in tree.list(".cu", ".cuh"):
        for reached, by in reach(tree, name).items():
            for _, _, world in tree.includes(reached):
                if world and re.match(r"(glib|gio|gobject|gmodule)", world):
                    yield f"{name}: <{world}> comes in by {by}"
        text = tree.read(name)
        for match in kernel.finditer(text):
            if not match[1].endswith("_kernel"):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: {match[1]} does not end in _kernel"


def reach(tree, name):
    """Our files that @name includes, directly or not, and by way of what."""
    found = {name: name}
    queue = [name]
    while queue:
        for _, ours, _ in tree.includes(queue[0]):
            if ours in tree.names and ours not in found:
                found[ours] = ours
                queue.append(ours)
        queue.pop(0)
    return found


def check_blanks(tree):
    """Tabs are for make alone, as in debian/rules."""
    for name in tree.list_text():
        if name.startswith("tests/files/"):
            continue  # data, as the programs of others write it
        text = tree.read(name)
        for what, pattern in (("a tab", r"\t"), ("a carriage return", r"\r"),
                              ("blanks at the end", r"[ \t]+$"),
                              ("empty lines at the end", r"\n\n\Z")):
            lines = matching_lines(text, re.compile(pattern, re.M))
            if lines and (what != "a tab" or not name.endswith("/rules")):
                yield f"{name}:{lines[0]}: {what}"
        if text and not text.endswith("\n"):
            yield f"{name}: no line end at the end"


def check_settings(tree):
    """The schemas of GSettings, as strictly as the build compiles them."""
    program = shutil.which("glib-compile-schemas")
    if not program:
        raise Skip("glib-compile-schemas is not installed")
    names = [n for n in tree.files if n.endswith(".gschema.xml")]
    if not names:
        yield "ui/desktop: there is no schema"
    for folder in sorted({str(PurePosixPath(n).parent) for n in names}):
        done = subprocess.run([program, "--strict", "--dry-run",
                               tree.root / folder], check=False, text=True,
                              capture_output=True)
        if done.returncode != 0 or done.stderr:
            yield f"{folder}: {done.stderr.strip()}"


def check_shell(tree):
    """A program is started by a list of words, which no shell reads."""
    call = re.compile(r"\b(?:system|popen|wordexp|g_spawn_command_line_\w+"
                      r"|g_app_info_create_from_commandline) ?\("
                      r"|\"(?:/bin/)?(?:ba|da)?sh\"")
    for name in tree.list(*CODE):
        if not name.startswith("tests/"):
            for line in matching_lines(tree.read(name), call):
                yield f"{name}:{line}: gives a shell words to read"


def check_leftovers(tree):
    word = re.compile(r"\b(?:TODO|FIXME|XXX)\b(?!.*#\d)|^[ \t]*#[ \t]*if 0\b",
                      re.M)
    for name in tree.list(*CODE):
        for line in matching_lines(tree.read(name), word):
            yield f"{name}:{line}: unfinished work without an issue number"


def check_test_files(tree):
    size = sum((tree.root / f).stat().st_size for f in tree.files
               if f.startswith("tests/files/"))
    if size > MAX_TEST_BYTES:
        yield f"tests/files: {size} bytes, the limit is {MAX_TEST_BYTES}"


def check_format(tree):
    """Version 14 decides: others lay out a few things differently."""
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if tool is None:
        raise Skip("no clang-format")
    version = subprocess.run([tool, "--version"], capture_output=True,
                             text=True, check=True).stdout.strip()
    if "version 14." not in version:
        raise Skip(f"clang-format 14 decides the layout, here is {version}")
    files = tree.list(".c", ".h", ".cu", ".cuh")
    if not files:
        return
    said = subprocess.run([tool, "--dry-run", "--style=file", *files],
                          cwd=tree.root, capture_output=True, text=True,
                          check=False)
    if said.returncode != 0:
        yield f"{tool}: {said.stderr.strip()}"
    seen = set()
    for match in re.finditer(r"^(.*?):(\d+):\d+: \w+: code should be",
                             said.stderr, re.M):
        if match[1] not in seen:
            seen.add(match[1])
            yield f"{match[1]}:{match[2]}: not as clang-format lays it out"
