"""Shows each rule a tree that breaks it and one that does not: a rule that
cannot complain is worth nothing."""

import json
import sys
import tempfile
from pathlib import Path

import headers
import rooms
import rules
import translations
from sources import Skip, Tree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))
import tally  # noqa: E402 (found by the line above)

STYLE = "BasedOnStyle: GNU\nColumnLimit: 80\n"

PO = {"ui/po/POTFILES": "ui/a.c\n", "ui/po/LINGUAS": "de\n",
      "ui/po/meson.build": "'--keyword=_', '--keyword=g_dngettext:2,3'\n",
      "ui/a.c": 'f (_ ("A"));\n'}
PO_HEAD = ('msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"'
           '\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n')

SMALL_TABLE = {"data": "", "gpu/low": "data", "gpu": "data gpu/low"}


def check_small_table(tree):
    return rooms.check_arrows(tree, SMALL_TABLE, known=set())


def check_small_rooms(tree):
    return rooms.check_rooms(tree, SMALL_TABLE)


# rule, files, part of each complaint that must come, in order of the files
CASES = [
    (rules.check_top_level, {"README.md": "x\n", ".hidden": "x\n"}, []),
    (rules.check_top_level, {"notes.txt": "x\n"}, ["notes.txt"]),

    (check_small_table, {"data/a.c": '#include "data/b.h"\n',
                         "gpu/low/a.c": '#include "data/b.h"\n',
                         "gpu/a.c": '#include "gpu/low/b.h"\n',
                         "tests/gpu/a.c": '#include "gpu/low/b.h"\n'
                                          '#include "tests/support/b.h"\n'},
     []),
    (check_small_table, {"data/a.c": '#include "gpu/b.h"\n',
                         "gpu/low/a.c": '# include "gpu/b.h"\n',
                         "tests/gpu/a.c": '#include "ui/b.h"\n',
                         "tests/data/a.c": '#include "gpu/b.h"\n'},
     ["data may not include gpu/b.h", "gpu/low may not", "tests/gpu may not",
      "tests/data may not"]),
    (check_small_table, {"gpu/a.c": '\n#include "../data/b.h"\n',
                         "gpu/b.c": '#include "c.h"\n'},
     ["gpu/a.c:2: \"../data/b.h\" is not", "\"c.h\" is not"]),
    (check_small_rooms, {"data/a.c": "", "gpu/a.c": "", "gpu/low/a.c": "",
                         "tests/new/a.c": ""}, []),
    (check_small_rooms, {"data/a.c": "", "gpu/a.c": "", "gpu/new/a.c": ""},
     ["gpu/new: is a room", "gpu/low: has a line"]),

    (rooms.check_private, {"app/low/a.c": '#include "app/b-private.h"\n',
                           "app/a.c": '#include "app/b-private.h"\n',
                           "tests/ui/a.c": '#include "app/b-private.h"\n'}, []),
    (rooms.check_private, {"app/a.c": '#include "app/low/b-private.h"\n',
                           "app/low/a.c": '#include "gpu/b-private.h"\n'},
     ["app/a.c:1: app/low/b-private.h is private", "gpu/b-private.h"]),

    (rooms.check_circles, {"data/a.h": '#include "data/b.h"\n',
                           "data/a-private.h": '#include "data/a.h"\n',
                           "data/b.h": "\n"}, []),
    (rooms.check_circles, {"data/a.c": '#include "data/b.h"\n', "data/a.h": "",
                           "data/b-private.h": '#include "data/a.h"\n',
                           "data/b.h": ""},
     ["include each other: data/a, data/b"]),
    (rooms.check_circles, {"data/a.h": '#include "data/b.h"\n',
                           "data/b.h": '#include "data/c.h"\n',
                           "data/c.h": '#include "data/a.h"\n'},
     ["data/a, data/b, data/c"]),
    (rooms.check_circles, {"data/a.h": '#include "data/a.h"\n'},
     ["includes itself"]),

    (rooms.check_size, {f"data/{i}.c": "" for i in range(25)}, []),
    (rooms.check_size, {f"data/{i}.c": "" for i in range(26)}, ["26 sources"]),
    (rooms.check_size, {"data/README.md": "All of it is one subject: x.\n",
                        **{f"data/{i}.c": "" for i in range(26)}}, []),

    (rooms.check_named_files,
     {"gpu/a.c": '/* As in data/b.c, low/c.h and gpu/a.c; not so/other.c. */\n'
                 'f ("data/none.c");\n', "data/b.c": "", "gpu/low/c.h": "",
      "gpu/README.md": "`low/c.h` and `data/*.c`\n"}, []),
    (rooms.check_named_files,
     {"gpu/a.c": "\n/* See\n * gpu/none.c. */\n// data/c.h\n",
      "tests/README.md": "`gpu/none.py`\n"},
     ["gpu/a.c:3: there is no gpu/none.c", "gpu/a.c:4: there is no data/c.h",
      "gpu/none.py"]),

    (rules.check_libraries, {"data/a.c": "#include <hdf5.h>\n",
                             "gpu/host/a.c": "#include <fftw3.h>\n",
                             "gpu/cuda/memory/interop.c": "#include <epoxy/gl.h>\n",
                             "tests/data/a.c": "#include <tiffio.h>\n",
                             "app/main.c": "#include <gtk/gtk.h>\n"}, []),
    (rules.check_libraries, {"app/a.c": "#include <tiffio.h>\n",
                             "app/b.c": "#include <hdf5.h>\n",
                             "app/c.c": "#include <png.h>\n",
                             "app/d.c": "#include <gtk/gtk.h>\n",
                             "gpu/a.c": "#include <fftw3.h>\n",
                             "gpu/host/a.c": "#include <cuda_runtime.h>\n",
                             "ui/a.c": "#include <epoxy/gl.h>\n"},
     ["libtiff", "HDF5", "libpng", "GTK", "FFTW", "CUDA", "OpenGL"]),

    (rules.check_include_order, {"data/a.c": '#include "data/a.h"\n'
                                             '#include "data/b.h"\n'
                                             '#include <math.h>\n'
                                             '#include "data/c.def"\n'}, []),
    (rules.check_include_order, {"data/a.c": '#include <math.h>\n'
                                             '#include "data/b.h"\n'},
     ["data/b.h comes after <math.h>"]),
    (rules.check_include_order, {"data/a.c": '#include "data/b.h"\n'
                                             '#include "data/a.h"\n'},
     ["own header"]),

    (rules.check_cuda_question, {"gpu/cuda/a.h": "#ifdef __CUDACC__\n",
                                 "gpu/a.h": "#ifdef __cplusplus\n"}, []),
    (rules.check_cuda_question, {"gpu/a.c": "# ifdef HAVE_CUDA\n",
                                 "gpu/b.c": "#if defined(__NVCC__)\n",
                                 "gpu/meson.build": "c_args: '-DHAVE_CUDA'\n"},
     ["gpu/a.c", "gpu/b.c", "gpu/meson.build"]),

    (rules.check_shell, {"app/a.c": "find_system (path);\n"
                                    'words[] = { "sbatch", path };\n',
                         "tests/a.c": 'system ("true");\n'}, []),
    (rules.check_shell, {"app/a.c": "system (path);\n",
                         "app/b.c": 'words[] = { "sh", "-c", path };\n',
                         "app/c.c": "g_spawn_command_line_async (path, 0);\n"},
     ["app/a.c", "app/b.c", "app/c.c"]),

    (rules.check_kernel_sources,
     {"gpu/cuda/a.cu": "template <int N> __global__ void __launch_bounds__ "
                       "(64)\nsum_kernel (int n)\n"}, []),
    (rules.check_kernel_sources,
     {"gpu/cuda/a.cu": "__global__ static void\nsum (int n)\n"}, ["sum"]),
    (rules.check_kernel_sources,
     {"gpu/cuda/a.cu": '#include "gpu/cuda/a.h"\n',
      "gpu/cuda/a.h": '#include "data/b.h"\n',
      "data/b.h": "#include <glib.h>\n"}, ["<glib.h> comes in by data/b.h"]),

    (rules.check_blanks, {"data/a.c": "a\n\nb\n",
                          "a/rules": "all:\n\tb\n",
                          "tests/files/a": "a \t"}, []),
    (rules.check_blanks, {"data/a.c": "a\tb\n", "data/b.c": "a \n",
                          "data/c.c": "a\r\n", "data/d.c": "a",
                          "data/e.c": "a\n\n"},
     ["a tab", "blanks", "carriage", "no line end", "empty lines"]),

    (rules.check_leftovers, {"data/a.c": "/* TODO: faster, #12 */\n"}, []),
    (rules.check_leftovers, {"data/a.c": "/* TODO: faster */\n",
                             "data/b.c": "#if 0\n"}, ["data/a.c", "data/b.c"]),

    (rules.check_test_files, {"tests/files/a": "x" * 1000}, []),
    (rules.check_test_files, {"tests/files/a": "x" * 1000001}, ["1000001"]),

    (rules.check_format, {".clang-format": STYLE, "data/a.c": "int a;\n"}, []),
    (rules.check_format, {".clang-format": STYLE, "data/a.c": "int  a;\n"},
     ["data/a.c:1"]),

    (translations.check_marks,
     {"ui/a.ui": '<property name="label" translatable="yes">A</property>\n'
                 '<property name="title" translatable="no">B</property>\n'
                 '<property name="label">%</property>\n'}, []),
    (translations.check_marks,
     {"ui/a.ui": '\n<property name="tooltip-text">A</property>\n'},
     ["ui/a.ui:2: say translatable"]),

    (translations.check_errors,
     {"data/a.c": 'g_set_error (error, A, B, _ ("%s: is \\"odd\\""), name);\n'
                  'g_set_error (error, A, B, "%s: %s", name, why);\n'
                  'g_set_error (error, A, B, "%s: %s", name, _ ("it is odd"));\n',
      "app/cli-a.c": 'g_set_error (error, A, B, "odd");\n',
      "ui/a.c": 'g_set_error (error, A, B, "odd");\n'}, []),
    (translations.check_errors,
     {"data/a.c": '/* a\n */\ng_set_error (error, A,\n B, "%s: "\n "odd", n);\n',
      "gpu/a.c": 'g_set_error_literal (error, f (a), B, "odd");\n',
      "app/a.c": 'tl_scan_draft_note (draft, "odd");\n'},
     ["app/a.c:1", "data/a.c:3", "gpu/a.c:1"]),

    (translations.check_list,
     {"ui/po/POTFILES": "# c\nui/a.c\n", "ui/a.c": 'f (_ ("A"));\n',
      "ui/b.c": "/* _ () marks */\n"}, []),
    (translations.check_list,
     {"ui/po/POTFILES": "ui/c.c\n", "data/a.c": '{ N_ ("A") }\n'},
     ["there is no ui/c.c", "data/a.c: has sentences"]),

    (translations.check_catalogues, dict(PO, **{
        "ui/po/de.po": PO_HEAD + 'msgid "A"\nmsgstr "B"\n'}), []),
    (translations.check_catalogues, dict(PO, **{
        "ui/po/de.po": PO_HEAD + 'msgid "C"\nmsgstr "D"\n'}),
     ["but not defined", "is not used"]),
    (translations.check_catalogues, dict(PO, **{
        "ui/po/de.po": PO_HEAD + 'msgid "A"\nmsgstr ""\n'}),
     ["untranslated"]),
    (translations.check_catalogues, dict(PO, **{
        "ui/po/de.po": PO_HEAD + '#, fuzzy\nmsgid "A"\nmsgstr "B"\n'}),
     ["reviewed"]),
    (translations.check_catalogues, dict(PO, **{
        "ui/a.c": 'f (_ ("A"), g_dngettext (NULL, "%d A", "%d As", n));\n',
        "ui/po/de.po": PO_HEAD + 'msgid "A"\nmsgstr "B"\n#, c-format\n'
                       'msgid "%d A"\nmsgid_plural "%d As"\n'
                       'msgstr[0] "%d B"\nmsgstr[1] "%s Bs"\n'}),
     ["msgstr[1]"]),
]

