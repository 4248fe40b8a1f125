#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests selfmon report with samples at known places.

    samples.py PROGRAM EXAMPLE   EXAMPLE has regions

The script compiles tests/programs/samples/sampled.c, which prints addresses in
functions of known names, and writes reports with samples at these addresses.
"""
import copy
import ctypes.util
import datetime
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

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
    """The program selfmon, run in a scratch folder."""

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
    """Returns a copy of a report with these samples, and the sums that belong
    to them."""
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
        "lost": 0, "lost_more": 0, "unstored": 0, "no_stacks_reason": "",
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
        expect(f"the reason with {view}", "no call stacks" in
               tool.json(view, path)["samples"]["no_stacks_reason"])
    same("no reason with stacks", json.loads(first)["samples"]
         ["no_stacks_reason"], "")
    (tool.folder / "flat.json").write_text(
        tool.run("report", "-f", "json", "--flat", path))
    same("a reason that is read", tool.json("flat.json")["samples"],
         tool.json("--flat", path)["samples"])
    merged = tool.json("--merge", path, tool.write(
        "flat2.json", {**tool.json("--flat", path), "pid": 1}))
    expect("a note of stacks", "samples: 1 of 2 reports have no call stacks"
           in merged["notes"], merged["notes"])
    same("the stacks that there are", merged["samples"]["no_stacks_reason"], "")
    tool.run("report", "--samples", "flat.json", status=1)
    expect("no stacks", "flat.json: has no call stacks: " in tool.err,
           tool.err)
    for none in ("null", "missing"):
        plain = copy.deepcopy(report)
        if none == "missing":
            del plain["samples"]
        found = tool.json(tool.write("plain.json", plain))
        same(f"samples {none}", found["samples"], None)
        expect("no counts in rows", "samples" not in found["rows"][0])


# The changed member, its wrong value, and the expected message.
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
    """Returns the counts by path of the row, label, and places of the stack."""
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
        expect("a note", any("samples are left out" in note and
                             note.endswith("with one event and period")
                             for note in merged["notes"]), merged["notes"])
    other = copy.deepcopy(b)
    other["samples"].update(period=5, asked=3)
    merged = tool.json("--merge", tool.write("a.json", a),
                       tool.write("b.json", other))
    expect("a note of longer periods", any(
        "a longer one: these were lengthened" in note
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


# ---- symbols ----------------------------------------------------------------

class Sampled:
    """A program that prints the addresses of known places, compiled in several
    ways."""

    def __init__(self, folder):
        self.folder = folder
        self.lines = {}
        for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
            if "; /* " in line:
                self.lines[line.split("/* ")[1].split(" */")[0]] = number

    def compile(self, name, *options, compiler=None):
        compiler = (compiler or os.environ.get("CC") or "cc").split()
        path = self.folder / name
        subprocess.run([*compiler, "-O2", *options, SOURCE, "-o", path],
                       check=True)
        output = subprocess.run([path], check=True, capture_output=True,
                                text=True).stdout
        self.at = {word: int(number) for word, number in
                   (line.split() for line in output.splitlines())}
        return path

    def modules(self, path):
        notes = subprocess.run(["readelf", "-n", path], check=True,
                               capture_output=True, text=True).stdout
        build_id = notes.split("Build ID: ")[1].split()[0]
        return [{"path": str(path), "build_id": build_id}]

    def report(self, report, path, **counts):
        """Returns the report with samples in squeeze, which is inlined into
        leaf, in leaf itself, and in code without a file. middle calls leaf,
        and main calls middle."""
        chain = [(0, self.at["return0"]), (0, self.at["return1"])]
        return with_samples(report, self.modules(path), [
            stack(1, 6, (0, self.at["spot1"]), *chain),
            stack(1, 3, (0, self.at["spot2"]), *chain),
            stack(2, 1, (-1, 4096), (0, self.at["return2"])),
            stack(None, 2, (0, self.at["spot2"]))], **counts)


def table_of(text):
    """Returns the lines of the table, split into cells at two blanks."""
    lines = text[text.index("\nregion "):].split("\n\n")[0].splitlines()[2:]
    return [[word.strip() for word in line.split("  ") if word.strip()]
            for line in lines]


def has_libdw(tool):
    return "without libdw" not in tool.run("report", "--samples",
                                           "sampled.json")


def test_text(tool, report, sampled):
    path = sampled.compile("sampled", "-g")
    given = sampled.report(report, path, lost=7, unstored=1, taken=13,
                           cost_ns=2500)
    given["rows"][0]["samples"] = 1
    given["rows"][0]["samples_within"] = 11
    tool.write("sampled.json", given)
    if not has_libdw(tool):
        return False
    text = tool.run("report", "--samples", "sampled.json")
    line = sampled.lines
    same("the table", table_of(text), [
        ["round", "11", "84.6%", "1"],
        ["- (no stack)", "1", "100%"],
        ["add", "9", "69.2%", "9"],
        ["- squeeze, inlined", "6", "66.7%",
         f"sampled.c:{line['in squeeze']}"],
        ["- leaf", "3", "33.3%", f"sampled.c:{line['in leaf']}"],
        ["print", "1", "7.7%", "1"],
        ["- (code without a file)", "1", "100%", "0x1000"],
        ["(outside of regions)", "2", "15.4%", "2"],
        ["- leaf", "2", "100%", f"sampled.c:{line['in leaf']}"]])
    for words in ("13 of task-clock, one per 1.000 ms; 2.50 us each",
                  "lost         7: a thread's ring was full",
                  "no stack     1: there was no memory",
                  "no symbols   1 in code without a file: /tmp/perf-"):
        expect(f"'{words}'", words in text, text)
    expect("the width", all(len(l) <= 100 for l in text.splitlines()), text)
    short = tool.run("report", "--samples", "--top", "1", "sampled.json")
    expect("one more function is no line of its own", "- leaf" in short,
           short)
    return True


def test_options(tool):
    for words in (["-f", "json"], ["-f", "html"], ["--histogram", "x"],
                  ["--flat"], ["--depth", "1"], ["--threads"]):
        tool.run("report", "--samples", *words, "sampled.json", status=2)
        expect(f"{words} with --samples", "--samples" in tool.err, tool.err)
    tool.run("report", "--debuginfod", "sampled.json", status=2)
    tool.run("report", "--samples", "real.json", status=1)
    expect("no samples", "real.json: has no samples: run the program with "
           "SELFMON_SAMPLE=auto" in tool.err, tool.err)


def test_asked(tool, report):
    """If the library lengthened the period, the requested one is printed."""
    given = made_up(report)
    for more, words in (
            ({"period": 2000000, "asked": 500000},
             "one per 2.000 ms (500.0 us was requested:"),
            ({"period": 0, "frequency": 1000, "asked": 5000},
             "1000 a second (5000 a second was requested:")):
        given["samples"].update(more)
        text = tool.run("report", "--samples", tool.write("asked.json", given))
        expect(f"'{words}'", words in text, text)


def test_many(tool, report, sampled):
    """Only the functions with most samples have a row, and names of any bytes
    are safe."""
    modules = [{"path": f"/{i}/lib{ESCAPE}[31m{i}\u202e.so", "build_id": "00"}
               for i in range(9)]
    given = with_samples(report, modules,
                         [stack(1, 90 - i, (i, 16 * i)) for i in range(9)])
    given["rows"][1]["name"] = f"a{ESCAPE}]0;x\x07" + "y" * 300
    tool.write("many.json", given)
    text = tool.run("report", "--samples", "many.json")
    expect("escapes", ESCAPE not in text and "\u202e" not in text, text)
    expect("the width", all(len(l) <= 100 for l in text.splitlines()), text)
    rows = [row for row in table_of(text) if row[0].startswith("- ")]
    same("lines of functions", len(rows), 6)
    same("the rest", rows[-1][:2], ["- 4 more functions", str(334)])
    for top, lines in (("0", 9), ("8", 9), ("2", 3)):
        rows = table_of(tool.run("report", "--samples", "--top", top,
                                 "many.json"))
        same(f"lines with --top {top}",
             sum(row[0].startswith("- ") for row in rows), lines)
    if has_libdw(tool):
        expect("reasons of modules", text.count("No such file") == 8 and
               "and in more modules" in text, text)


def test_files(tool, report, sampled):
    """The file was changed, is missing, is no ELF file, or has no symbols."""
    path = sampled.compile("file", "-g")
    tool.write("file.json", sampled.report(report, path))
    subprocess.run(["strip", path], check=True)
    text = tool.run("report", "--samples", "file.json")
    expect("a stripped file", f"file+{sampled.at['spot1']:#x}" in text and
           "the file has no symbol there" in text, text)
    sampled.compile("file", "-g", "-DOTHER", f"-Wl,--build-id=0x{'ab' * 20}")
    text = tool.run("report", "--samples", "file.json")
    expect("a changed file", "changed since: its build id is abababababababab, that of"
           in " ".join(text.split()) and "- leaf" not in text, text)
    path.unlink()
    text = tool.run("report", "--samples", "file.json")
    expect("no file", f"{path}: No such file" in " ".join(text.split()), text)
    os.mkfifo(path)
    text = tool.run("report", "--samples", "file.json")
    expect("a FIFO", "not a regular file" in text, text)
    path.unlink()
    path.write_text("no ELF")
    text = tool.run("report", "--samples", "file.json")
    expect("a text", "not an ELF file" in text, text)


def test_separate(tool, report, sampled):
    """The debugging information is in a separate file."""
    path = sampled.compile("apart", "-g")
    tool.write("apart.json", sampled.report(report, path))
    wanted = table_of(tool.run("report", "--samples", "apart.json"))
    for words in (["--only-keep-debug", path, f"{path}.debug"],
                  ["--strip-all", path],
                  [f"--add-gnu-debuglink={path}.debug", path]):
        subprocess.run(["objcopy", *words], check=True)
    same("by .gnu_debuglink",
         table_of(tool.run("report", "--samples", "apart.json")), wanted)


def test_symtab(tool, report, sampled):
    """The functions are only in the symbol table; names of C++ are shown
    demangled."""
    path = sampled.compile("table", "-g")
    tool.write("table.json", sampled.report(report, path))
    subprocess.run(["objcopy", "--strip-debug", "--redefine-sym",
                    "leaf=_ZN2ns4leafERKSt6vectorIiSaIiEE", path], check=True)
    rows = table_of(tool.run("report", "--samples", "table.json"))
    name = "- ns::leaf"  # the name is too long to show its parameters
    if not ctypes.util.find_library("stdc++"):
        name = "- _ZN2ns4leafERKSt6vectorIiSaIiEE"
        print("[SKIP] samples: C++ names need libstdc++")
    same("a symbol table", rows[2], [name, "9", "100%", "table"])
    path = sampled.compile("table", "-g")
    subprocess.run(["objcopy", "--strip-debug", "--redefine-sym",
                    "leaf=_ZN2ns4leafEi", path], check=True)
    rows = table_of(tool.run("report", "--samples", "table.json"))
    expect("a short name is whole", rows[2][0] in
           ("- ns::leaf(int)", "- _ZN2ns4leafEi"), rows[2])


def test_compilers(tool, report, sampled):
    """Compilers that write no table of addresses, split debugging information,
    LTO."""
    ways = [("gcc", ["-g", "-gdwarf-4"]), ("gcc", ["-g", "-fno-pie", "-no-pie"]),
            ("gcc", ["-g", "-gsplit-dwarf"]), ("gcc", ["-g", "-flto"]),
            ("clang", ["-g", "-fPIE", "-pie", "-Wno-unknown-attributes"])]
    for compiler, options in ways:
        if subprocess.run(["which", compiler], check=False,
                          capture_output=True).returncode:
            print(f"[SKIP] samples: no {compiler}")
            continue
        path = sampled.compile("way", *options, compiler=compiler)
        given = sampled.report(report, path)
        tool.write("way.json", given)
        text = tool.run("report", "--samples", "way.json")
        expect(f"{compiler} {options}", "- squeeze, inlined" in text and
               f"sampled.c:{sampled.lines['in squeeze']}" in text, text)


def test_vdso(tool, report):
    """Code of the vdso, which the kernel maps into each process."""
    maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
    found = [line for line in maps if line.endswith("[vdso]")]
    if not found:
        return
    begin, end = (int(part, 16) for part in found[0].split()[0].split("-"))
    with open("/proc/self/mem", "rb") as memory:
        memory.seek(begin)
        (tool.folder / "vdso").write_bytes(memory.read(end - begin))
    names = subprocess.run(["nm", "-D", tool.folder / "vdso"], check=True,
                           capture_output=True, text=True).stdout
    words = [line.split() for line in names.splitlines() if " T " in line]
    modules = Sampled.modules(None, tool.folder / "vdso")
    modules[0]["path"] = "[vdso]"
    tool.write("vdso.json", with_samples(report, modules, [
        stack(1, 1, (0, int(words[0][0], 16)))]))
    name = table_of(tool.run("report", "--samples", "vdso.json"))[-1][0]
    at = [w[2].split("@")[0] for w in map(str.split, names.splitlines())
          if w[0] == words[0][0]]
    expect("a function of the vdso", name[2:] in at, (name, at))


def requests_of(tool, *words):
    """Returns how often the command asks a server in DEBUGINFOD_URLS."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.01)
        done = threading.Event()
        asked = []

        def listen():
            while not done.is_set():
                try:
                    with server.accept()[0] as connection:
                        asked.append(connection.recv(4096))
                        connection.sendall(b"HTTP/1.0 404 no\r\n\r\n")
                except socket.timeout:
                    pass

        thread = threading.Thread(target=listen)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        tool.run("report", *words, env={
            "DEBUGINFOD_URLS": url, "DEBUGINFOD_TIMEOUT": "5",
            "DEBUGINFOD_CACHE_PATH": str(tool.folder / "cache"),
            "HOME": str(tool.folder)})
        done.set()
        thread.join()
    return len(asked)


