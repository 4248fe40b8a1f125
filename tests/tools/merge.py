#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Merges reports in JSON by the rules of docs/REPORT.md, for comparison.

    merge.py MERGED FILE...   checks that MERGED is the merge of the FILEs
    merge.py --mutate FILE DIRECTORY   writes more than 100 damaged copies
    merge.py --vary FILE DIRECTORY   writes copies as other machines make them:
                                     scaled values, open visits, other clocks,
                                     values that were not counted

The script shares no code with the library. It exits with 1 at the first
difference.
"""
import collections
import fractions
import json
import math
import pathlib
import random
import sys

ORDER = ["not counted", "exact", "syscall", "scaled"]
ADDED = ["threads", "visits", "measured", "open", "cut_off",
         "migrated", "disturbed", "retried", "slow", "repaired", "impossible",
         "refused", "lost", "overlapped", "switched", "bytes", "items"]
SUSPENDED = ["suspended", "suspended_ns"]
OFF_CPU = ["blocked_ns", "preempted_ns", "switches", "preemptions"]
HEAD = ["taken", "threads", "threads_at_once", "slowed", "degraded",
        "time_alone", "refused", "too_deep", "unready", "stale",
        "unread", "displaced", "evicted", "uncounted", "no_off_cpu",
        "no_samples"]
REALS = ["net", "noise", "net_exclusive"]

compared = collections.Counter()


def same(what, found, wanted):
    compared["values"] += 1
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        if math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-6):
            return
    elif found == wanted:
        return
    sys.exit(f"merge.py: {what}: {found!r}, not {wanted!r}")


def rows_by_path(report):
    rows = collections.OrderedDict()
    paths = []
    for row in report["rows"]:
        up = paths[row["parent"]] if row["parent"] is not None else ()
        path = up + ((row["name"], row["file"], row["line"]),)
        paths.append(path)
        if path in rows:
            sys.exit(f"merge.py: {path} is there twice")
        rows[path] = row
    return rows


def counted_columns(report):
    return {c["name"]: i for i, c in enumerate(report["columns"])
            if c["verdict"] != "not counted"}


def quantity_of(row, name, columns):
    if name is None:
        return row["time_ns"]
    return row["counters"][columns[name]] if name in columns else None


def merge_quantity(parts, exclusive, times):
    """Returns the merged quantity. times are the times of the parts' rows,
    which weight the shares."""
    times = [t for t, p in zip(times, parts)
             if p and p["verdict"] != "not counted"]
    parts = [p for p in parts if p and p["verdict"] != "not counted"]
    if not parts:
        return {"verdict": "not counted", "sum": None, "net": None,
                "min": None, "max": None, "noise": None, "visits": 0,
                "exclusive": None, "net_exclusive": None,
                "share_on_pmu": None, "guessed": None}
    to = {"verdict": max((p["verdict"] for p in parts), key=ORDER.index),
          "visits": sum(p["visits"] for p in parts),
          "sum": sum(p["sum"] for p in parts),
          "min": min(p["min"] for p in parts),
          "max": max(p["max"] for p in parts)}
    for key in REALS + ["exclusive"]:
        if "exclusive" in key and not exclusive:
            to[key] = None
        else:
            total = sum(fractions.Fraction(p[key]) for p in parts)
            to[key] = int(total) if key == "exclusive" else float(total)
    on = sum(t * p["share_on_pmu"] for t, p in zip(times, parts))
    if sum(times):
        to["share_on_pmu"] = on / sum(times)
    enabled = sum(p.get("scaled_enabled_ns") or 0 for p in parts)
    off = sum(p.get("scaled_off_ns") or 0 for p in parts)
    to["guessed"] = off / enabled if enabled else 0.0
    return to


def quantile(histogram, percent):
    total = sum(n for _, n in histogram)
    rank = math.ceil(fractions.Fraction(total * percent, 100))
    below = 0
    for ns, n in sorted(histogram):
        below += n
        if below >= rank:
            return ns
    return 0


TIMES = ["p50", "p90", "p99", "shortest", "longest"]


def net_of_one(ns, row, inner, low):
    """Returns the net time of a visit that took ns, and whether this is mostly
    a guess."""
    time = row["time_ns"]
    mean = time["sum"] / row["measured"]
    own = max(mean - time["net"] / row["visits"], 0)
    ends = min(own, inner)
    guess = (own - ends) * (min(ns / mean, 1) if mean > 0 else 1)
    most = max(ns - ends, 0)
    return (max(most - guess, min(low, most), 0),
            most <= 0 or guess > most / 2)


def inner_of(reports):
    """Returns the mean overhead of the two ends of a visit, over all
    processes."""
    inner = []
    for report in reports:
        if report["processes"]:
            inner += [p.get("inner_ns", 0) for p in report["processes"]]
        else:
            inner.append((report["calibration"] or {}).get("inner_ns", 0))
    return sum(inner) / len(inner)


def check_times(what, row, parts, children, inner):
    found = row["time_ns"]
    histogram = [pair for p in parts for pair in p["histogram"] or []]
    unsure = 0
    for i, key in enumerate(TIMES):
        ns = found["min"] if key == "shortest" else found["max"]
        if key.startswith("p"):
            ns = min(max(quantile(histogram, int(key[1:])), found["min"]),
                     found["max"])
        low = max([c["time_ns"][key] for c in children
                   if c["time_ns"]["verdict"] != "not counted" and
                   (key == "longest" or c["visits"] >= row["visits"])],
                  default=0)
        ns, guessed = net_of_one(ns, row, inner, low)
        unsure += guessed << i
        if abs(found[key] - ns) > 1 and not ns > 9.2e18:
            sys.exit(f"merge.py: {what}: {key} {found[key]}, not {ns}")
        compared["percentiles"] += 1
    same(f"{what} unsure", found["unsure"], unsure)
    same(f"{what} histogram", sum(n for _, n in found["histogram"]),
         sum(n for _, n in histogram))


def units_of(row):
    return {unit["unit"]: unit for unit in row.get("units", [])}


def check_units(what, found, parts):
    """Units of the same name are added up."""
    lists = collections.defaultdict(list)
    for _, row in parts:
        for name, unit in units_of(row).items():
            lists[name].append(unit)
    same(f"{what} units", set(units_of(found)), set(lists))
    for name, units in lists.items():
        have = units_of(found)[name]
        for key, combine in (("sum", sum), ("visits", sum), ("min", min),
                             ("max", max)):
            same(f"{what} {name} {key}", have[key],
                 combine(unit[key] for unit in units))
        histogram = [pair for unit in units for pair in unit["histogram"]]
        for key in ("p50", "p90", "p99"):
            same(f"{what} {name} {key}", have[key],
                 min(max(quantile(histogram, int(key[1:])), have["min"]),
                     have["max"]))


def check_row(path, found, parts, merged, inner):
    what = "/".join(name for name, _, _ in path)
    counted = counted_columns(merged)
    for key in ADDED:
        same(f"{what} {key}", found[key], sum(r[key] for _, r in parts))
    for key in SUSPENDED + OFF_CPU:
        same(f"{what} {key}", found.get(key, 0),
             sum(r.get(key, 0) for _, r in parts))
    exclusive = all(r["exclusive_valid"] for _, r in parts)
    same(f"{what} exclusive_valid", found["exclusive_valid"], exclusive)
    whole = [r for f, r in parts if set(counted) <= set(counted_columns(f))]
    same(f"{what} whole", found["whole"], sum(r["whole"] for r in whole))
    for name in [None] + [c["name"] for c in merged["columns"]]:
        of = [quantity_of(r, name, {c["name"]: i for i, c in
                                    enumerate(f["columns"])})
              for f, r in parts]
        times = [r["time_ns"]["sum"] or 0 for _, r in parts]
        wanted = merge_quantity(of, exclusive, times)
        have = quantity_of(found, name, {c["name"]: i for i, c in
                                         enumerate(merged["columns"])})
        for key, value in wanted.items():
            same(f"{what} {name or 'time'} {key}", have[key], value)
    if found["time_ns"]["verdict"] != "not counted":
        same(f"{what} whole time", found["time_ns"]["whole"],
             float(sum(r["time_ns"]["whole"] or 0 for r in whole)))
        check_units(what, found, parts)
        check_times(what, found, [
            r["time_ns"] for _, r in parts
            if r["time_ns"]["verdict"] != "not counted"],
            [r for r in merged["rows"] if r["parent"] == found["id"]], inner)


def check_slowest(merged, reports):
    """Checks that the merged report has the 8 slowest of all kept visits of
    each region, by name."""
    if all(r["slowest"] is None for r in reports):
        same("slowest", merged["slowest"], None)
        return
    visits = collections.defaultdict(list)
    for report in reports:
        for visit in report["slowest"] or []:
            visits[visit["region"]].append(visit)
    wanted = [visit for name in sorted(visits, key=str.encode)
              for visit in sorted(visits[name], key=lambda v:
                                  (-v["ns"], v["ended_ns"]))[:8]]
    same("slowest visits", len(merged["slowest"]), len(wanted))
    for found, visit in zip(merged["slowest"], wanted):
        same("slowest visit", found, visit)
    same("slowest_incomplete", merged["slowest_incomplete"],
         any(r["slowest_incomplete"] for r in reports))


def compare(merged, reports):
    check_slowest(merged, reports)
    rows = rows_by_path(merged)
    parts = collections.defaultdict(list)
    for report in reports:
        for path, row in rows_by_path(report).items():
            parts[path].append((report, row))
    same("rows", set(rows), set(parts))
    for path, row in rows.items():
        check_row(path, row, parts[path], merged, inner_of(reports))
    for key in HEAD:
        same(key, merged[key], sum(r[key] for r in reports))
    names = []
    for report in reports:
        names += [c["name"] for c in report["columns"]
                  if c["name"] not in names]
    same("columns", [c["name"] for c in merged["columns"]], names)
    same("processes", len(merged["processes"]),
         sum(len(r["processes"]) or 1 for r in reports))
    for column in merged["columns"]:
        if column["verdict"] == "not counted":
            continue
        same(f"{column['name']} without", column["without"],
             sum(1 for r in reports
                 if column["name"] not in counted_columns(r)))
    print(f"merge.py: {len(rows)} rows of {len(reports)} files:",
          ", ".join(f"{n} {what}" for what, n in sorted(compared.items())))


def places(value, path=()):
    """Yields the path of each value in the report."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for i, element in enumerate(value):
            yield from places(element, path + (i,))


