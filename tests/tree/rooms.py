"""Who may include whom. A room is a folder; ROOMS is the one table of the
arrows between rooms, and an arrow that is not in it is a complaint. A room
always sees itself and what lies in no room of ours, such as GLib.

Whoever needs a new arrow adds it here, and the rule "rooms/table" says whether
it closes a circle. Each rule takes a Tree and yields complaints."""

import re
from pathlib import PurePosixPath

from sources import CODE

# room: the rooms whose headers its files may include, lowest floor first.
ROOMS = {
    "data": "",
    "data/write": "data",
    "data/write/volume": "data data/write",
    "data/phantom": "data data/write",
    "data/read/scan": "data",
    "data/read/format": "data data/read/scan",
    "data/read": "data data/read/scan data/read/format"
                 " data/write/volume",  # to know a volume from a scan
    "data/read/edf": "data data/read/scan data/read/format",
    "data/read/fits": "data data/read/format",
    "data/read/hdf5": "data data/read/scan data/read/format",
    "data/read/held": "data data/read/scan data/read",
    "data/read/images": "data data/read/scan data/read/format",
    "data/read/nrrd": "data data/read/format",
    "data/read/survey": "data data/read/scan data/read/format data/read",
    "data/read/tiff": "data data/read/format",
    "data/read/txrm": "data data/read/format",
    "data/read/zarr": "data data/read/scan data/read/format",
    "data/stream": "data data/read/scan",
    "data/stream/sources": "data data/read/scan data/read/format data/read"
                           " data/read/images data/stream",
    "data/follow": "data data/read/scan data/read/held data/stream data/write",

    "gpu/stages": "data",
    "gpu/backend": "data gpu/stages",
    "gpu/choice": "data gpu/stages gpu/backend",
    "gpu/host": "data gpu/stages gpu/backend",
    "gpu/cuda/device": "data",
    "gpu/cuda/memory": "data gpu/stages gpu/backend gpu/cuda/device",
    "gpu/cuda/inflate": "data gpu/cuda/device gpu/cuda/memory",
    "gpu/cuda/fourier": "gpu/stages gpu/cuda/device",
    "gpu/cuda/backproject": "data gpu/stages gpu/backend gpu/cuda/device"
                            " gpu/cuda/memory gpu/cuda/fourier",
    "gpu/cuda/tensor": "gpu/stages gpu/cuda/backproject",
    "gpu/cuda/state": "data gpu/stages gpu/backend gpu/cuda/device"
                      " gpu/cuda/memory gpu/cuda/backproject"
                      " gpu/cuda/fourier",
    "gpu/cuda/stages": "data gpu/stages gpu/backend gpu/cuda/device"
                       " gpu/cuda/memory gpu/cuda/backproject"
                       " gpu/cuda/fourier gpu/cuda/state",
    "gpu/cuda/figures": "data gpu/stages gpu/backend gpu/cuda/device"
                        " gpu/cuda/memory gpu/cuda/backproject gpu/cuda/state",
    "gpu/cuda": "data gpu/stages gpu/choice gpu/backend gpu/cuda/device"
                " gpu/cuda/memory gpu/cuda/backproject gpu/cuda/state"
                " gpu/cuda/stages gpu/cuda/figures gpu/cuda/inflate",
    "gpu": "data gpu/stages gpu/choice gpu/backend gpu/host",
    "gpu/centre": "data gpu/stages gpu/host gpu",

    "render/look": "data",
    "render": "data gpu/backend render/look",

    "app/measure": "",
    "app/background": "data",
    "app/recipe": "data data/read/scan data/read/format data/read data/write"
                  " data/stream gpu/stages gpu/choice gpu render/look",
    "app/recon": "data data/read/scan data/read/format data/read data/read/held"
                 " data/read/survey gpu/stages gpu/backend gpu/choice gpu app/recipe",
    "app/recon/volume": "data gpu/stages gpu/choice gpu app/recipe app/recon",
    "app/resident": "data data/read/held app/background app/recipe",
    "app/pipeline": "data gpu",
    "app/export": "data data/read/scan data/read/format data/read data/write"
                  " data/write/volume gpu/host gpu/choice gpu app/background app/recipe"
                  " app/recon app/pipeline",
    "app/play": "data data/read/scan data/read/format data/read data/write data/stream",
    "app/worker": "data data/read/scan data/read/format data/read/held gpu app/recipe"
                  " app/recon app/recon/volume app/resident app/export",
    "app/growth": "data data/read/scan data/read/format data/stream data/follow"
                  " gpu/stages gpu/backend app/background app/recon app/worker",
    "app/messages": "",
    "app/scan": "data data/read/format data/write data/stream app/messages app/recipe"
                " app/recon app/worker",
    "app/parameters": "data gpu/stages app/recipe app/scan",
    "app/display": "data data/read/held data/write gpu app/messages app/recipe app/recon"
                   " app/recon/volume app/export app/parameters",
    "app/session": "data data/read/scan data/read/format data/stream app/export"
                   " app/growth app/scan app/parameters app/display",
    "app/axis": "data gpu/stages gpu gpu/centre app/background app/recipe app/recon"
                " app/worker app/session",
    "app/axis/candidates": "data gpu/stages gpu gpu/centre app/background app/recipe app/recon"
                           " app/worker app/session app/axis",
    "app/axis/overlay": "data gpu gpu/centre app/recipe app/recon app/worker"
                        " app/session app/axis",
    "app/volume": "data data/read/held gpu/stages gpu/choice gpu app/recipe"
                  " app/recon app/recon/volume"
                  " app/worker app/session app/resident render/look",
    "app/planes": "data data/read/held app/measure app/recon app/resident"
                  " app/session",
    "app/cli": "data data/phantom data/read/format data/read data/write data/stream"
               " data/follow gpu/stages gpu app/recipe app/recon app/resident"
               " app/pipeline app/export app/play app/session app/axis",
    "app/cli/bench": "data data/phantom data/write gpu/stages gpu app/session"
                     " app/planes app/cli",
    "app/cli/centre": "data data/write app/recipe app/recon app/axis"
                      " app/axis/candidates app/axis/overlay app/cli",
    "app/cli/recon": "data data/write app/recipe app/recon app/export app/cli",
    "app/cli/thumbnail": "data data/read data/write app/recon app/cli",
    "app/cli/render": "data data/write app/recipe app/recon app/recon/volume"
                      " app/cli render",

    "ui/desktop": "data app/session app/axis app/axis/candidates",
    "ui/view": "app/scan app/session app/axis/overlay render render/look",
    "ui/volume": "render render/look app/measure app/volume ui/view ui/plot"
                 " ui/controls ui/picture",
    "ui/plot": "app/measure",
    "ui/controls": "app/recipe ui/view",
    "ui/dialogs": "app/recipe app/planes app/session ui/desktop ui/view",
    "ui/chooser": "app/scan app/session ui/view ui/controls ui/dialogs",
    "ui/compare": "render app/axis/overlay ui/view ui/plot",
    "ui/measure": "app/measure app/recon app/planes ui/view ui/plot ui/controls",
    "ui/picture": "data/write render app/session app/axis/overlay ui/view"
                  " ui/plot ui/compare ui/measure",
    "ui/planes": "render app/session app/planes ui/view ui/plot ui/compare"
                  " ui/measure ui/picture",
    "ui/actions": "data app/session app/axis app/axis/candidates app/volume"
                  " app/axis/overlay ui/view ui/dialogs ui/compare ui/measure"
                  " ui/picture",
    "ui/axis": "data render render/look app/measure app/session app/axis app/axis/overlay"
               " ui/view ui/plot ui/controls ui/compare ui/actions",
    "ui/candidates": "data render app/measure app/axis/candidates ui/view"
                     " ui/plot ui/controls ui/picture",
    "ui/panel": "data data/read/scan data/read app/recipe app/recon app/session"
                " app/axis app/axis/overlay ui/view ui/controls ui/measure ui/picture"
                " ui/axis",
    "ui/export": "data data/stream app/recipe app/session app/export ui/desktop"
                 " ui/view ui/controls ui/measure ui/dialogs",
    "ui/growth": "data/stream app/session app/axis app/axis/overlay ui/view"
                 " ui/controls ui/dialogs",
    "ui/help": "app/session ui/view",
    "ui": "",  # the header of the resources, which the build makes
    "ui/bus": "data/write app/session app/axis ui",
    "ui/welcome": "data app/session ui/desktop ui/view",
    "ui/window": "app/scan app/session ui ui/bus ui/desktop ui/view ui/controls ui/dialogs"
                 " ui/compare ui/measure ui/picture ui/actions ui/axis"
                 " ui/candidates ui/volume ui/chooser ui/panel ui/export ui/growth ui/help"
                 " ui/welcome ui/planes",

    # main.c alone: the program is started from below the window.
    "app": "data/read/format app/recipe ui/desktop ui/window",
}

