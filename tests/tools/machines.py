#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/MACHINES.md from the files in machines/.

    machines.py            prints the page
    machines.py --check    fails if docs/MACHINES.md is not that page

Each file was written by `selfmon selftest --json FILE` on one machine. A name
that begins with "emulated-" means that the machine had no real processor.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/MACHINES.md"

HEAD = """# Tested machines

Each row is a file in [machines](../machines), written by `selfmon selftest --json FILE` ([SELFTEST.md](SELFTEST.md)).
Failed runs are listed too. `make machines` writes this page.

%sThe emulated machines count exactly, so they test the code that reads counters. Their times have no meaning, and their
dates come from the host. The verdict of a virtual machine says whether it has a PMU, and whether its counter reads trap
to the hypervisor. The library is developed on a virtual machine without a PMU. The column `library` has the version that
was tested; machines that could not be tested again keep their old row. "Instructions of a pair" is the difference between
a function with a region and an empty function. On x86-64 it is five more than in [COST.md](COST.md), because the function
sets up and removes a stack frame.

If your machine has a PMU, please run `selfmon selftest --perf --json FILE` and send the file. The file has no names of
hosts or users, no paths and no addresses.

| machine | kernel | kind | verdict | passed, failed, not applicable | instructions of a pair: 0, 1, 4 counters | ns of a pair: 0, 1, 4 counters | library, date |
|---|---|---|---|---|---|---|---|
"""

NO_BARE = ("**No machine without a hypervisor has been tested yet.**"
           "\n\n")


def figure(result, name):
    for one in result["figures"]:
        if one["name"] == name:
            return f"{one['value']:.0f}"
    return "-"


def pair(cost, what):
    names = ("0 counters", "1 counter", "4 counters")
    return ", ".join(figure(cost, f"pair, {name}, {what}") for name in names)


def kind_of(path, machine):
    if path.name.startswith("emulated-"):
        return "emulated"
    if machine["virtual"]:
        return f"virtual ({machine['hypervisor'] or 'hypervisor unknown'})"
    return "bare"


def name_of(path, machine):
    if path.name.startswith("emulated-"):
        return path.stem.removeprefix("emulated-")
    return (f"{machine['cpu']}, family {machine['family']} "
            f"model {machine['model']}")


def row_of(path):
    run = json.loads(path.read_text(encoding="utf-8"))
    machine = run["machine"]
    cost = next(r for r in run["results"] if r["check"] == "cost")
    states = [r["status"] for r in run["results"]]
    counts = ", ".join(str(states.count(s))
                       for s in ("pass", "fail", "not applicable"))
    kind = kind_of(path, machine)
    ns = "-" if kind == "emulated" else pair(cost, "quiet")
    return (f"| [{name_of(path, machine)}](../machines/{path.name}) | "
            f"{machine['kernel']} | {kind} | {run['verdict']} | {counts} | "
            f"{pair(cost, 'instructions')} | {ns} | "
            f"{run['library']}, {run['date']} |\n")


def main():
    files = sorted((ROOT / "machines").glob("*.json"))
    rows = [row_of(path) for path in files]
    bare = any(" | bare | " in row for row in rows)
    page = HEAD % ("" if bare else NO_BARE) + "".join(rows)
    if "--check" not in sys.argv:
        print(page, end="")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        sys.exit("machines: docs/MACHINES.md does not match machines/: "
                 "make machines")
    else:
        print(f"machines: {len(files)} files, as docs/MACHINES.md says")


main()