def mutants(text):
    rng = random.Random(1)
    report = json.loads(text)
    where = [p for p in places(report) if p]
    other = [None, -1, 2 ** 62, 2 ** 63, 1e300, "", "\x1b[31m", "x" * 5000,
             [], {}, True, [[]] * 100, {"verdict": "scaled"}]
    for _ in range(24):
        yield text[:rng.randrange(len(text))]
    for _ in range(24):
        at = rng.randrange(len(text))
        yield text[:at] + chr(rng.randrange(1, 128)) + text[at + 1:]
    for i in range(72):
        report = json.loads(text)
        path = rng.choice(where)
        inside = report
        for step in path[:-1]:
            inside = inside[step]
        if i % 4 == 0:
            del inside[path[-1]]
        else:
            inside[path[-1]] = other[i % len(other)]
        yield json.dumps(report, indent=1)
    yield from ("{", "{}", "{" * 5000, '{"a":' * 5000, "{\0}", '{"\\u0000":1}',
                '{"a":1,"a":2}', "{\x1b]0;x\x07", text + text)


def vary_quantity(rng, quantity):
    kind = rng.randrange(4)
    if kind == 0:
        quantity.update({key: None for key in quantity})
        quantity.update(verdict="not counted", visits=0)
    elif kind == 1:
        enabled = rng.randrange(1000, 10 ** 9)
        off = rng.randrange(enabled // 2)
        quantity.update(verdict="scaled", scaled_enabled_ns=enabled,
                        scaled_off_ns=off, share_on_pmu=rng.random(),
                        guessed=off / enabled)
    elif kind == 2:
        quantity.update(verdict="exact", visits=rng.randrange(
            1, quantity["visits"] + 1))


def vary_row(rng, row):
    for key in ADDED[3:]:
        row[key] = rng.choice([0, 1, 10 ** 6])
    if rng.random() < 0.3:
        for key in SUSPENDED:
            row[key] = rng.choice([1, 10 ** 6])
    row["whole"] = rng.randrange(row["measured"] + 1)
    row["exclusive_valid"] = rng.random() < 0.6
    for quantity in row["counters"]:
        vary_quantity(rng, quantity)
    time = row["time_ns"]
    time["histogram"] = [[ns * 1.7 + i, n] for i, (ns, n) in
                         enumerate(time["histogram"])]
    for quantity in row["counters"] + [time]:
        if not row["exclusive_valid"]:
            quantity.update(exclusive=None, net_exclusive=None)


def vary(text, seed):
    rng = random.Random(seed)
    report = json.loads(text)
    report.update(pid=seed + 1, clock_hz=10 ** 9 + seed, clock="perf page")
    for key in HEAD:
        report[key] = rng.randrange(100)
    report["off_cpu"] = rng.random() < 0.5
    for row in report["rows"]:
        vary_row(rng, row)
        for key in OFF_CPU * report["off_cpu"]:
            row[key] = rng.randrange(10 ** 6)
        if rng.random() < 0.3:
            row["name"] += "\u00e9/" + str(seed % 2)
    return json.dumps(report)


def main():
    if sys.argv[1] == "--vary":
        text = pathlib.Path(sys.argv[2]).read_text()
        for seed in range(12):
            pathlib.Path(sys.argv[3], f"{seed}").write_text(vary(text, seed))
        return
    if sys.argv[1] == "--mutate":
        text = pathlib.Path(sys.argv[2]).read_text()
        for i, mutant in enumerate(mutants(text)):
            pathlib.Path(sys.argv[3], f"{i}.json").write_text(mutant)
        return
    merged, *reports = [json.loads(pathlib.Path(p).read_text())
                        for p in sys.argv[1:]]
    compare(merged, reports)


main()