LOG_CASES = [
    ("ok 1 /a\nok 2 /b # SKIP no GPU\n1..2\n", "OK", 0, (1, 0, 1)),
    ("1..2\nok 1 /a\nnot ok 2 /b\n", "FAIL", 1, (1, 1, 0)),
    ("1..2\nok 1 /a\n", "ERROR", -11, (1, 1, 0)),
    ("1..2\nok 1 /a\n", "TIMEOUT", -15, (1, 1, 0)),
    ("1..2\nok 1 /a\n", "OK", 0, (1, 1, 0)),
    ("# Start of a tests\nok 1 /a\n1..1\n", "ERROR", 1, (1, 1, 0)),
    ("1..0\n", "SKIP", 0, (0, 1, 0)),
    ("1..0 # SKIP no display\n", "SKIP", 0, (0, 0, 1)),
    ("", "SKIP", 0, (0, 1, 0)),
]


def list_complaints(rule, *args):
    try:
        return list(rule(*args))
    except Skip as skip:
        return skip


def check_rules():
    """Complaints about the rules of rules.py."""
    for rule, files, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            write_files(folder, files)
            got = list_complaints(rule, Tree(folder))
        if isinstance(got, Skip):
            continue
        if len(got) != len(expected) or not all(
                any(e in g for g in got) for e in expected):
            yield f"{rule.__name__}, {list(files)}: wanted {expected}, got {got}"