def test_network(tool, report, sampled):
    """The command asks no server unless an option allows it."""
    path = sampled.compile("asks")
    tool.write("asks.json", sampled.report(report, path))
    subprocess.run(["strip", path], check=True)
    same("requests", requests_of(tool, "--samples", "asks.json"), 0)
    asked = requests_of(tool, "--samples", "--debuginfod", "asks.json")
    if not asked and not ctypes.util.find_library("debuginfod"):
        print("[SKIP] samples: --debuginfod needs libdebuginfod1")
        return
    expect("a request with --debuginfod", asked > 0, asked)


def test_map(tool, report):
    """The symbols of code made at run time are in /tmp/perf-PID.map."""
    given = with_samples(report, [], [stack(1, 4, (-1, 0x7f0010)),
                                      stack(1, 2, (-1, 0x8f0000))])
    given["pid"] = 2 ** 31 - 1 - os.getpid()
    path = pathlib.Path(f"/tmp/perf-{given['pid']}.map")
    try:
        test_map_at(tool, given, path)
    finally:
        path.unlink(missing_ok=True)


def test_map_at(tool, given, path):
    tool.write("map.json", given)
    path.write_text("7f0000 20 old code\nnonsense\n7f0000 20 jitted code\n"
                    "8f0000 0 empty\nffffffffffffffff 1 end\n\n7f 1\n")
    rows = table_of(tool.run("report", "--samples", "map.json"))
    same("a map", [r[0] for r in rows if r[0].startswith("- ")],
         ["- jitted code", "- (code without a file)"])
    if os.geteuid() == 0:
        os.chown(path, 4321, -1)
        text = tool.run("report", "--samples", "map.json")
        expect("another's map", "owned by another user" in text and
               "jitted" not in text, text)
    path.unlink()
    for make, reason in ((os.mkfifo, "not a regular file"),
                         (os.mkdir, "not a regular file"),
                         (lambda p: os.symlink("/etc/passwd", p),
                          "a symbolic link")):
        make(path)
        text = tool.run("report", "--samples", "map.json")
        expect(reason, reason in text, text)
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()


