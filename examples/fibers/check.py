# SPDX-License-Identifier: MIT
"""Compares reports with what the programs did: check.py UCONTEXT BOOST"""
import json
import os
import re
import subprocess
import sys
import tempfile

ucontext, boost = map(os.path.abspath, sys.argv[1:])


def run(events, *command):
    """Returns what the program prints, and its report."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        done = subprocess.run(
            command, text=True, capture_output=True, check=False,
            env=dict(os.environ, SELFMON_EVENTS=events,
                     SELFMON_OUTPUT="json:" + path))
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert done.stderr == "", done.stderr
        with open(path, encoding="utf-8") as file:
            return done.stdout, json.load(file)


def rows_of(report):
    """Returns the rows by path, and checks that none lost a visit."""
    for name in "unready", "too_deep", "unread", "stale", "uncounted":
        assert report[name] == 0, (name, report[name])
    assert not [note for note in report["notes"] if "fiber" in note]
    rows, paths = {}, {}
    for row in report["rows"]:
        paths[row["id"]] = path = " > ".join(
            filter(None, (paths.get(row["parent"]), row["name"])))
        rows[path] = row
        for name in ("open", "cut_off", "lost", "overlapped", "switched",
                     "refused", "impossible"):
            assert row[name] == 0, (path, name, row[name])
        assert row["measured"] == row["visits"], path
        # Both threads count the same events, so a fiber that moves loses no
        # value.
        for counter in row["counters"]:
            if counter["verdict"] != "not counted":
                assert counter["visits"] == row["visits"], (path, counter)
    return rows


def check_ucontext(events, threads):
    """50 jobs of each kind, which yield 4 times and once."""
    output, report = run(events, ucontext, str(threads))
    rows = rows_of(report)
    found = {path: (row["visits"], row["suspended"])
             for path, row in rows.items()}
    expected = {
        # A fiber stays suspended after its job's end, until it is destroyed.
        "parse": (50, 50 * (4 + 1)),
        "parse > block": (200, 200),
        "parse > block > read": (200, 200),
        "render": (50, 50 * (1 + 1)),
        "render > tile": (50, 50),
        # A worker is suspended during each run of a job, and while a fiber is
        # destroyed.
        "worker": (threads, 50 * (4 + 1) + 50 * (1 + 1) + 100),
    }
    assert found == expected, (found, expected)
    for path, unit in ("parse > block", "words"), ("render > tile", "steps"):
        printed = int(re.search(rf"(\d+) {unit}\n", output)[1])
        assert printed > 0
        assert {of["unit"]: of["sum"] for of in rows[path]["units"]
                if of["sum"]} == {unit: printed}, (path, printed)


for list_of_events in "none", "page-faults":
    for count in 1, 2, 4, 7:
        check_ucontext(list_of_events, count)
    for _ in range(3):
        rows_of(run(list_of_events, boost)[1])  # compares the report itself
text = subprocess.run([ucontext], text=True, capture_output=True, check=True,
                      env=dict(os.environ, SELFMON_EVENTS="none"))
assert "\nSuspended while others ran" in text.stderr, text.stderr
print("fibers: ucontext on 1 to 7 threads, Boost on 4: exact counts")