def check_room_tables():
    """Complaints about the rule of the table of rooms itself."""
    for table, expected in (
            (SMALL_TABLE, []),
            ({"a": "b"}, ["which has no line"]),
            ({"a": "a"}, ["need not be told", "see each other: a"]),
            ({"a": "b", "b": "c", "c": "a"}, ["see each other: a, b, c"])):
        got = list(rooms.check_table(table))
        if len(got) != len(expected) or not all(
                e in g for e, g in zip(expected, got)):
            yield f"table {table}: wanted {expected}, got {got}"


def write_files(folder, files):
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def check_headers_rule():
    """Complaints about headers.py, which needs a compiler."""
    good = "#pragma once\n#include <stddef.h>\ntypedef size_t Good;\n"
    files = {"data/good.h": good, "data/bare.h": "#pragma once\nsize_t bare;\n",
             "data/twice.h": "typedef struct { int a; } Twice;\n",
             "data/a.c": "\n"}
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, files)
        database = [{"directory": folder, "file": "data/a.c",
                     "command": f"cc -I{folder} -std=gnu17 -c data/a.c"}]
        write_files(folder, {"compile_commands.json": json.dumps(database)})
        tree = Tree(folder, folder)
        got = list_complaints(headers.check_in_c, tree, "data")
        if sorted(g.split(":")[0] for g in got) != ["data/bare.h",
                                                    "data/twice.h"]:
            yield f"headers in C: {got}"

    files = {"gpu/a.cu": "\n", "gpu/a.h": "#pragma once\nint class;\n",
             "gpu/b.cu": "\n", "gpu/b.h": "#pragma once\nint b (void);\n"}
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, files)
        got = list_complaints(headers.check_in_cxx, Tree(folder))
        if not isinstance(got, Skip) and [g.split(":")[0] for g in got] != [
                "gpu/a.h"]:
            yield f"headers in C++: {got}"