# Tests see whole floors, tests/support and their own folder of tests/. The
# module's folders are seen by tests/gpu/cuda alone.
TESTS = {
    "tests/support": "data gpu render",
    "tests/data": "data",
    "tests/gpu": "data gpu",
    "tests/render": "data gpu render",
    "tests/app": "data gpu render app",
    "tests/bench": "data gpu app",
    "tests/fuzz": "data gpu app",
    "tests/ui": "data gpu render app ui",
}

# Still allowed until the code follows the rules: (from, to) between rooms, the
# modules of circles, private headers that others include, and folders of too
# many files. Each list only shrinks.
KNOWN_ARROWS = set()
KNOWN_CIRCLES = set()
KNOWN_PRIVATE = set()
KNOWN_LARGE = set()

MAX_FILES = 25


def room_of(name):
    return str(PurePosixPath(name).parent)


def module_of(name):
    """A type's sources and headers are one module: gpu/engine."""
    return re.sub(r"(-private)?\.\w+$", "", name)


def find_circles(graph):
    """@graph: node -> nodes it points to. Yields each group of nodes that can
    all reach one another, sorted."""
    def reach(start):
        found, waiting = set(), [start]
        while waiting:
            for node in graph.get(waiting.pop(), ()):
                if node not in found:
                    found.add(node)
                    waiting.append(node)
        return found

    reached = {node: reach(node) for node in graph}
    told = set()
    for node in sorted(graph):
        if node in reached[node] and node not in told:
            circle = sorted(n for n in reached[node]
                            if node in reached.get(n, ()))
            told.update(circle)
            yield circle