# ---- folded stacks and pprof ------------------------------------------------

STACKS = [ # of Sampled.report(): region, functions, lines, samples
    ("(outside of regions)", ["leaf"], ["in leaf"], 2),
    ("round", [], [], 1),
    ("round/add", ["main", "middle", "leaf"],
     ["main calls middle", "middle calls leaf", "in leaf"], 3),
    ("round/add", ["main", "middle", "leaf", "squeeze"],
     ["main calls middle", "middle calls leaf", "leaf inlines squeeze",
      "in squeeze"], 6),
    ("round/print", ["last", "0x1000"], ["last calls quit", None], 1)]


def test_folded(tool):
    text = tool.run("report", "-f", "folded", "--by", "samples",
                    "sampled.json")
    same("folded stacks", sorted(text.splitlines()), sorted(
        ";".join(path.split("/") + functions) + f" {count}"
        for path, functions, _, count in STACKS))
    tool.run("report", "-f", "folded", "--by", "sample", "sampled.json",
             status=2)
    expect("a hint", "did you mean samples?" in tool.err, tool.err)


def test_folded_unknown(tool, report):
    """There are no symbols; callers that are arbitrary numbers are left out."""
    given = made_up(report)
    given["samples"]["modules"][2]["path"] = f"/x/a;{ESCAPE}b"
    tool.write("unknown.json", given)
    text = tool.run("report", "-f", "folded", "--by", "samples",
                    "unknown.json")
    name = r"a:\x1Bb+0x"
    same("folded stacks without symbols", sorted(text.splitlines()), sorted([
        "(outside of regions);0x1000 3",
        f"round;{name}20;\u00e4 b.so+0x10 7", f"round;add;{name}1 18",
        "round;add 2", "round;print;0x8000000000000000 5",
        "round;print;[vdso]+0x7fffffffffffffff 1"]))
    for why in ("b.so: No such file", "[vdso]: code of a kernel"):
        expect(why, why in tool.err or "without libdw" in tool.err, tool.err)


