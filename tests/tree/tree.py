#!/usr/bin/env python3
"""The suite "tree": does the source tree keep the rules of its style?

tree.py SOURCE-ROOT [BUILD-ROOT]

Prints TAP. Without BUILD-ROOT the headers are not compiled.
"""

import sys

import headers
import rooms
import rules
import selftest
import translations
from sources import Skip, Tree


def list_cases(tree):
    """(name, function that gives complaints), the self-tests first."""
    yield "/tree/self-test/rules", selftest.check_rules
    yield "/tree/self-test/rooms", selftest.check_room_tables
    yield "/tree/self-test/headers", selftest.check_headers_rule
    yield "/tree/self-test/tally", selftest.check_tally
    for name, rule in (
            ("top-level", rules.check_top_level),
            ("rooms/table", lambda _: rooms.check_table()),
            ("rooms/complete", rooms.check_rooms),
            ("rooms/size", rooms.check_size),
            ("includes/arrows", rooms.check_arrows),
            ("includes/private", rooms.check_private),
            ("includes/circles", rooms.check_circles),
            ("includes/libraries", rules.check_libraries),
            ("includes/order", rules.check_include_order),
            ("cuda/asked-at-run-time", rules.check_cuda_question),
            ("cuda/kernel-sources", rules.check_kernel_sources),
            ("files/named", rooms.check_named_files),
            ("files/blanks", rules.check_blanks),
            ("files/settings", rules.check_settings),
            ("files/shell", rules.check_shell),
            ("files/leftovers", rules.check_leftovers),
            ("files/test-files", rules.check_test_files),
            ("translations/marks", translations.check_marks),
            ("translations/errors", translations.check_errors),
            ("translations/list", translations.check_list),
            ("translations/catalogues", translations.check_catalogues),
            ("format", rules.check_format),
            ("headers/cxx", headers.check_in_cxx)):
        yield f"/tree/{name}", lambda rule=rule: rule(tree)
    for folder in ("data", "gpu", "render", "app", "ui", "tests"):
        yield (f"/tree/headers/c/{folder}",
               lambda folder=folder: headers.check_in_c(tree, folder))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    cases = list(list_cases(Tree(*sys.argv[1:])))
    print(f"1..{len(cases)}")
    n_failed = 0
    for number, (name, check) in enumerate(cases, 1):
        try:
            complaints = list(check())
        except Skip as skip:
            print(f"ok {number} {name} # SKIP {skip}")
            continue
        for complaint in complaints:
            print(f"# {complaint}")
        n_failed += bool(complaints)
        print(f"{'not ' if complaints else ''}ok {number} {name}", flush=True)
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
