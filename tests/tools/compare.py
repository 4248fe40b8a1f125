#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests selfmon compare on reports whose true values are known.

    compare.py SELFMON EXAMPLE          verdicts, refusals and formats; also
                                        rates, except in the quick form
    compare.py --rates SELFMON COMMAND  prints false alarms and power over real
                                        runs of COMMAND, as a table

EXAMPLE is a program with regions. Its report in JSON is the template, in which
values are replaced. The rank test is compared with an enumeration of all
choices, which shares no code with it.
"""
import argparse
import copy
import itertools
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

RUNS = 10
PAIRS = 400  # of real runs; a quarter of it in the test


def fail(text):
    sys.exit(f"check-compare: {text}")


def expect(condition, text):
    if not condition:
        fail(text)


class Tool:
    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def save(self, reports, name):
        paths = []
        for i, report in enumerate(reports):
            path = self.folder / f"{name}{i:02}.json"
            path.write_text(json.dumps(report))
            paths.append(str(path))
        return paths

    def run(self, a, b, *options):
        done = subprocess.run(
            [self.program, "compare", *options, *a, "--", *b],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def compare(self, a, b, *options):
        """Compares reports and returns the comparison as an object."""
        status, out, err = self.run(self.save(a, "a"), self.save(b, "b"),
                                    "-f", "json", *options)
        expect(status in (0, 1, 3), f"status {status}: {err}")
        found = json.loads(out)
        found["status"] = status
        return found

    def refused(self, a, b, words, *options):
        status, out, err = self.run(self.save(a, "a"), self.save(b, "b"),
                                    *options)
        expect(status == 2, f"{words}: status {status}, not 2: {out}{err}")
        expect(not out, f"{words}: refused, and printed {out}")
        expect(words in err, f"'{words}' is not in: {err}")


# ---- reports whose values are known ------------------------------------------


def scaled(report, name, factor):
    """Returns a report whose regions of this name (None: all) took `factor`
    times as long."""
    report = copy.deepcopy(report)
    for row in report["rows"]:
        time = row["time_ns"]
        if name not in (None, row["name"]) or time["sum"] is None:
            continue
        for key in ("net", "net_exclusive"):
            if time[key] is not None:
                time[key] *= factor
        time["histogram"] = [[ns * factor, n] for ns, n in time["histogram"]]
    return report


def noisy(template, rng, spread, name=None, factor=1.0):
    """Returns a run in which the mean of each region deviates by a random
    share."""
    report = copy.deepcopy(template)
    for row in report["rows"]:
        times = factor if name in (None, row["name"]) else 1
        times *= math.exp(rng.gauss(0, spread))
        for key in ("net", "net_exclusive"):
            if row["time_ns"][key] is not None:
                row["time_ns"][key] *= times
    return report


def flat(template, count):
    """Returns a template with this number of regions of equal share below one
    root."""
    report = copy.deepcopy(template)
    root = copy.deepcopy(report["rows"][0])
    rows = [root]
    root.update(id=0, parent=None, depth=0, name="root")
    for i in range(count):
        row = copy.deepcopy(root)
        row.update(id=i + 1, parent=0, depth=1, name=f"r{i}")
        row["time_ns"]["net"] = root["time_ns"]["net"] / count
        rows.append(row)
    report["rows"] = rows
    report["total_ns"] = root["time_ns"]["net"]
    return report


def set_means(template, means):
    """Returns runs of one region with these means, in ns."""
    runs = []
    for mean in means:
        report = copy.deepcopy(template)
        del report["rows"][1:]
        time = report["rows"][0]["time_ns"]
        time["net"] = mean * time["visits"]
        report["total_ns"] = time["net"]
        runs.append(report)
    return runs


def region_of(found, name):
    for region in found["regions"]:
        if region["path"][-1] == name:
            return region
    return fail(f"no region {name}")


# ---- the rank test -----------------------------------------------------------


def enumerated_p(a, b):
    """Returns the two-sided p value, by enumerating all ways to choose the
    values of b."""
    both = a + b
    rank = [sum(x < v for x in both) + (sum(x == v for x in both) + 1) / 2
            for v in both]
    middle = len(b) * (len(both) + 1) / 2
    far = abs(sum(rank[len(a):]) - middle)
    sums = [abs(sum(chosen) - middle)
            for chosen in itertools.combinations(rank, len(b))]
    return sum(s >= far - 1e-9 for s in sums) / len(sums)


def check_rank_test(tool, template):
    rng = random.Random(7)
    for n, m in ((4, 4), (4, 7), (6, 5), (7, 7)):
        for _ in range(4):
            # The values are few, so that there are ties.
            a = [rng.randrange(100, 112) for _ in range(n)]
            b = [rng.randrange(103, 115) for _ in range(m)]
            found = tool.compare(set_means(template, a),
                                 set_means(template, b))
            wanted = enumerated_p(a, b)
            p = found["regions"][0]["cells"][0]["p"]
            expect(math.isclose(p, wanted, rel_tol=1e-9),
                   f"{a} {b}: p {p}, not {wanted}")


def check_interval(tool, template):
    """Checks that a known ratio is found exactly, and the coverage of the
    interval."""
    name = template["rows"][0]["name"]
    found = tool.compare(set_means(template, [100] * 5),
                         set_means(template, [110] * 5))
    cell = region_of(found, name)["cells"][0]
    expect(all(math.isclose(cell[k], 1.1) for k in ("ratio", "low", "high")),
           f"{cell}: 1.1 was expected")
    rng = random.Random(11)
    inside = 0
    for _ in range(100):
        runs = [[100 * factor * math.exp(rng.gauss(0, 0.03))
                 for _ in range(RUNS)] for factor in (1, 1.2)]
        cell = tool.compare(set_means(template, runs[0]),
                            set_means(template, runs[1])
                            )["regions"][0]["cells"][0]
        inside += cell["low"] <= 1.2 <= cell["high"]
    expect(inside >= 90, f"the interval held the truth {inside} of 100 times")
    print(f"compare: the 95 % interval held the truth {inside} of 100 times")


# ---- rates -------------------------------------------------------------------


def alarms_of(found):
    """Returns whether any region was significant in either direction, and
    whether any was a regression."""
    verdicts = [r["verdict"] for r in found["regions"]]
    return (any(v in ("regression", "more", "less") for v in verdicts),
            "regression" in verdicts)


def check_rates(tool, template):
    rng = random.Random(3)
    template = flat(template, 20)
    any_alarm = regressions = 0
    pairs = PAIRS // 4
    for _ in range(pairs):
        runs = [noisy(template, rng, 0.03) for _ in range(2 * RUNS)]
        found = tool.compare(runs[:RUNS], runs[RUNS:])
        alarm, regression = alarms_of(found)
        any_alarm += alarm
        regressions += regression
    print(f"compare: of {pairs} pairs alike, 21 regions each, "
          f"{any_alarm} with any alarm, {regressions} with a regression")
    expect(any_alarm <= pairs * 0.05, f"{any_alarm} of {pairs} false alarms")
    for spread, factor, least in ((0.01, 1.05, 95), (0.02, 1.10, 95)):
        found = 0
        for _ in range(100):
            a = [noisy(template, rng, spread) for _ in range(RUNS)]
            b = [noisy(template, rng, spread, "r3", factor)
                 for _ in range(RUNS)]
            result = tool.compare(a, b)
            found += region_of(result, "r3")["verdict"] == "regression"
            expect(result["status"] == (1 if alarms_of(result)[1] else 0),
                   f"status {result['status']}")
        print(f"compare: {factor:.2f} times the time, runs that differ by "
              f"{spread:.0%}: found {found} of 100 times")
        expect(found >= least, f"{factor}: found {found} of 100 times")


# ---- verdicts, refusals ------------------------------------------------------


def check_verdicts(tool, template):
    rng = random.Random(5)
    template = flat(template, 5)
    same = [noisy(template, rng, 0.001) for _ in range(2 * RUNS)]
    a, b = same[:RUNS], same[RUNS:]
    found = tool.compare(a, b)
    expect({r["verdict"] for r in found["regions"]} == {"same"},
           f"alike: {[r['verdict'] for r in found['regions']]}")
    expect(found["status"] == 0, "alike, and not 0")
    # A change of 1 % is significant, and within the gate.
    found = tool.compare(a, [scaled(r, "r1", 1.01) for r in b])
    expect(region_of(found, "r1")["verdict"] == "more", "1 % more")
    found = tool.compare(a, [scaled(r, "r1", 0.9) for r in b])
    expect(region_of(found, "r1")["verdict"] == "less", "10 % less")
    found = tool.compare(a, [scaled(r, "r1", 1.1) for r in b], "--gate", "15")
    expect(region_of(found, "r1")["verdict"] == "more", "10 % within 15 %")
    # A region below --min-share is not judged, whatever its change.
    found = tool.compare(a, [scaled(r, "r1", 1.1) for r in b], "--min-share",
                         "30")
    expect(region_of(found, "r1")["verdict"] == "not judged", "small")
    # With a wide spread the verdict is inconclusive, and not "same".
    wide = [noisy(template, rng, 0.2) for _ in range(2 * RUNS)]
    found = tool.compare(wide[:RUNS], wide[RUNS:], "--require-conclusive")
    expect(found["status"] == 3, "inconclusive, and not 3")
    expect("inconclusive" in found["conclusion"], found["conclusion"])
    # Three runs per side are too few for a test. Four are too few for six
    # regions.
    found = tool.compare(a[:3], b[:3])
    expect("no test" in found["conclusion"] and found["status"] == 0,
           found["conclusion"])
    found = tool.compare(a[:4], [scaled(r, None, 1.5) for r in b[:4]])
    expect(found["runs_needed"] == 5, f"{found['runs_needed']} runs needed")
    text = tool.run(tool.save(a[:4], "a"), tool.save(
        [scaled(r, None, 1.5) for r in b[:4]], "b"))[1]
    expect("4 runs per side are too few for 6 regions, "
           "at least 5 are needed" in text,
           text)
    found = tool.compare(a[:5], [scaled(r, None, 1.5) for r in b[:5]])
    expect(len([r for r in found["regions"] if r["verdict"] == "regression"])
           == 6, "5 runs are enough for 6 regions")


def check_regions(tool, template):
    """Regions that are only in one side are listed. Regions of the same name
    in different places are not merged."""
    template = flat(template, 4)
    other = copy.deepcopy(template)
    other["rows"][2]["name"] = "new"
    for report, lines in ((template, (10, 20)), (other, (11, 21))):
        for row, line in zip(report["rows"][3:], lines):
            row.update(name="twin", file="x.c", line=line)
    other["rows"][4]["time_ns"]["net"] *= 2
    found = tool.compare([template] * 5, [other] * 5)
    expect(region_of(found, "new")["runs"] == [0, 5], "new")
    expect(region_of(found, "r1")["runs"] == [5, 0], "vanished")
    ratios = [region_of(found, name)["cells"][0]["ratio"]
              for name in ("twin", "twin#2")]
    expect(ratios == [1, 2], f"twins: {ratios}")
    text = tool.run(tool.save([template] * 5, "a"), tool.save([other] * 5, "b")
                    )[1]
    expect("Only in A:\n  root > r1" in text and
           "Only in B:\n  root > new" in text, text)


def check_refusals(tool, template):
    other = copy.deepcopy(template)
    other["cpu"] = "another CPU"
    tool.refused([template] * 4, [other] * 4, "its CPU is another CPU")
    found = tool.compare([template] * 4, [other] * 4, "--force")
    expect("the CPU differs" in found["cautions"][0], found["cautions"])
    other = copy.deepcopy(template)
    other.update(kernel="Linux 9", clock_hz=template["clock_hz"] * 2, every=7)
    found = tool.compare([template] * 4, [template] * 3 + [other])
    marked = " ".join(found["cautions"])
    expect("another kernel: Linux 9" in marked and "another clock" in marked
           and "SELFMON_EVERY=7" in marked, marked)
    tool.refused([template] * 4, [template] * 4, "not all runs have this",
                 "--by", "cycles")
    tool.refused([template], [template], "0 to 100", "--gate", "x")
    tool.refused([template], [template], "did you mean markdown",
                 "-f", "markdwon")
    paths = tool.save([template], "a")
    status, out, err = tool.run(paths, [])
    expect(status == 2 and not out and "files of B" in err, err)
    bad = tool.folder / "bad.json"
    bad.write_text(json.dumps(template, indent=1).replace(
        '"visits": 1', '"visits": -1', 1))
    status, out, err = tool.run(paths, [str(bad)])
    expect(status == 2 and not out and "rows[0].visits" in err,
           err)


def check_columns(tool, template):
    """A counter that one run lacks is not compared, and the output says so."""
    counted = copy.deepcopy(template)
    counted["columns"] = [{"name": "instructions", "verdict": "exact",
                           "kernel": False, "reason": ""}]
    for key in ("inner", "outer"):
        if counted["calibration"]:
            counted["calibration"][key] = [0]
    for row in counted["rows"]:
        value = copy.deepcopy(row["time_ns"])
        value["net"] = 1000.0 * value["visits"]
        row["counters"] = [value]
    more = copy.deepcopy(counted)
    for row in more["rows"]:
        row["counters"][0]["net"] *= 1.03
    found = tool.compare([counted] * 6, [more] * 6, "--by", "instructions",
                         "--min-share", "0")
    first = found["regions"][0]
    expect(first["verdict"] == "regression" and found["status"] == 1,
           first["verdict"])
    found = tool.compare([counted] * 6, [more] * 5 + [template])
    expect("instructions is not compared: 11 of 12 runs" in
           " ".join(found["cautions"]), found["cautions"])


# ---- formats -----------------------------------------------------------------

HOSTILE = "a|b`<script>\x1b[31m\u202e*x*\n=1"


def check_formats(tool, template):
    rng = random.Random(9)
    report = flat(template, 300)
    for i, row in enumerate(report["rows"]):
        row["name"] = HOSTILE + str(i)
    a, b = [[noisy(report, rng, 0.01) for _ in range(6)] for _ in range(2)]
    paths = tool.save(a, "a"), tool.save(b, "b")
    options = ("--min-share", "0")
    text = tool.run(*paths, *options)[1]
    lines = text.splitlines()
    expect(len(lines) <= 100, f"{len(lines)} lines of text")
    expect(max(map(len, lines)) <= 100, "a line is too long")
    expect("\x1b" not in text and "\u202e" not in text, "escapes in text")
    # Ten runs per side and a single region give a very small p value.
    one = flat(template, 1)
    far = [tool.save([scaled(noisy(one, rng, 0.01), None, factor)
                      for _ in range(10)], name)
           for name, factor in (("c", 1), ("d", 2))]
    expect(" <0.0001  " in tool.run(*far, *options)[1], "a small p in text")
    marked = tool.run(*paths, "-f", "markdown", *options)[1]
    expect(len(marked) < 65536, f"{len(marked)} characters of markdown")
    expect("<script" not in marked and "\x1b" not in marked and
           "\u202e" not in marked, "hostile markdown")
    for line in marked.splitlines():
        expect(not line.startswith("| a") or line.count("|") == 8,
               f"cells: {line}")
    status, out, err = tool.run(*paths, "-f", "bencher", *options)
    metrics = json.loads(out)
    expect(len(metrics) == 301, f"{status} {len(metrics)} benchmarks {err}")
    for measures in metrics.values():
        value = measures["latency"]
        expect(value["lower_value"] <= value["value"] <= value["upper_value"],
               f"{value}")


# ---- real runs ---------------------------------------------------------------


def measure(command, path):
    subprocess.run(["sh", "-c", command], check=True,
                   stdout=subprocess.DEVNULL,
                   env=dict(os.environ, SELFMON_OUTPUT=f"json:{path}"))
    return json.loads(path.read_text())


def real_rates(tool, command):
    runs = [measure(command, tool.folder / "run.json") for _ in range(60)]
    rng = random.Random(1)
    means = {}
    for run in runs:
        for row in run["rows"]:
            if row["depth"] > 0:
                means.setdefault(row["name"], []).append(
                    row["time_ns"]["net"])
    hot = max(means, key=lambda name: statistics.median(means[name]))
    any_alarm = regressions = 0
    for _ in range(PAIRS):
        drawn = rng.sample(runs, 2 * RUNS)
        alarm, regression = alarms_of(
            tool.compare(drawn[:RUNS], drawn[RUNS:]))
        any_alarm += alarm
        regressions += regression
    print(f"{PAIRS} pairs of {RUNS} and {RUNS} of 60 runs: {any_alarm} with "
          f"any alarm, {regressions} with a regression")
    low, median, high = statistics.quantiles(means[hot], n=4)
    print(f"\nHalf of the runs of {hot} lie within "
          f"{(high - low) / median:.1%}.\n"
          "slower by  significant  a regression, of 100")
    for percent in (2, 5, 10):
        significant = beyond = 0
        for _ in range(100):
            drawn = rng.sample(runs, 2 * RUNS)
            verdict = region_of(tool.compare(
                drawn[:RUNS], [scaled(r, hot, 1 + percent / 100)
                               for r in drawn[RUNS:]]), hot)["verdict"]
            significant += verdict in ("regression", "more")
            beyond += verdict == "regression"
        print(f"{percent:7} %  {significant:11}  {beyond:12}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("program")
    parser.add_argument("example")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(os.path.abspath(given.program), folder)
        if given.rates:
            real_rates(tool, given.example)
            return
        template = measure(given.example, tool.folder / "template.json")
        status, _, err = tool.run(tool.save([template], "a"),
                                  tool.save([template], "b"))
        if status == 2 and "install libjansson-dev" in err:
            print(f"compare: SKIPPED: {err}")
            return
        check_rank_test(tool, template)
        check_verdicts(tool, template)
        check_regions(tool, template)
        check_refusals(tool, template)
        check_columns(tool, template)
        check_formats(tool, template)
        if os.environ.get("TEST_FORM"):
            check_interval(tool, template)
            check_rates(tool, template)
    print("compare: passed")


if __name__ == "__main__":
    main()