def decode(path):
    """Decodes the message by protoc into lists of pairs; no field may be
    unknown."""
    with open(path, "rb") as file:
        text = subprocess.run(
            ["protoc", f"--proto_path={HERE}", "--decode=Profile",
             "pprof.proto"], stdin=file, capture_output=True, text=True,
            check=True).stdout
    stack, top = [], []
    for line in map(str.strip, text.splitlines()):
        if line == "}":
            top = stack.pop()
            continue
        key = line.split(":")[0].split(" ")[0]
        expect("a field that is known", not key.isdigit(), line)
        if line.endswith("{"):
            stack.append(top)
            top.append((key, []))
            top = top[-1][1]
        else:
            value = line.split(": ", 1)[1]
            top.append((key, json.loads(value) if value[0] != '"' else value))
    return top


def values(message, key):
    return [value for name, value in message if name == key]


def one(message, key):
    return (values(message, key) or [0])[0]


class Profile:
    def __init__(self, path):
        self.message = decode(path)
        self.strings = [s.strip('"') for s in
                        values(self.message, "string_table")]
        same("the first string", self.strings[0], "")
        same("different strings", len(set(self.strings)), len(self.strings))
        self.by_id = {kind: {one(m, "id"): m for m in
                             values(self.message, kind)}
                      for kind in ("mapping", "location", "function")}

    def text(self, message, key):
        return self.strings[one(message, key)]

    def lines(self, location):
        """Returns the functions and lines of a location, outermost first."""
        lines = values(self.by_id["location"][location], "line")
        return [(self.text(self.by_id["function"][one(line, "function_id")],
                           "name"), one(line, "line"))
                for line in reversed(lines)]

    def samples(self):
        for sample in values(self.message, "sample"):
            labels = {self.text(label, "key"): self.text(label, "str") or
                      one(label, "num") for label in values(sample, "label")}
            frames = [frame for location in
                      reversed(values(sample, "location_id"))
                      for frame in self.lines(location)]
            yield labels, frames, values(sample, "value")


