#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks views of a report: which rows `selfmon report` writes, and sums.

    view.py --grow REPORT ROWS FILE   writes a report with this number of rows,
                                      like the functions of an interpreter,
                                      made of the first row of a real report
    view.py PROGRAM FILE              tests each option on the report in FILE

The script shares no code with the library. It exits with 1 at the first
difference.
"""
import heapq
import json
import math
import random
import re
import subprocess
import sys


def fail(what):
    sys.exit(f"view.py: {what}")


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-3)


def fill(template, i, parent, depth, name, visits, total, own):
    mean = total / visits
    buckets = [[0.5, 0.1], [0.9, 0.6], [1.3, 0.25], [3, 0.05]]
    time = dict(template["time_ns"], verdict="exact", visits=visits, net=total,
                net_exclusive=own, sum=round(total), exclusive=round(own),
                noise=2.0 * visits, min=int(mean / 2), max=math.ceil(3 * mean),
                shortest=int(mean / 2), longest=math.ceil(3 * mean),
                p50=round(mean * 0.9), p90=round(mean * 1.3),
                p99=round(mean * 3), unsure=0, whole=total, histogram=
                [[mean, visits]] if visits < 20 else
                [[mean * x, max(1, round(visits * part))]
                 for x, part in buckets])
    counters = [dict(c, verdict="exact", visits=visits, net=total / (3 + k),
                     net_exclusive=own / (3 + k), sum=round(total / (3 + k)),
                     exclusive=round(own / (3 + k)), min=0, max=1, noise=0.0,
                     share_on_pmu=1.0, guessed=0.0)
                for k, c in enumerate(template["counters"])]
    return dict(template, id=i, parent=parent, depth=depth, name=name, line=0,
                file="", visits=visits, measured=visits, whole=visits,
                time_ns=time, counters=counters, exclusive_valid=True)


def expand(chance, node, count):
    """Yields children of a node. A few of the children have most of its
    time."""
    below = chance.randrange(2, 9)
    parts = [chance.random() ** 3 + 0.02 for _ in range(below)]
    for part in parts:
        time = (0.7 + 0.2 * chance.random()) * node["own"] * part / sum(parts)
        yield {"name": f"function {int(chance.random() * count / 6)}",
               "visits": math.ceil(node["visits"] * (1 + chance.random())),
               "total": time, "own": time, "below": []}


def grow(report, count):
    """Makes a call tree like that of an interpreter, with recursion in it."""
    chance = random.Random(1)
    top = [{"name": name, "visits": 3 + i, "total": 4e9 / (i + 1),
            "own": 4e9 / (i + 1), "below": []}
           for i, name in enumerate(["main", "worker", "collector"])]
    heap = [(-node["total"], i, node) for i, node in enumerate(top)]
    made, rows = len(top), []
    while made < count:
        node = heapq.heappop(heap)[2]
        for child in list(expand(chance, node, count))[:count - made]:
            node["below"].append(child)
            heapq.heappush(heap, (-child["total"], made, child))
            made += 1
        node["own"] -= sum(c["total"] for c in node["below"])

    def put(node, parent, depth):
        i = len(rows)
        rows.append(fill(report["rows"][0], i, parent, depth, node["name"],
                         node["visits"], node["total"], node["own"]))
        for child in sorted(node["below"], key=lambda c: -c["total"]):
            put(child, i, depth + 1)

    for node in top:
        put(node, None, 0)
    return dict(report, rows=rows, total_ns=sum(n["total"] for n in top))


if len(sys.argv) == 5 and sys.argv[1] == "--grow":
    with open(sys.argv[2], encoding="utf-8") as f:
        grown = grow(json.load(f), int(sys.argv[3]))
    with open(sys.argv[4], "w", encoding="utf-8") as f:
        json.dump(grown, f)
    sys.exit(0)

PROGRAM, FILE = sys.argv[1:3]
with open(FILE, encoding="utf-8") as f:
    ROWS = json.load(f)["rows"]
COLUMNS = range(len(ROWS[0]["counters"]))


def written(*options, status=0, program=PROGRAM):
    done = subprocess.run([program, "report", *options, FILE],
                          capture_output=True, text=True, check=False)
    if done.returncode != status:
        fail(f"{options}: status {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def view(*options):
    return json.loads(written("-f", "json", *options))["rows"]


def quantities(row):
    return [row["time_ns"]] + row["counters"]


def ancestors(rows, row):
    while row["parent"] is not None:
        row = rows[row["parent"]]
        yield row


def check(what, found, wanted):
    if not (close(found, wanted) if isinstance(wanted, float)
            else found == wanted):
        fail(f"{what}: {found!r}, not {wanted!r}")


def check_levels(what, rows):
    """A row is the sum of its own values and its children's, in time and
    events."""
    for k in range(len(COLUMNS) + 1):
        below = [0.0] * len(rows)
        for row in rows:
            if row["parent"] is not None:
                below[row["parent"]] += quantities(row)[k]["net"]
        for row, sums in zip(rows, below):
            if sums:
                value = quantities(row)[k]
                check(f"{what}: {row['name']}", value["net"],
                      float(value["net_exclusive"] + sums))


def check_selves(what, rows, wanted):
    for k in range(len(COLUMNS) + 1):
        check(what, sum(quantities(r)[k]["net_exclusive"] for r in rows),
              float(sum(quantities(r)[k]["net_exclusive"] for r in wanted)))


def folded(rows):
    return sum(r.get("folded", 0) for r in rows)


def check_flat():
    names = {}
    for row in ROWS:
        into = names.setdefault(row["name"], [0, 0.0, 0.0])
        into[0] += row["visits"]
        into[1] += row["time_ns"]["net_exclusive"]
        if all(a["name"] != row["name"] for a in ancestors(ROWS, row)):
            into[2] += row["time_ns"]["net"]
    flat = view("--flat")
    check("flat: rows", len(flat), len(names))
    for row in flat:
        visits, own, total = names[row["name"]]
        check("flat: visits of " + row["name"], row["visits"], visits)
        check("flat: self of " + row["name"], row["time_ns"]["net_exclusive"],
              own)
        check("flat: total of " + row["name"], row["time_ns"]["net"], total)
        if row["visits"] > 1 and not row["time_ns"]["shortest"] <= \
                row["time_ns"]["p50"] <= row["time_ns"]["longest"]:
            fail("flat: percentiles of " + row["name"])
    own = [r["time_ns"]["net_exclusive"] for r in flat]
    check("flat: order", own, sorted(own, reverse=True))
    if sum(n[2] for n in names.values()) == sum(r["time_ns"]["net"]
                                                for r in ROWS):
        fail("there is no recursion in this report")
    top = view("--flat", "--top", "20")
    check("flat top: rows", len(top), 21)
    check("flat top: names", [r["name"] for r in top[:20]],
          [r["name"] for r in flat[:20]])
    check("flat top: others", top[20]["time_ns"]["net"],
          float(sum(own[20:])))
    check_selves("flat top", top, ROWS)


def check_collapse():
    rows = view("--collapse")
    check_levels("collapse", rows)
    check_selves("collapse", rows, ROWS)
    for row in rows:
        if any(a["name"] == row["name"] for a in ancestors(rows, row)):
            fail("collapse: recursion of " + row["name"])


def check_folded():
    total = sum(r["time_ns"]["net"] for r in ROWS if r["parent"] is None)
    for options in (["--min-share", "2"], ["--top", "30"],
                    ["--min-share", "0.5%", "--top", "12"]):
        rows = view(*options)
        check_levels(str(options), rows)
        check_selves(str(options), rows, ROWS)
        check(f"{options}: rows", len([r for r in rows if "folded" not in r]) +
              folded(rows), len(ROWS))
    small = [r for r in view("--min-share", "2")
             if "folded" not in r and r["time_ns"]["net"] < total / 50]
    check("min-share: rows below it", small, [])


def check_others():
    rows = view("--depth", "3")
    check("depth", len(rows), len([r for r in ROWS if r["depth"] < 3]))
    found = view("--find", "^function (12|21)$")
    matches = [r for r in ROWS if r["name"] in ("function 12", "function 21")]
    check("find", len([r for r in found if r["name"].startswith("function ")
                       and r["name"][9:] in ("12", "21")]), len(matches))
    for row in found:
        if not any(a["name"] == row["name"] for m in matches
                   for a in [m, *ancestors(ROWS, m)]):
            fail("find: " + row["name"])
    for column, key in (("visits", lambda r: -r["visits"]),
                        ("p99", lambda r: -r["time_ns"]["p99"]),
                        ("name", lambda r: r["name"])):
        tops = [r for r in view("--sort", column) if r["parent"] is None]
        check("sort " + column, tops, sorted(tops, key=key))
    line = written("-f", "csv", "--columns", "page-faults").split("\n")[0]
    if "task-clock.net" in line or "page-faults.net" not in line:
        fail("columns: " + line)
    text = written("--columns", "self+page-faults", "--top", "5")
    if not re.search(r"\nregion +self\n", text):
        fail("columns: " + text)


def check_page():
    """The default output is one page that has the rows with most time."""
    lines = written().split("\n")
    if len(lines) > 100 or max(map(len, lines)) > 120:
        fail(f"{len(lines)} lines of {max(map(len, lines))} columns")
    hot = view("--flat", "--top", "5")
    for row in hot[:5]:
        if not any(re.match(rf" *{row['name']} ", line) for line in lines):
            fail(f"{row['name']} is not named:\n" + "\n".join(lines))
    if not any(f" of {len(ROWS)} rows; " in line for line in lines):
        fail("it is not said that rows were folded")
    if len(written("--top", "0").split("\n")) < len(ROWS):
        fail("--top 0 is not all")


def check_wrong():
    for options, status, words in (
            (["--top", "some"], 2, "--top=some: 0 to 1000000 are allowed"),
            (["--find", "("], 2, "not a regular expression"),
            (["--columns", "visist"], 1, "did you mean 'visits'?"),
            (["--sort", "zzz"], 1, "--sort=zzz: no such column; these "
             "exist: "),
            (["--flat=1"], 2, "takes no value")):
        found = written(*options, status=status)
        if words not in found:
            fail(f"{options}: {found}")


check_flat()
check_collapse()
check_folded()
check_others()
check_page()
check_wrong()
print(f"view: {len(ROWS)} rows: each option, sums, one page")
