#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks reports by thread: rows of threads, and sums over them.

    threads.py PROGRAM APART PLAIN LIVE

APART and PLAIN are reports in JSON of one process, with and without the option
`threads`. LIVE is the live file of the process. The script shares no code with
the library. It exits with 1 at the first difference.
"""
import json
import math
import subprocess
import sys

PROGRAM, APART, PLAIN, LIVE = sys.argv[1:]


def fail(what):
    sys.exit(f"threads.py: {what}")


def written(*options, status=0):
    done = subprocess.run([PROGRAM, *options], capture_output=True, text=True,
                          check=False)
    if done.returncode != status:
        fail(f"{options}: status {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def rows_in(text):
    return json.loads(text)["rows"]


def rows_of(path):
    with open(path, encoding="utf-8") as f:
        return rows_in(f.read())


def path_of(rows, row, without=0):
    path = []
    while row is not None:
        path.append((row["name"], row["file"], row["line"]))
        row = None if row["parent"] is None else rows[row["parent"]]
    return tuple(reversed(path))[without:]


def quantities(row):
    return [row["time_ns"], *row["counters"]]


def close(a, b, rows):
    """Compares sums in ns. Each row is rounded down, so the sums may differ by
    1 ns per row."""
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=rows + 1)


def check_sums(what, rows, plain):
    """The rows of a path, summed over all threads, are the row of that path."""
    for k in range(1 + len(plain[0]["counters"])):
        for key in ("sum", "net"):
            sums = {}
            for row in rows:
                if "thread" in row or not quantities(row)[k]["visits"]:
                    continue
                path = path_of(rows, row, 1)
                sums[path] = sums.get(path, 0) + quantities(row)[k][key]
            for row in plain:
                if not quantities(row)[k]["visits"]:
                    continue
                found = sums.pop(path_of(plain, row), None)
                if found is None or not close(found, quantities(row)[k][key],
                                              len(rows)):
                    fail(f"{what}: {row['name']}: {key} {found}, not "
                         f"{quantities(row)[k][key]}")
            if sums:
                fail(f"{what}: not in the report: {list(sums)}")
    visits = sum(r["visits"] for r in rows if "thread" not in r)
    if visits != sum(r["visits"] for r in plain):
        fail(f"{what}: {visits} visits")


def check_tops(what, rows):
    """A thread's row is the sum of the rows below it, and has no self time."""
    for row in rows:
        if ("thread" in row) != (row["parent"] is None):
            fail(f"{what}: {row['name']} is no thread, or is below one")
        if "thread" not in row:
            continue
        below = [r for r in rows if r["parent"] == row["id"]]
        for k, value in enumerate(quantities(row)):
            net = sum(quantities(r)[k]["net"] or 0 for r in below)
            if not math.isclose(value["net"] or 0, net, rel_tol=1e-9,
                                abs_tol=1e-3) or value["net_exclusive"]:
                fail(f"{what}: {row['name']}: {value['net']}, not {net}")


def check_names(what, rows, workers):
    """Each worker of the example has a region named after it, in one thread."""
    tops = [r for r in rows if "thread" in r]
    if len(tops) != workers:
        fail(f"{what}: {[t['name'] for t in tops]}")
    for row in tops:
        below = [r["name"] for r in rows if r["parent"] == row["id"]]
        if len(below) != 1 or not below[0].startswith("worker ") or \
                row["name"] != f"thread {row['thread']}":
            fail(f"{what}: {row['name']}: {below}")


def check_written():
    rows, plain = rows_of(APART), rows_of(PLAIN)
    if any("thread" in row for row in plain):
        fail("a report without the option has threads")
    check_sums("written", rows, plain)
    check_tops("written", rows)
    check_names("written", rows, 4)


def check_read():
    """A report that is read again equals the written one, with and without the
    option."""
    rows = rows_of(APART)
    for options in ([], ["--threads"]):
        again = rows_in(written("report", "-f", "json", *options, APART))
        if again != rows:
            fail(f"{options}: read again it differs")
    merged = rows_in(written("report", "-m", "-f", "json", APART))
    plain = rows_in(written("report", "-m", "-f", "json", PLAIN))
    if [path_of(merged, r) for r in merged] != [path_of(plain, r)
                                                for r in plain]:
        fail("merged: rows are not those of all threads")
    for a, b in zip(merged, plain):
        if a["visits"] != b["visits"] or \
                not close(a["time_ns"]["net"], b["time_ns"]["net"], 100):
            fail(f"merged: {a['name']}")
    flat = rows_in(written("report", "-f", "json", "--flat", APART))
    names = sorted({r["name"] for r in rows if "thread" not in r})
    if sorted(r["name"] for r in flat) != names:
        fail("flat: rows are not those of all threads")


def check_live():
    rows = rows_in(written("report", "-f", "json", "--threads", LIVE))
    plain = rows_in(written("report", "-f", "json", LIVE))
    if any("thread" in row for row in plain):
        fail("live: without the option it has threads")
    check_sums("live", rows, plain)
    check_tops("live", rows)
    check_names("live", rows, 4)
    for format_ in ("csv", "folded", "html", "text"):
        text = written("report", "--threads", "-f", format_, LIVE)
        if f"thread {rows[0]['thread']}" not in text:
            fail(f"{format_}: no thread in it")
    text = written("report", "--threads", "--histogram", "primes", LIVE)
    if text.count("/primes: 1 visits") != 4:
        fail("histogram: " + text)


def check_refused():
    for options, status, words in (
            (["report", "--threads", PLAIN], 1, "threads: this report has "
             "no rows by thread: write it with "),
            (["report", "--threads", "-m", LIVE, LIVE], 2,
             "--threads needs one report"),
            (["report", "--threads", "-f", "html", LIVE, LIVE], 2,
             "--threads needs one report"),
            (["compare", APART, "--", APART], 2, "its rows are by thread")):
        if words not in written(*options, status=status):
            fail(f"{options}: {written(*options, status=status)}")
    with open(APART, encoding="utf-8") as f:
        report = json.load(f)
    report["rows"][1]["thread"] = 1
    with open(APART, "w", encoding="utf-8") as f:
        json.dump(report, f)
    found = written("report", APART, status=1)
    if "rows[1]: thread: a row at the top" not in found:
        fail("a thread below a thread: " + found)


check_written()
check_read()
check_live()
check_refused()
print("threads: rows and sums of four threads, in JSON and of a live file")