def test_pprof(tool, report, sampled):
    if not shutil.which("protoc"):
        print("[SKIP] samples: pprof needs protobuf-compiler")
        return
    tool.run("report", "-f", "pprof", "-o", "p.pb", "sampled.json")
    profile = Profile(tool.folder / "p.pb")
    line = {None: 0, **sampled.lines}
    same("samples", sorted(profile.samples(), key=repr), sorted([
        ({"region": path}, [(f, line[l]) for f, l in zip(functions, lines)],
         [count, count * 1000003])
        for path, functions, lines, count in STACKS], key=repr))
    same("types", [(profile.text(t, "type"), profile.text(t, "unit"))
                   for t in values(profile.message, "sample_type") +
                   values(profile.message, "period_type")],
         [("samples", "count"), ("cpu", "nanoseconds"),
          ("cpu", "nanoseconds")])
    same("the period", one(profile.message, "period"), 1000003)
    when = datetime.datetime.strptime(report["when"] + "+0000",
                                      "%Y-%m-%dT%H:%M:%SZ%z")
    same("the time", one(profile.message, "time_nanos"),
         int(when.timestamp()) * 10 ** 9)
    mapping = profile.by_id["mapping"][1]
    module = sampled.modules(tool.folder / "sampled")[0]
    same("the mapping", [profile.text(mapping, "filename"),
                         profile.text(mapping, "build_id")],
         [module["path"], module["build_id"]])
    limit = one(mapping, "memory_limit")
    addresses = sorted(one(l, "address") for l in
                       profile.by_id["location"].values()
                       if one(l, "mapping_id"))
    same("addresses", addresses, sorted(
        [sampled.at[s] for s in ("spot1", "spot2")] +
        [sampled.at[f"return{i}"] - 1 for i in range(3)]))
    expect("addresses are in the mapping", addresses[-1] < limit, limit)
    functions = {profile.text(f, "name"): f for f in
                 profile.by_id["function"].values()}
    same("where a function is declared",
         [profile.text(functions["leaf"], "filename").split("/")[-1],
          one(functions["leaf"], "start_line") > 0], ["sampled.c", True])
    test_pprof_labels(tool, report)


