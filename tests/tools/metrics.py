#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recomputes the metrics of reports in JSON by the rules of docs/REPORT.md.

    metrics.py FILE     FILE has any number of reports, one after the other

The script shares no code with the library. It prints what it compared, and
exits with 1 at the first difference.
"""
import collections
import json
import math
import re
import sys

CYCLES = {"cycles", "cpu-cycles", "cpu_cycles", "cpu_clk_unhalted.thread",
          "ls_not_halted_cyc"}
INSTRUCTIONS = {"instructions", "inst_retired.any", "inst_retired.any_p",
                "inst_retired", "ex_ret_instr"}
# Tuples of dividend, divisor, factor, and name of the metric.
EVENT = [("instructions", "cycles", 1, "IPC"),
         ("cycles", "time", 1, "GHz"),
         ("cycles", "visits", 1, "cycles/visit"),
         ("cycles", "bytes", 1, "cycles/byte"),
         ("bytes", "cycles", 1, "bytes/cycle"),
         ("cycles", "items", 1, "cycles/item"),
         ("stalled-cycles-frontend", "cycles", 100, "frontend-stalls%"),
         ("stalled-cycles-backend", "cycles", 100, "backend-stalls%"),
         ("page-faults", "time", 1e9, "page-faults/s"),
         ("minor-faults", "time", 1e9, "minor-faults/s"),
         ("major-faults", "time", 1e9, "major-faults/s"),
         ("task-clock", "time", 100, "CPU%")]
WORK = [("time", "bytes", 1, "ns/byte"), ("bytes", "time", 1, "GB/s"),
        ("time", "items", 1, "ns/item"), ("items", "time", 1e9, "items/s")]
RATE = {"branch-misses": "branches", "cache-misses": "cache-references",
        "LLC-load-misses": "LLC-loads", "dTLB-load-misses": "dTLB-loads",
        "iTLB-load-misses": "iTLB-loads",
        "L1-dcache-load-misses": "L1-dcache-loads"}
SAME = {"faults": "page-faults", "branch-instructions": "branches",
        "idle-cycles-frontend": "stalled-cycles-frontend"}
OPERANDS = ("time", "visits", "bytes", "items")


class Column:
    def __init__(self, k, column):
        name = column["name"]
        self.k, self.counted = k, column["verdict"] != "not counted"
        self.group = column["group"]
        pmu, core, modes = "", name, ""
        if "/" in name:
            pmu, core, modes = re.fullmatch(
                r"([^/]*)/([^/]*)/:?(.*)", name).groups()
        else:
            found = re.fullmatch(r"(.*):([ukhpPSDIGHWeb]*)", name)
            if found:
                core, modes = found.groups()
        self.core = core
        self.scope = ("" if pmu == "cpu" else pmu, modes, column["kernel"])
        dotted = core.lower().replace(":", ".")
        self.event = ("cycles" if dotted in CYCLES else
                      "instructions" if dotted in INSTRUCTIONS else
                      SAME.get(core, core))

    def title(self, text):
        pmu, modes, _ = self.scope
        if pmu:
            return "%s/%s/%s" % (pmu, text, modes)
        return text + (":" + modes if modes else "")


class Unit(str):
    """The name of a unit that the program defines."""


def units_of(row):
    return {unit["unit"]: unit["sum"] for unit in row.get("units", [])}


def wanted_metrics(report):
    """Returns tuples of name, dividend, divisor and factor. An operand is a
    word or a Column, or None if the event was not requested."""
    columns = [Column(k, c) for k, c in enumerate(report["columns"])]
    has = {unit: any(row[unit] for row in report["rows"])
           for unit in ("bytes", "items")}
    metrics = {}

    def best(event, scope):
        these = [c for c in columns if (c.event, c.scope) == (event, scope)]
        return next((c for c in these if c.counted),
                    these[0] if these else None)

    for column in columns:
        if best(column.event, column.scope) is not column:
            continue

        def add(text, of, by, factor):
            metrics[column.title(text)] = (of, by, factor)

        def other(word):
            return word if word in OPERANDS else best(word, column.scope)

        types = {c.scope[0] for c in columns} - {""}
        part = column.scope[0] and len(types) > 1
        for of, by, factor, text in EVENT:
            if part and text in ("GHz", "bytes/cycle"):
                continue
            if has.get(of, True) and has.get(by, True):
                if of == column.event:
                    add(text, column, other(by), factor)
                elif by == column.event and of in OPERANDS:
                    add(text, of, column, factor)
        if column.event == "cycles" and not other("instructions"):
            add("IPC", None, column, 1)
        if column.event in RATE:
            add(column.core + "%", column, other(RATE[column.event]), 100)
        if column.event in RATE or "miss" in column.event.lower():
            add(column.core + " MPKI", column, other("instructions"), 1000)
        if column.event.startswith("topdown-"):
            add(column.core + "%", column, other("slots"), 100)
    for of, by, factor, text in WORK:
        if has.get(of, True) and has.get(by, True):
            metrics[text] = (of, by, factor)
    instructions = [c for c in columns if c.event == "instructions" and
                    c.counted and not c.scope[0]]
    for name in report["units"][2:]:
        if not any(name in units_of(row) for row in report["rows"]):
            continue
        metrics[name + "/s"] = (Unit(name), "time", 1e9)
        if instructions:
            metrics[name + "/instruction"] = (Unit(name), instructions[0], 1)
    return metrics


def operand(row, what):
    """Returns an operand's value, its uncertainty, the number of visits with a
    value (None: any), and the verdict."""
    if what is None:
        return None
    if what == "visits":
        return (0, 0, None, "exact")
    if what in ("bytes", "items"):
        scale = row["visits"] / row["measured"] if row["measured"] else 1
        return (row[what] * scale, 0, row["measured"], "exact") if row[what] else None
    if isinstance(what, Unit):
        scale = row["visits"] / row["measured"] if row["measured"] else 1
        n = units_of(row).get(what, 0)
        return (n * scale, 0, row["measured"], "exact") if n else None
    quantity = row["time_ns"] if what == "time" else row["counters"][what.k]
    if quantity["verdict"] == "not counted":
        return None
    net = quantity["net"]
    net = math.nan if net is None else max(net, 0)
    unsure = quantity["noise"]
    if quantity["verdict"] == "scaled":
        unsure += net * quantity["guessed"]
    return (net, unsure, None if what == "time" else quantity["visits"],
            quantity["verdict"])


def are_same(report, row, of, by):
    """Returns whether both operands have values in the same visits, if some
    visits have no value."""
    if "visits" in (of, by):
        return True
    if not isinstance(of, Column) or not isinstance(by, Column):
        return False
    return (of.group == by.group and of.group in (1, 3, 4, 5) and
            not row["impossible"] and not report["degraded"])


def among(row, what, value, unsure, known, visits, together):
    """Returns the operand's value over this number of visits, or None if it is
    unknown."""
    if known is not None:
        same = known == visits and (
            together or visits in (row["measured"], row["whole"]))
        return (value, unsure) if same else None
    if what == "visits":
        scale = row["visits"] / row["measured"] if row["measured"] else 1
        return visits * scale, 0
    if visits == row["measured"]:
        return value, unsure
    if visits == row["whole"]:
        return (max(row["time_ns"]["whole"], 0),
                unsure * (row["whole"] / row["measured"]))
    return None


def metric(report, row, of, by, factor):
    """Returns ("value", value, uncertainty, verdict), or (reason,) without a
    value."""
    a, b = operand(row, of), operand(row, by)
    if a is None or b is None:
        return ("missing",)
    visits = b[2] if a[2] is None else a[2]
    together = are_same(report, row, of, by)
    x = among(row, of, *a[:3], visits, together)
    y = among(row, by, *b[:3], visits, together)
    if x is None or y is None:
        return ("visits",)
    if y[0] <= 0:
        return ("zero",)
    value = factor * x[0] / y[0]
    if not math.isfinite(value):
        return ("range",)
    order = ["exact", "syscall", "scaled"]
    verdict = max(a[3], b[3], key=order.index)
    if y[1] >= y[0]:
        return ("value", value, None, verdict)
    far = factor * ((x[0] + x[1]) / (y[0] - y[1]) - x[0] / y[0])
    return ("value", value, far if math.isfinite(far) else None, verdict)


def near(a, b, size):
    if a is None or b is None:
        return a is b
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b)) + 1e-12 * abs(size)


def check(report, seen):
    wanted = wanted_metrics(report)
    names = [m["name"] for m in report["metrics"]]
    assert sorted(names) == sorted(wanted), (sorted(names), sorted(wanted))
    for m in report["metrics"]:
        of, by, factor = wanted[m["name"]]
        gone = any(x is None or isinstance(x, Column) and not x.counted
                   for x in (of, by))
        assert bool(m["reason"]) == gone, m
        assert m["factor"] == factor, m
    for row in report["rows"]:
        assert len(row["metrics"]) == len(names)
        for name, got in zip(names, row["metrics"]):
            want = metric(report, row, *wanted[name])
            where = (name, got, want, row)
            seen[want[0]] += 1
            if want[0] != "value":
                assert got["verdict"] == "not counted", where
                assert got["value"] is None and got["reason"], where
                assert ("zero" in got["reason"]) == (want[0] == "zero"), where
                continue
            seen[want[3]] += 1
            assert got["verdict"] == want[3] and not got["reason"], where
            assert near(got["value"], want[1], 0), where
            assert near(got["uncertainty"], want[2], want[1]), where


def main():
    decoder, seen = json.JSONDecoder(), collections.Counter()
    with open(sys.argv[1], encoding="utf-8") as stream:
        text = stream.read().lstrip()
    reports = 0
    while text:
        report, end = decoder.raw_decode(text)
        check(report, seen)
        text = text[end:].lstrip()
        reports += 1
    print("%d reports:" % reports,
          ", ".join("%s %d" % pair for pair in sorted(seen.items())))


if __name__ == "__main__":
    main()
