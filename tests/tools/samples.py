#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""selfmon report over samples whose truth is known.

    samples.py PROGRAM EXAMPLE   EXAMPLE has regions

Compiles tests/programs/samples/sampled.c, which prints addresses in functions
of known names, and writes reports with samples there.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent / "programs/samples/sampled.c"
ESCAPE = "\x1b"
checks = 0


def fail(text):
    sys.exit(f"check-samples: {text}")


def expect(what, condition, shown=""):
    global checks
    checks += 1
    if not condition:
        fail(f"{what}: {shown}")


def same(what, found, wanted):
    expect(what, found == wanted, f"{found!r}, not {wanted!r}")


class Tool:
    """The program selfmon, in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *words, status=0, env=()):
        done = subprocess.run([self.program, *map(str, words)],
                              capture_output=True, text=True,
                              errors="surrogateescape", check=False,
                              cwd=self.folder,
                              env={**os.environ, **dict(env)})
        expect(f"the status of {words}", done.returncode == status,
               f"{done.returncode}: {done.stderr}{done.stdout[:500]}")
        self.err = done.stderr
        return done.stdout

    def json(self, *words):
        return json.loads(self.run("report", "-f", "json", *words))

    def write(self, name, report):
        path = self.folder / name
        path.write_text(json.dumps(report))
        return path


# ---- reports ----------------------------------------------------------------

MODULES = [{"path": "/usr/lib/\u00e4 b.so", "build_id": "00ff10"},
           {"path": "[vdso]", "build_id": ""},
           {"path": "/usr/bin/a", "build_id": "ab" * 20}]


def stack(row, count, *addresses, **more):
    return {"row": row, "count": count, **more,
            "addresses": [list(pair) for pair in addresses]}


def with_samples(report, modules, stacks, **counts):
    """A copy of a report, with samples whose sums are right."""
    report = copy.deepcopy(report)
    stacks = sorted(stacks, key=lambda s: (-1 if s["row"] is None else
                                           s["row"], -s["count"]))
    for row in report["rows"]:
        row["samples"] = sum(s["count"] for s in stacks
                             if s["row"] == row["id"])
    for row in reversed(report["rows"]):
        row["samples_within"] = row["samples"] + sum(
            r["samples_within"] for r in report["rows"]
            if r["parent"] == row["id"])
    report["samples"] = {
        "event": "task-clock", "period": 1000003, "asked": 0, "frequency": 0,
        "chain": 32, "cost_ns": 3210.5,
        "taken": sum(s["count"] for s in stacks),
        "outside": sum(s["count"] for s in stacks if s["row"] is None),
        "lost": 0, "lost_more": 0, "unstored": 0,
        "modules": copy.deepcopy(modules), "stacks": stacks}
    report["samples"].update(counts)
    return report


def made_up(report):
    return with_samples(report, MODULES, [
        stack(None, 3, (-1, 4096)), stack(0, 7, (0, 16), (2, 32)),
        stack(1, 9, (2, 1), label=7), stack(1, 9, (2, 1), label=8, data=4096, data_end=8192),
        stack(1, 2), stack(2, 1, (1, 2 ** 63 - 1), (-1, 0)),
        stack(2, 5, (-1, 2 ** 63), (-1, 2 ** 64 - 1), label=2 ** 64 - 1)],
        lost=5, lost_more=1, unstored=2)


# ---- JSON -------------------------------------------------------------------

def test_round_trip(tool, report):
    given = made_up(report)
    path = tool.write("given.json", given)
    first = tool.run("report", "-f", "json", path)
    same("what was read", json.loads(first)["samples"], given["samples"])
    same("rows", [(r["samples"], r["samples_within"])
                  for r in json.loads(first)["rows"]],
         [(r["samples"], r["samples_within"]) for r in given["rows"]])
    (tool.folder / "first.json").write_text(first)
    done = subprocess.run([sys.executable, HERE / "schema.py",
                           tool.folder / "first.json"], check=False,
                          capture_output=True, text=True)
    expect("the schema", done.returncode in (0, 77), done.stderr)
    same("what is written again",
         tool.run("report", "-f", "json", "first.json"), first)
    for view in ("--flat", "--depth=1"):
        same(f"stacks with {view}",
             tool.json(view, path)["samples"]["stacks"], [])
    for none in ("null", "missing"):
        plain = copy.deepcopy(report)
        if none == "missing":
            del plain["samples"]
        found = tool.json(tool.write("plain.json", plain))
        same(f"samples {none}", found["samples"], None)
        expect("no counts in rows", "samples" not in found["rows"][0])


# What is changed, to what, and what is said of it.
WRONG = [
    (["event"], 3, "samples.event: a string was expected"),
    (["event"], "x" * 500, "samples.event: at most"),
    (["period"], -1, "samples.period: a whole number from 0"),
    (["chain"], 2 ** 40, "samples.chain: a whole number from 0"),
    (["chain"], 1, "stacks[1].addresses: at most 1 addresses were expected"),
    (["taken"], 1.5, "samples.taken: a whole number was expected"),
    (["cost_ns"], "x", "samples.cost_ns: a number or null was expected"),
    (["outside"], 1000, "samples: outside: at most the"),
    (["modules"], {}, "samples.modules: a list was expected"),
    (["modules", 1], "x", "samples.modules[1]: an object or a list"),
    (["modules", 0, "path"], None, "modules[0].path: a string was expected"),
    (["modules", 0, "path"], "", "modules[0]: path: at least one byte"),
    (["modules", 0, "build_id"], "abc", "modules[0]: build_id: at most 64"),
    (["modules", 0, "build_id"], "AB", "modules[0]: build_id: at most 64"),
    (["modules", 0, "build_id"], "ab" * 65, "modules[0]: build_id: at most"),
    (["stacks"], None, "samples.stacks: a list was expected"),
    (["stacks", 2, "row"], 3, "stacks[2]: row: null or the id of one of 3"),
    (["stacks", 2, "row"], -1, "stacks[2].row: a whole number from 0"),
    (["stacks", 0, "count"], 2.5, "stacks[0].count: a whole number was"),
    (["stacks", 2, "label"], "x", "stacks[2].label: a whole number was"),
    (["stacks", 1, "addresses", 0], [3, 1], "addresses[0]: a module from -1"),
    (["stacks", 1, "addresses", 0], [-2, 1], "addresses[0]: a module from -1"),
    (["stacks", 1, "addresses", 0], [0], "addresses[0]: a pair of module"),
    (["stacks", 1, "addresses", 0], [0, 1, 2], "addresses[0]: a pair of"),
    (["stacks", 1, "addresses", 0], [None, 1], "addresses[0]: a pair of"),
    (["stacks", 1, "addresses", 0], [0, -1], "addresses[0]: a whole number"),
    (["stacks", 1, "count"], 2 ** 63, "not a number above 2^63 - 1"),
    (["stacks", 1, "label"], 2 ** 64, "not JSON: too big integer"),
    (["event"], 2 ** 63, "event: a string was expected, not a number above"),
    (["period"], -2 ** 64, "not JSON: too big negative integer"),
    (["stacks", 1, "addresses", 0], 5, "addresses[0]: an object or a list"),
]


def test_wrong(tool, report):
    for path, value, message in WRONG:
        wrong = made_up(report)
        inside = wrong["samples"]
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = value
        tool.run("report", tool.write("wrong.json", wrong), status=1)
        expect(f"{path} = {value}", message in tool.err, tool.err)
    for key in made_up(report)["samples"]:
        wrong = made_up(report)
        del wrong["samples"][key]
        tool.run("report", tool.write("wrong.json", wrong), status=1)
        expect(f"no {key}", f'samples: "{key}" is missing' in tool.err,
               tool.err)
    for value in ([], 1, "x"):
        tool.run("report", tool.write("wrong.json",
                                      {**report, "samples": value}), status=1)
        expect(f"samples {value}", "samples: an object was expected" in
               tool.err, tool.err)


# ---- merging ----------------------------------------------------------------

def stacks_by_path(report):
    """Counts by the path of the row, label, and places of the stack."""
    paths, sums = {None: ()}, {}
    for row in report["rows"]:
        paths[row["id"]] = paths[row["parent"]] + (row["name"],)
    samples = report["samples"]
    for s in samples["stacks"]:
        places = tuple((tuple(samples["modules"][m].values()) if m >= 0 else
                        None, address) for m, address in s["addresses"])
        key = (paths[s["row"]], s.get("label"), places)
        sums[key] = sums.get(key, 0) + s["count"]
    return sums


def renamed(report, pid, names=()):
    report = copy.deepcopy(report)
    report["pid"] = pid
    for row in report["rows"]:
        row["name"] = dict(names).get(row["name"], row["name"])
    return report


def test_merge(tool, report):
    a = made_up(report)
    b = renamed(with_samples(report, MODULES[::-1], [
        stack(2, 4, (0, 1)), stack(2, 6, (0, 1), label=7),
        stack(1, 1, (0, 1), label=8, data=2048),
        stack(0, 1, (2, 16), (0, 32)), stack(None, 3, (2, 1)),
        stack(1, 5, (1, 99))], lost=1), pid=2, names={"print": "later"})
    c = renamed(report, pid=3)
    paths = [tool.write(f"{name}.json", what)
             for name, what in (("a", a), ("b", b), ("c", c))]
    merged = tool.json("--merge", *paths)
    wanted = stacks_by_path(a)
    for key, count in stacks_by_path(b).items():
        wanted[key] = wanted.get(key, 0) + count
    same("merged stacks", stacks_by_path(merged), wanted)
    same("stacks that are equal are one", len(merged["samples"]["stacks"]),
         len(wanted))
    for key in ("taken", "outside", "lost", "lost_more", "unstored"):
        same(f"merged {key}", merged["samples"][key],
             a["samples"][key] + b["samples"][key])
    same("data of equal stacks", [(s["data"], s["data_end"]) for s in
                                  merged["samples"]["stacks"]
                                  if "data" in s], [(2048, 8192)])
    same("merged modules", len(merged["samples"]["modules"]), 3)
    expect("a note", "samples: 1 of 3 reports have none" in merged["notes"],
           merged["notes"])
    sums = {r["name"]: r["samples"] for r in merged["rows"]}
    same("merged counts of rows", sums, {"round": 8, "add": 26, "print": 6,
                                         "later": 10})
    order = [(-1 if s["row"] is None else s["row"], -s["count"])
             for s in merged["samples"]["stacks"]]
    same("the order of stacks", order, sorted(order))
    part = tool.write("part.json", tool.json("--merge", *paths[:2]))
    by_steps = tool.json("--merge", part, paths[2])
    same("merged by steps", by_steps["samples"], merged["samples"])
    test_merge_refused(tool, a, b)


def test_merge_refused(tool, a, b):
    for key, value in (("event", "cycles"), ("period", 5), ("frequency", 9)):
        other = copy.deepcopy(b)
        other["samples"][key] = value
        merged = tool.json("--merge", tool.write("a.json", a),
                           tool.write("b.json", other))
        same(f"samples of different {key}", merged["samples"], None)
        expect("a note", any("samples are left out" in note
                             for note in merged["notes"]), merged["notes"])
    for key in ("taken", "lost", "unstored"):
        big = [copy.deepcopy(report) for report in (a, b, b)]
        for pid, report in enumerate(big):
            report["pid"] = pid
            report["samples"][key] = 2 ** 63 - 1
        paths = [tool.write(f"{i}.json", r) for i, r in enumerate(big)]
        tool.run("report", "--merge", *paths, status=1)
        expect("a sum that overflows", f"2.json: samples.{key}: the sum" in
               tool.err, tool.err)


# ---- all --------------------------------------------------------------------

def sample_report(folder, example):
    path = folder / "real.json"
    subprocess.run([example], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "SELFMON_EVENTS": "none",
                        "SELFMON_OUTPUT": f"json:{path}"})
    return json.loads(path.read_text())


def main():
    program, example = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tool = Tool(program, folder)
        report = sample_report(folder, example)
        try:
            tool.run("report", "-f", "json", "real.json")
        except SystemExit:
            if "install libjansson-dev" not in tool.err:
                raise
            print(f"samples: SKIPPED: {tool.err}")
            return
        test_round_trip(tool, report)
        test_wrong(tool, report)
        test_merge(tool, report)
    print(f"samples: {checks} facts of samples")


main()