def test_pprof_labels(tool, report):
    given = made_up(report)
    given["samples"].update(event="cycles", period=0, frequency=1000)
    tool.run("report", "-f", "pprof", "-o", "l.pb",
             tool.write("labels.json", given))
    profile = Profile(tool.folder / "l.pb")
    same("labels", sorted(labels.get("label", 0) for labels, _, _ in
                          profile.samples()), [-1, 0, 0, 0, 0, 7, 8])
    expect("no events at a frequency", all(len(v) == 1 for _, _, v in
                                           profile.samples()))
    tool.run("report", "-f", "pprof", "real.json", status=1)
    expect("no samples", "has no samples" in tool.err, tool.err)
    tool.run("report", "-f", "pprof", "labels.json", "labels.json", status=2)
    expect("two reports", "pprof takes one report" in tool.err, tool.err)


def test_go(tool):
    """go tool pprof, a reader of the format, prints the same numbers."""
    if not shutil.which("go"):
        print("[SKIP] samples: go tool pprof needs golang-go")
        return
    done = subprocess.run(["go", "tool", "pprof", "-top", "-symbolize=none",
                           "-sample_index=samples", "p.pb"], check=False,
                          cwd=tool.folder, capture_output=True, text=True,
                          env={**os.environ, "HOME": str(tool.folder)})
    rows = {words[5]: words[:4:3] for words in
            map(str.split, done.stdout.splitlines()) if len(words) > 5}
    same("go tool pprof", [rows.get("squeeze"), rows.get("leaf"),
                           rows.get("main")],
         [["6", "6"], ["5", "11"], ["0", "9"]])
    done = subprocess.run(["go", "tool", "pprof", "-tags", "-symbolize=none",
                           "-sample_index=samples", "p.pb"], check=False,
                          cwd=tool.folder, capture_output=True, text=True,
                          env={**os.environ, "HOME": str(tool.folder)})
    expect("regions are tags", "round/add" in done.stdout, done.stdout)


