# SPDX-License-Identifier: MIT
"""Makes reports in which each text is dangerous, and prints them by selfmon.

Used by escapes.py. A report in JSON and a program with symbols may come from
anyone. The script therefore replaces all their texts, including those that the
library never writes with such bytes.
"""
import copy
import json
import os
import subprocess

from hostile import any_name, call, check, complain, exact_json

# Keys whose texts stay: words that the reader checks against a list, and
# identifiers that it validates.
KEPT = {"schema", "choice", "verdict", "unit", "units", "build_id", "off_cpu",
        "no_stacks_reason"} # if set, there are no stacks
LONGEST = 31 # bytes that the shortest of a report's texts has room for


def set_text(to, key, text):
    """Stores a text as the library writes it: bytes that are not UTF-8 are in
    hexadecimal too."""
    to[key] = text.decode(errors="replace")
    to.pop(key + "_hex", None)
    if to[key].encode() != text:
        to[key + "_hex"] = text.hex()


def spoil(value):
    """Replaces each text in a JSON value."""
    if isinstance(value, list):
        for i, inside in enumerate(value):
            if isinstance(inside, str):
                value[i] = any_name()[:LONGEST].decode(errors="replace")
            else:
                spoil(inside)
    elif isinstance(value, dict):
        for key in [key for key in value if key not in KEPT and
                    not key.endswith("_hex")]:
            if isinstance(value[key], str):
                set_text(value, key, any_name()[:LONGEST])
            else:
                spoil(value[key])


def counted(time):
    """Makes a quantity of an event from that of time."""
    keys = ("verdict", "visits", "sum", "min", "max", "net", "noise",
            "share_on_pmu", "guessed", "exclusive", "net_exclusive")
    return {**{key: time[key] for key in keys}, "scaled_enabled_ns": None,
            "scaled_off_ns": None}


def not_counted(time):
    return {**dict.fromkeys(counted(time)), "verdict": "not counted",
            "visits": 0}


def add_columns(report):
    """Adds two events: one is counted, and the other is not, for a stated
    reason."""
    column = {"kernel": False, "group": 0, "name": "", "reason": "",
              "without": 0}
    report["columns"] = [{**column, "verdict": "exact"},
                         {**column, "verdict": "not counted"}]
    for key in "inner", "outer":
        if report["calibration"]:
            report["calibration"][key] = [0, 0]
    for row in report["rows"]: # spans have no events
        row["counters"] = [counted(row["time_ns"]),
                           not_counted(row["time_ns"])]


def add_samples(report):
    stacks = [{"row": None, "addresses": [[-1, 4096]]},
              {"row": 0, "addresses": [[0, 16], [1, 32]]},
              {"row": 0, "addresses": [[1, 8]]}]
    for row in report["rows"]:
        row["samples"] = row["samples_within"] = 0 if row["id"] else 2
    report["samples"] = {
        "event": "task-clock", "period": 1000, "asked": 2000, "frequency": 0,
        "chain": 32, "cost_ns": 10, "taken": 3, "outside": 1, "lost": 1,
        "lost_more": 0, "unstored": 1, "no_stacks_reason": "",
        "modules": [{"path": "/none", "build_id": "00"} for _ in range(2)],
        "stacks": [{"count": 1, **stack} for stack in stacks]}


def add_slowest(report):
    report["slowest"] = [{
        "region": "slow", "ns": 9, "begin_ns": 1,
        "ended": "2026-01-01T00:00:00Z", "ended_ns": 1, "tid": 1, "cpu": 0,
        "migrated": False, "detached": False, "suspended": False,
        "overwritten": True, "known_from_ns": 3, "least_part_ns": 1,
        "off_cpu": {"blocked_ns": 2, "blocked": 1, "preempted_ns": 0,
                    "preempted": 0},
        "counters": {}, "inner": 2,
        "parts": [{"region": "part", "begin_ns": 0, "ns": 5},
                  {"off_cpu": "blocked", "begin_ns": 5, "ns": 2}]}]


def made_of(path):
    """Makes a report that has every kind of text, with all texts replaced by
    dangerous ones."""
    with open(path, encoding="utf-8") as stream:
        report = json.load(stream)
    add_columns(report)
    if not any("thread" in row for row in report["rows"]):
        add_samples(report)
    add_slowest(report)
    report["errata"] = [dict.fromkeys(("name", "events", "text", "source"),
                                      "")]
    report["notes"] = [""] * 2
    for key in "slowed", "degraded", "time_alone", "no_off_cpu", "no_samples":
        report[key] = 1
    spoil(report)
    name = exact_json(report["rows"][0])
    set_text(report["async"]["rows"][0], "name", name)
    return report


def write(folder, name, report):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(report, stream, ensure_ascii=False)
    return path


def printed(selfmon, words, name=None, format=b"text"):
    done = call("spoiled report", [selfmon, b"report", b"--format=" + format] +
                words)
    if done.returncode and b"libjansson" not in done.stderr:
        complain("spoiled report", (words, done.stderr))
    elif name and not done.returncode:
        check(format, done.stdout, name)


