#!/usr/bin/env python3
"""The suite "tree": does the source tree keep the rules of its style?

tree.py SOURCE-ROOT [BUILD-ROOT]

Prints TAP. Without BUILD-ROOT the headers are not compiled.
"""

import sys

import headers
import rules
import selftest
import translations
from sources import Skip, Tree


def list_cases(tree):
    """(name, function that gives complaints), the judges of judges first."""
    yield "/tree/self-test/rules", selftest.judge_rules
    yield "/tree/self-test/headers", selftest.judge_headers_rule
    yield "/tree/self-test/tally", selftest.judge_tally
    for name, rule in (
            ("top-level", rules.judge_top_level),
            ("includes/layers", rules.judge_layers),
            ("includes/libraries", rules.judge_libraries),
            ("includes/order", rules.judge_include_order),
            ("includes/cycles", rules.judge_cycles),
            ("cuda/asked-at-run-time", rules.judge_cuda_question),
            ("cuda/kernel-sources", rules.judge_kernel_sources),
            ("files/blanks", rules.judge_blanks),
            ("files/leftovers", rules.judge_leftovers),
            ("files/test-files", rules.judge_test_files),
            ("translations/marks", translations.judge_marks),
            ("translations/errors", translations.judge_errors),
            ("translations/list", translations.judge_list),
            ("translations/catalogues", translations.judge_catalogues),
            ("format", rules.judge_format),
            ("headers/cxx", headers.judge_in_cxx)):
        yield f"/tree/{name}", lambda rule=rule: rule(tree)
    for folder in ("data", "gpu", "render", "app", "ui", "tests"):
        yield (f"/tree/headers/c/{folder}",
               lambda folder=folder: headers.judge_in_c(tree, folder))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    cases = list(list_cases(Tree(*sys.argv[1:])))
    print(f"1..{len(cases)}")
    n_failed = 0
    for number, (name, judge) in enumerate(cases, 1):
        try:
            complaints = list(judge())
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