def check_table(rooms=None):
    """The arrows of the table name rooms and form no circle."""
    graph = {room: seen.split() for room, seen in (rooms or ROOMS).items()}
    for room, seen in graph.items():
        for other in seen:
            if other not in graph:
                yield f"{room}: sees {other}, which has no line of its own"
            if room in seen:
                yield f"{room}: a room need not be told that it sees itself"
    for circle in find_circles(graph):
        yield "rooms that see each other: " + ", ".join(circle)


def check_rooms(tree, rooms=None):
    """Each folder with sources is in the table, and the other way round."""
    rooms = rooms or ROOMS
    used = {room_of(f) for f in tree.list(*CODE) if not f.startswith("tests/")}
    for room in sorted(used - set(rooms)):
        yield f"{room}: is a room without a line in tests/tree/rooms.py"
    for room in sorted(set(rooms) - {room_of(f) for f in tree.files}):
        yield f"{room}: has a line in tests/tree/rooms.py and no files"


def check_arrows(tree, rooms=None, known=None):
    """Each include is written from the root and follows the table."""
    rooms = rooms or ROOMS
    known = KNOWN_ARROWS if known is None else known
    for name in tree.list(*CODE):
        for line, ours, _ in tree.includes(name):
            if ours is None:
                continue
            where = f"{name}:{line}"
            if ours.startswith(".") or "/../" in ours or "/" not in ours:
                yield f'{where}: "{ours}" is not written from the root'
            elif not may_include(name, ours, rooms, known):
                yield f"{where}: {room_of(name)} may not include {ours}"