def reports(selfmon, folder, path):
    """Prints each format and each view of a report, and of the merge of two."""
    report = made_of(path)
    name = exact_json(report["rows"][0])
    event = exact_json(report["columns"][0])
    file = write(folder, b"spoiled", report)
    for format in b"text", b"json", b"csv", b"folded", b"html":
        printed(selfmon, [file], name, format)
    for words in [b"--flat"], [b"--depth", b"1"], [b"--sort", event], \
            [b"--find", b"."], [b"--histogram", name]:
        printed(selfmon, words + [file])
    printed(selfmon, [b"--by", event, file], format=b"folded")
    if "samples" in report and report["samples"]:
        printed(selfmon, [b"--samples", file])
        printed(selfmon, [b"--by", b"samples", file], format=b"folded")
        compare(selfmon, folder, report, event)
        other = made_of(path)
        other["pid"] += 1
        for format in b"text", b"json", b"csv", b"folded", b"html":
            printed(selfmon, [b"--merge", file,
                              write(folder, b"other", other)], name, format)


def of_run(report, factor):
    report = copy.deepcopy(report)
    report["pid"] += round(factor * 1000)
    for row in report["rows"]:
        for value in row["time_ns"], row["counters"][0]:
            value["net"] = 1e6 * factor
            value["net_exclusive"] = 1e5 * factor
    return report


def compare(selfmon, folder, report, event):
    """Compares the runs of two programs with dangerous texts, one of which
    takes longer."""
    sides = [[write(folder, f"run{i * side}".encode(),
                    of_run(report, side + i / 1000)) for i in range(1, 6)]
             for side in (1, 20)]
    other = of_run(report, 30)
    for key in "cpu", "hypervisor", "kernel", "events", "clock", "program":
        set_text(other, key, any_name()[:LONGEST])
    other = write(folder, b"unlike", other)
    only = copy.deepcopy(of_run(report, 31))
    spoil(only["rows"])
    only = write(folder, b"only", only)
    for format in b"text", b"markdown", b"json", b"bencher", b"html":
        for by in b"time", event:
            for more in [], [other], [only]:
                done = call("spoiled compare", [
                    selfmon, b"compare", b"--force", b"--format=" + format,
                    b"--by", by, *sides[0], b"--", *sides[1], *more])
                if done.returncode not in (0, 1) or not done.stdout and \
                        b"libjansson" not in done.stderr:
                    complain("spoiled compare", (format, done.stderr))


# ---- functions and files of samples ------------------------------------------

FUNCTION = b"a_function_of_any_name_for_spoiled_py"
SOURCE = b"a_file_of_any_name_for_spoiled_py.c"


def as_long_as(name, other):
    """Returns the name, cut or extended to the length of the other one."""
    name = name.replace(b"/", b"_")[:len(other)]
    return name + b"x" * (len(other) - len(name))


def build_id_of(path):
    notes = subprocess.run(["readelf", "-n", path], check=True,
                           capture_output=True, text=True).stdout
    return notes.split("Build ID: ")[1].split()[0]


def symbols(selfmon, folder, sampled):
    """Prints the samples of a program with dangerous names of functions, files
    and folders, and samples in code made at run time."""
    function, source = (as_long_as(any_name(), name)
                        for name in (FUNCTION, SOURCE))
    path = os.path.join(folder, any_name().replace(b"/", b"_") + b"x")
    with open(sampled, "rb") as stream:
        program = stream.read().replace(FUNCTION, function)
    with open(path, "wb") as stream:
        stream.write(program.replace(SOURCE, source))
    address = int(subprocess.run([sampled], check=True, capture_output=True,
                                 text=True).stdout)
    with open(os.path.join(folder, b"saved"), encoding="utf-8") as stream:
        report = json.load(stream)
    add_samples(report)
    report["pid"] = 2 ** 31 - 1 - os.getpid()
    module = report["samples"]["modules"][0]
    set_text(module, "path", path)
    module["build_id"] = build_id_of(sampled)
    report["samples"]["stacks"][1]["addresses"] = [[0, address]]
    del report["samples"]["stacks"][2]
    with_map(selfmon, write(folder, b"symbols", report), report["pid"])


def with_map(selfmon, file, pid):
    """Writes a perf map with a symbol for the address of code without a
    file."""
    path = f"/tmp/perf-{pid}.map"
    with open(path, "wb") as stream:
        stream.write(b"1000 10 " + any_name().replace(b"\n", b"") + b"x\n")
    try:
        for words in [b"--samples"], [b"--by=samples", b"--format=folded"], \
                [b"--format=html"]:
            done = call("symbols", [selfmon, b"report"] + words + [file])
            check_symbols(words, done)
    finally:
        os.unlink(path)


def check_symbols(words, done):
    """Checks that all names were found, since otherwise nothing was tested."""
    if b"libjansson" in done.stderr or b"without libdw" in \
            done.stdout + done.stderr:
        return
    if done.returncode:
        complain("symbols", (words, done.stderr))
    if words != [b"--format=html"] and (b"code without a file" in done.stdout
                                        or b"+0x" in done.stdout):
        complain("symbols", (words, "not found", done.stdout[-2000:]))