def check_tally():
    """Complaints about .ci/tally.py, which adds up what the tests say."""
    for output, result, status, expected in LOG_CASES:
        counted = tally.Tally()
        counted.add_test("build", {"name": "a", "stdout": output,
                                   "result": result, "returncode": status})
        got = (counted.passed, len(counted.failed), len(counted.skipped))
        if got != expected:
            yield f"tally of {output!r}, {result}: {got}, wanted {expected}"
        if counted.is_good() != (expected[0] > 0 and expected[1] == 0):
            yield f"tally of {output!r}, {result}: wrong exit status"

    ways = {"passes": ("ok 1 - x", "OK", 0), "fails": ("not ok 1 - x", "FAIL", 1)}
    with tempfile.TemporaryDirectory() as folder:
        for name, (output, result, status) in ways.items():
            write_files(folder, {name: json.dumps(
                {"name": "a", "stdout": output, "result": result,
                 "returncode": status}) + "\n"})
        for first, again, passed, repeated in (("fails", "passes", 1, 1),
                                               ("fails", "fails", 0, 0)):
            counted = tally.Tally()
            logs = [f"build={folder}/{name}" for name in (first, again)]
            counted.add_runs(tally.read_logs(logs, counted))
            got = (counted.passed, len(counted.failed), len(counted.repeated))
            if got != (passed, 1 - passed, repeated):
                yield f"a test that {first} and then {again}: {got}"
