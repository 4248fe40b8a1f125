#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmarks and checks the columns in their JSON: check.py PROGRAM

Expected counts are known. An event that cannot be counted has no column.
"""
import json
import math
import os
import subprocess
import sys


def run(events, *arguments):
    """Returns what the program prints of each benchmark, by name, and its
    messages."""
    environment = dict(os.environ, SELFMON_EVENTS=events)
    done = subprocess.run(
        [sys.argv[1], "--benchmark_format=json",
         "--benchmark_min_time=0.05", *arguments],
        env=environment, check=True, capture_output=True, text=True)
    return {case["name"].split("/iterations")[0]: case
            for case in json.loads(done.stdout)["benchmarks"]}, done.stderr


def exact(case, wanted):
    """The count must be this many faults an iteration, plus a few of the
    library."""
    more = (case["page-faults"] - wanted) * case["iterations"]
    assert -0.5 < more < 8, (case["name"], case["page-faults"], wanted)


cases, complaints = run("page-faults,task-clock")
exact(cases["touch/1"], 1)
exact(cases["touch/16"], 16)
exact(cases["touch_paused"], 8)
exact(next(case for name, case in cases.items()
           if name.startswith("touch_threads")), 4)
exact(cases["sum"], 0)
assert "page-faults" not in cases["sum_bare"]
assert complaints.count("selfmon:") == 0, complaints

# Both columns are the thread's CPU time, by two clocks.
ratio = cases["sum"]["task-clock"] / cases["sum"]["cpu_time"]
assert 0.8 < ratio < 1.25, ratio

# A list with an unknown event is refused as a whole. The failure is reported
# once.
cases, complaints = run("page-faults,no-such-event-at-all",
                        "--benchmark_filter=touch/1/")
assert "page-faults" not in cases["touch/1"], cases  # the list is refused
assert complaints.count("selfmon: not counted: ") == 1, complaints
cases, complaints = run("page-faults,cpu-migrations:u")
assert "cpu-migrations:u" not in cases["touch/1"], cases
assert complaints.count("selfmon: not counted: cpu-migrations:u") == 1
exact(cases["touch/1"], 1)
several = next(case for name, case in cases.items() if "threads" in name)
assert math.isnan(several["cpu-migrations:u"]), several  # NaN: threads differ
exact(several, 4)

# Hardware events, if any: a number above 0, or no column.
cases, complaints = run("")
for event in "cycles", "instructions":
    assert event in cases["sum"] or "not counted" in complaints
    assert cases["sum"].get(event, 1) > 0
print("google-benchmark: columns of known counts, by threads, paused")
