#!/usr/bin/env python3
"""Adds up Meson's test logs, case by case.

tally.py [--failed TEXT]... [--skipped TEXT]... [BUILD=TESTLOG.json]...
tally.py --names [BUILD=TESTLOG.json]...

Prints the failed cases with what they said, the reason of each skip, and as
last line "N passed, N failed, N skipped". A test() that crashed, hung, exited
non-zero, or broke its TAP plan counts as a failure even where every case that
it reported passed; so does one that ran no case and gave no reason. --failed
and --skipped count what never became a test, such as a build. Where a later log
of a build has a test again, the later run counts, and is reported. --names
prints the names of the tests that failed and nothing else.

Exit status 0 only if something passed and nothing failed.
"""

import argparse
import collections
import json
import re
import sys

CASE = re.compile(r"(not )?ok\b\s*\d*\s*-?\s*([^#]*?)\s*(?:#\s*(\w+)\b\s*(.*))?$")
PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*skip\S*\s*(.*))?$", re.IGNORECASE)
LAST_LINES = 60
NO_REASON = "no reason given"


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []  # (what, why)
        self.skipped = []  # reasons
        self.repeated = []  # what passed in a later run alone

    def fail(self, what, why=""):
        self.failed.append((what, why))

    def add_test(self, build, test):
        """One line of testlog.json: one test() of a meson.build."""
        name = f"{build}: {test['name']}"
        output = test.get("stdout") or ""
        n_cases = n_failed = 0
        plan = None
        for line in output.splitlines():
            if match := PLAN.match(line):
                plan = int(match[1])
                if plan == 0 and match[2]:
                    self.skipped.append(match[2])
                    n_cases += 1
                    plan = 1
            elif match := CASE.match(line):
                n_cases += 1
                n_failed += self.add_case(name, match)

        said = "\n".join(last_lines(output) + last_lines(test.get("stderr")))
        result = test.get("result")
        if result not in ("OK", "SKIP", "EXPECTEDFAIL"):
            if n_failed == 0:
                status = test.get("returncode")
                self.fail(f"{name}: {result}, exit status {status}", said)
            else:
                self.failed[-1] = (self.failed[-1][0], said)
        elif test.get("returncode") not in (0, 77):
            self.fail(f"{name}: exit status {test.get('returncode')}", said)
        elif plan is not None and plan != n_cases:
            self.fail(f"{name}: {plan} cases planned, {n_cases} ran", said)
        elif n_cases == 0:
            self.add_caseless(name, test, said)

    def add_runs(self, runs):
        for (build, _), test in runs.items():
            self.add_test(build, test)

    def add_case(self, name, match):
        directive = (match[3] or "").upper()
        if match[1] and directive != "TODO":
            self.fail(f"{name}: {match[2]}")
            return 1
        if directive == "SKIP" or directive == "TODO":
            self.skipped.append(match[4] or NO_REASON)
        else:
            self.passed += 1
        return 0

    def add_caseless(self, name, test, said):
        """A test() that judges by its exit status alone, or ran nothing."""
        if test.get("result") == "OK" and "1..0" not in said:
            self.passed += 1
        elif test.get("returncode") == 77:
            reason = (said.strip().splitlines() or [NO_REASON])[-1]
            self.skipped.append(reason)
        else:
            self.fail(f"{name}: ran no case", said)

    def report(self, out):
        for what, why in self.failed:
            print(f"failed: {what}", file=out)
            for line in why.splitlines():
                print(f"    {line}", file=out)
        for what in self.repeated:
            print(f"passed only when it ran again, alone: {what}", file=out)
        for reason, n in collections.Counter(self.skipped).most_common():
            cases = "case" if n == 1 else "cases"
            print(f"skipped: {reason} ({n} {cases})", file=out)
        if not self.passed and not self.failed:
            print("no test ran", file=out)
        print(f"{self.passed} passed, {len(self.failed)} failed, "
              f"{len(self.skipped)} skipped", file=out)

    def is_good(self):
        return self.passed > 0 and not self.failed


def last_lines(text):
    """The end of what a test said, less the cases that passed."""
    lines = [line for line in (text or "").splitlines()
             if not re.match(r"ok\b|# (Start|End) of|$", line)]
    return lines[-LAST_LINES:]


def read_logs(paths, tally):
    """The last run of each test; those that passed only then are noted."""
    runs = {}
    for build, path in (path.split("=", 1) for path in paths):
        try:
            with open(path, encoding="utf-8", errors="replace") as log:
                for line in log:
                    test = json.loads(line)
                    key = build, test["name"]
                    if key in runs and judge(key, test).is_good():
                        tally.repeated.append(f"{build}: {test['name']}")
                    runs[key] = test
        except (OSError, ValueError) as error:
            tally.fail(f"{build}: its test log", str(error))
    return runs


def judge(key, test):
    alone = Tally()
    alone.add_test(key[0], test)
    return alone


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--failed", action="append", default=[])
    parser.add_argument("--skipped", action="append", default=[])
    parser.add_argument("--names", action="store_true")
    parser.add_argument("logs", nargs="*")
    args = parser.parse_args()

    tally = Tally()
    for what in args.failed:
        tally.fail(what)
    tally.skipped += args.skipped
    runs = read_logs(args.logs, tally)
    if args.names:
        for key, test in runs.items():
            if judge(key, test).failed:
                print(test["name"].rsplit(" / ", 1)[-1])
        return 0
    tally.add_runs(runs)
    tally.report(sys.stdout)
    return 0 if tally.is_good() else 1


if __name__ == "__main__":
    sys.exit(main())