# ---- selfmon run ------------------------------------------------------------

def write(name):
    """Returns a command that writes this report where selfmon requests it."""
    return "sh", "-c", f'cp {name} "${{SELFMON_OUTPUT#json:}}"'


def test_run(tool):
    shown = tool.run("run", "--sample", "cycles@1M,chain=8", "sh", "-c",
                     'echo "$SELFMON_SAMPLE"')
    same("SELFMON_SAMPLE", shown, "cycles@1M,chain=8\n")
    tool.run("run", "--sample", "cycles,depth=8", "true", status=2)
    expect("a wrong option", "--sample cycles,depth=8: " in tool.err, tool.err)
    for kind in ("pprof", "folded", "html"):
        words = {"pprof": ["-f", "pprof"], "html": ["-f", "html"],
                 "folded": ["-f", "folded", "--by", "samples"]}[kind]
        tool.run("report", *words, "-o", "wanted", "sampled.json")
        users = tool.folder / "made.json"
        shutil.copy(tool.folder / "sampled.json", users)
        tool.run("run", "-o", f"{kind}:made", "true")
        expect("no report", "no report in" in tool.err, tool.err)
        tool.run("run", "-o", f"{kind}:made", *write("sampled.json"))
        expect("the file is announced", "report in" in tool.err, tool.err)
        tool.run("run", "-qo", f"{kind}:made", *write("sampled.json"))
        expect("--quiet", "report in" not in tool.err, tool.err)
        same(f"run -o {kind}:", (tool.folder / "made").read_bytes(),
             (tool.folder / "wanted").read_bytes())
        expect("the user's file", users.exists())
        users.unlink()
        expect("JSON is removed", not list(tool.folder.glob("made.*")))
        tool.run("run", "-o", f"{kind}:made%p", "true", status=2)
        expect("one process", f"{kind} is for one process" in tool.err,
               tool.err)
    tool.run("run", "-o", "pprof:none", *write("real.json"))
    expect("no samples", "use --sample auto" in tool.err and
           "in JSON is in" in tool.err and not
           (tool.folder / "none").exists(), tool.err)


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
        sampled = Sampled(folder)
        if test_text(tool, report, sampled):
            test_files(tool, report, sampled)
            test_separate(tool, report, sampled)
            test_symtab(tool, report, sampled)
            test_compilers(tool, report, sampled)
            test_vdso(tool, report)
            test_network(tool, report, sampled)
            sampled.compile("sampled", "-g")
            test_folded(tool)
            test_pprof(tool, report, sampled)
            test_go(tool)
        else:
            print("[SKIP] samples: functions and lines need libdw-dev")
        test_options(tool)
        test_asked(tool, report)
        test_run(tool)
        test_folded_unknown(tool, report)
        test_many(tool, report, sampled)
        test_map(tool, report)
    print(f"samples: {checks} facts of samples")


main()