def may_include(name, wanted, rooms, known):
    room, other = room_of(name), room_of(wanted)
    if name.startswith("tests/"):
        test_floor = "/".join(name.split("/")[:2])
        floor = wanted.split("/")[0]
        return (other == "tests/support"
                or (other + "/").startswith(test_floor + "/")
                or (floor in TESTS.get(test_floor, "").split()
                    and (room == "tests/gpu/cuda"
                         or not other.startswith("gpu/cuda"))))
    return (room == other or other in rooms.get(room, "").split()
            or (room, other) in known)


def check_private(tree, known=None):
    """A private header is for its own folder, the folders below, and tests."""
    known = KNOWN_PRIVATE if known is None else known
    for name in tree.list(*CODE):
        for line, ours, _ in tree.includes(name):
            if ours and "-private." in ours \
                    and not name.startswith((room_of(ours) + "/", "tests/")) \
                    and ours not in known:
                yield f"{name}:{line}: {ours} is private to its folder"


def check_circles(tree, known=None):
    """No two modules include each other, directly or by way of others."""
    known = KNOWN_CIRCLES if known is None else known
    graph = {}
    for name in tree.list(*CODE):
        module = module_of(name)
        seen = graph.setdefault(module, set())
        seen.update(module_of(ours) for _, ours, _ in tree.includes(name)
                    if ours in tree.names and module_of(ours) != module)
    for circle in find_circles(graph):
        if not known.issuperset(circle):
            yield "modules that include each other: " + ", ".join(circle)
    # A header that includes itself is a circle within one module.
    for name in tree.list(".h", ".cuh"):
        if any(ours == name for _, ours, _ in tree.includes(name)):
            yield f"{name}: includes itself"


def check_size(tree, known=None):
    """A folder of many files usually holds two subjects. Where it holds one,
    its README says so in a sentence with the words "one subject"."""
    known = KNOWN_LARGE if known is None else known
    folders = {}
    for name in tree.list(*CODE):
        folders.setdefault(room_of(name), []).append(name)
    for folder, names in sorted(folders.items()):
        readme = f"{folder}/README.md"
        if len(names) > MAX_FILES and folder not in known and not (
                readme in tree.names and "one subject" in tree.read(readme)):
            yield (f"{folder}: has {len(names)} sources, more than {MAX_FILES};"
                   f' divide it, or say in its README.md why it is "one subject"')


NAMED = re.compile(r"(?<![\w./*-])((?:[\w-]+/)+[\w.-]*\w"
                   r"\.(?:c|h|cu|cuh|def|py|ui|css|glsl|md|sh))\b(?!\.?[\w*])")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TOPS = ("data/", "gpu/", "render/", "app/", "ui/", "tests/", ".ci/")


def check_named_files(tree):
    """A file that a comment or a README names is there, seen from the root or
    from the folder of whoever names it."""
    folders = {room_of(f).split("/")[-1] for f in tree.files} - {"."}
    for name in tree.list(*CODE, ".md"):
        text = tree.read(name)
        parts = [(0, text)] if name.endswith(".md") else [
            (m.start(), m[0]) for m in COMMENT.finditer(text)]
        for start, part in parts:
            for match in NAMED.finditer(part):
                wanted = match[1]
                near = [str(parent / wanted)
                        for parent in PurePosixPath(name).parents]
                is_ours = wanted.startswith(TOPS) \
                    or wanted.split("/")[0] in folders
                if is_ours and not any(n in tree.names for n in near):
                    line = text.count("\n", 0, start + match.start()) + 1
                    yield f"{name}:{line}: there is no {wanted}"
