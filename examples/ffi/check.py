# SPDX-License-Identifier: MIT
"""Checks the visits that each program reports: check.py REPORT.csv"""
import csv
import sys

inner = "outer/inner"
expected = {
    # The bytes and items of a row exclude those of its children.
    "outer": (100, 0, 0),
    inner: (100, 800, 100),
    inner + "/inner": (100, 800, 100),
    inner + "/inner/inner": (100, 800, 100),
}
with open(sys.argv[1], newline="") as report:
    rows = {row["path"]: row for row in csv.DictReader(report)}
assert rows.keys() == expected.keys(), f"rows: {list(rows)}"
for path, (visits, size, items) in expected.items():
    row = rows[path]
    found = tuple(int(row[k]) for k in ("visits", "bytes", "items"))
    assert found == (visits, size, items), f"{path}: {found}"
    for nothing in ("open", "cut_off", "overlapped", "lost"):
        assert row[nothing] == "0", f"{path}: {nothing} is {row[nothing]}"
    assert int(row["time_ns.sum"]) > 0, path
