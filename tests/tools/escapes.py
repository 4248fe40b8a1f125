#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No way out lets a name control a terminal or a spreadsheet.

Usage: escapes.py PROGRAM SELFMON

Region names, specifications, file names, arguments and environment values of
dangerous bytes go in; standard output, standard error and the files that come
out are looked at. The same bytes in every run."""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TRIES = 25 if os.environ.get("TEST_FORM") else 5
PIECES = [
    b"\x1b[31m", b"\x1b]0;title\x07", b"\n", b"\t", b"\r", b"\x7f", b"\x9b",
    b"\xc2\x9b", b"\xc2\x85", b"\xd8\x9c", b"\xe2\x80\x8e", b"\xe2\x80\xae",
    b"\xe2\x81\xa9", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xe2\x80\x8b",
    b"\xef\xbb\xbf", b"\xf3\xa0\x80\xa1", b"\xe2\x80", b"\xed\xa0\x80",
    b"\xc3\xa4", b"\xf0\x9f\x98\x80", b"=", b"+", b"-", b"@", b"'", b'"',
    b"\\", b"\\x1B", b",", b":", b"%s", b"a", b" ",
]
FIRST = [b"", b"", b"=1+1", b"+1", b"-1", b"@SUM(1)", b"\x1b[2J", b"'"]
DANGEROUS = re.compile(
    "[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e0fff]")

draw = random.Random(1)
bad = 0
looked_at = 0


def complain(what, text):
    global bad
    bad += 1
    if bad <= 20:
        print(f"check-escapes: {what}: {text}", file=sys.stderr)


def harmless(what, data, allowed):
    """Valid UTF-8 without control characters, bidi marks and the like."""
    global looked_at
    looked_at += 1
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        complain(what, f"{error} in {data[-300:]}")
        return
    for found in DANGEROUS.finditer(text):
        if found[0] not in allowed:
            near = text[max(0, found.start() - 60):found.end() + 20]
            complain(what, f"U+{ord(found[0]):04X} in {near!r}")
            return


def any_name(least=1):
    pieces = [draw.choice(FIRST)]
    for _ in range(draw.randrange(least, 12)):
        pieces.append(draw.choice(PIECES) if draw.random() < 0.8
                      else bytes([draw.randrange(1, 256)]))
    return b"".join(pieces)


def file_name():
    """Fits into a folder."""
    return any_name().replace(b"/", b"_").strip(b".")[:100] or b"x"


def call(what, words, environment={}, name=None):
    """Standard error of a call; it and standard output are harmless."""
    values = {key: value for key, value in os.environb.items()
              if not key.startswith(b"SELFMON")}
    values[b"SELFMON_EVENTS"] = b"none"
    values.update(environment)
    done = subprocess.run([name or words[0]] + words[1:], env=values,
                          executable=words[0], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=60)
    if done.returncode < 0:
        complain(what, f"ended by signal {-done.returncode}")
    allowed = "\r\n" if b"csv:" in values.get(b"SELFMON_OUTPUT", b"") or \
        b"--format=csv" in words else "\n"
    harmless(what + ", standard output", done.stdout, allowed)
    harmless(what + ", standard error", done.stderr, allowed)
    return done


# ---- names read back by readers that are not ours ----------------------------

def exact_json(row):
    hexadecimal = row.get("name_hex")
    return bytes.fromhex(hexadecimal) if hexadecimal else row["name"].encode()


def exact_csv(cell):
    """By the rule in docs/REPORT.md."""
    name = cell.encode()
    if name[:1] == b"'":
        name = name[1:]
    return re.sub(rb"\\x(..)|\\(.)",
                  lambda m: bytes([int(m[1], 16)]) if m[1] else m[2], name)


def check_json(data, name):
    report = json.loads(data.decode(errors="replace"))
    names = [exact_json(row) for row in report["rows"]]
    if name not in names:
        complain("JSON", f"{name} came back as {names}")


def is_number(cell):
    return re.fullmatch(r"-?[0-9.e+-]*", cell) is not None


def check_csv(data, name):
    text = io.StringIO(data.decode(errors="replace"), newline="")
    rows = list(csv.reader(text, strict=True))
    names = [exact_csv(row[rows[0].index("name")]) for row in rows[1:]]
    if name not in names:
        complain("CSV", f"{name} came back as {names}")
    for cell in [cell for row in rows for cell in row]:
        if cell[:1] in "=+-@\t\r\n" and cell and not is_number(cell):
            complain("CSV", f"a cell begins as a formula: {cell!r}")


# ---- the ways out ------------------------------------------------------------

def library(program, folder):
    name = any_name()
    visit = [program, b"visit", name]
    for format in b"text", b"json", b"csv":
        done = call(f"report as {format.decode()}", visit,
                    {b"SELFMON_OUTPUT": format + b":-"}, name=file_name())
        if format == b"json":
            check_json(done.stderr, name)
        if format == b"csv":
            check_csv(done.stderr, name)
    odd = {
        b"SELFMON_EVENTS": any_name(), b"SELFMON_EVERY": any_name(),
        b"SELFMON_FENCE": any_name(), b"SELFMON_GUARD": any_name(),
        b"SELFMON_LIVE": folder + b"/none/" + file_name(),
        b"SELFMON_" + any_name().replace(b"=", b""): b"1",
    }
    for output in b"text:-", b"json:-", b"csv:-":
        call("environment", visit, {**odd, b"SELFMON_OUTPUT": output})
    call("message function", [program, b"hear", name], odd)
    call("unknown format", visit, {b"SELFMON_OUTPUT": any_name()})
    call("report that cannot be written", visit, {
        b"SELFMON_OUTPUT": b"csv:" + folder + b"/none/" + file_name()})
    for spec in any_name(), b"cycles," + any_name(), b"cpu/" + any_name(), \
            b"uprobe:/tmp/" + file_name() + b":0x10", b"@" + any_name(), \
            b"mem:" + any_name(), b"sched:" + any_name():
        call("explain", [program, b"explain", spec])


def tool(program, selfmon, folder):
    name = any_name()
    junk = os.path.join(folder, file_name())
    with open(junk, "wb") as stream:
        stream.write(any_name())
    for words in [name], [b"doctor", b"--" + name], [b"run", b"-" + name], \
            [b"run", b"-e", name, b"true"], [b"run", b"-n", name, b"true"], \
            [b"run", b"-o", name, b"true"], [b"run", b"-f", name, b"true"], \
            [b"run", b"-o", folder + b"/none/" + file_name(), b"true"], \
            [b"run", b"-o", junk, b"true"], [b"run", b"/none/" + name], \
            [b"run", b"--live", junk + b"x", b"true"], \
            [b"report", b"-f", name, b"x"], [b"report", b"--" + name], \
            [b"report", junk, folder + b"/none/" + file_name()], \
            [b"report", b"-f", b"folded", b"--by", name, junk], \
            [b"run", b"--compare", b"true", b"true", name], \
            [b"run", b"--compare", b"true", b"true", b"-n", name], \
            [b"list", name], [b"list", b"--plan", name], \
            [b"list", b"--plan=uprobe:/tmp/" + file_name() + b":0x10"], \
            [b"list", b"--" + name]:
        call("selfmon " + words[0].decode(errors="replace"),
             [selfmon] + words)
    reports(program, selfmon, folder, name)


def reports(program, selfmon, folder, name):
    """Files of reports, printed again: live, in JSON, merged."""
    live = os.path.join(folder, b"live" + file_name())
    saved = os.path.join(folder, b"saved")
    call("selfmon run", [selfmon, b"run", b"--live", live.replace(b"%", b"%%"),
                         program, b"visit", name],
         {b"SELFMON_OUTPUT": b"none"}, name=file_name())
    call("saved", [program, b"visit", name],
         {b"SELFMON_OUTPUT": b"json:" + saved}, name=file_name())
    with open(saved, "rb") as stream:
        check_json(stream.read(), name)
    for files in [live], [saved], [b"--merge", live, saved]:
        for format in b"text", b"json", b"csv", b"folded":
            done = call("selfmon report",
                        [selfmon, b"report", b"--format=" + format] + files)
            if done.returncode and not b"libjansson" in done.stderr:
                complain("selfmon report", done.stderr)
            elif format == b"json" and not done.returncode:
                check_json(done.stdout, name)
            elif format == b"csv" and not done.returncode:
                check_csv(done.stdout, name)
    compare(selfmon, live, saved, name)


def compare(selfmon, live, saved, name):
    for format in b"text", b"markdown", b"json", b"bencher":
        done = call("selfmon compare", [
            selfmon, b"compare", b"--format=" + format, b"--name-b=" + name,
            live, live, b"--", saved, saved])
        if done.returncode and not b"libjansson" in done.stderr:
            complain("selfmon compare", done.stderr)
        elif format in (b"json", b"bencher") and not done.returncode:
            json.loads(done.stdout)
    for words in [b"-f", any_name()], [b"--by", any_name()], \
            [b"--gate", any_name()], [b"--" + any_name()]:
        call("selfmon compare", [selfmon, b"compare"] + words +
             [live, b"--", saved])


def bench(program, folder):
    name = any_name()
    saved = os.path.join(folder, b"bench.json")
    measure = [program, b"bench", name, b"--rounds=3", b"--runs=1",
               b"--events=task-clock"]
    done = call("bench", measure + [b"--json=" + saved])
    with open(saved, "rb") as stream:
        data = stream.read()
    harmless("bench, JSON", data, "\n")
    result = json.loads(data.decode(errors="replace"))
    names = [one["run_name"] for one in result["benchmarks"]]
    if name.decode(errors="replace") not in names and len(name) < 60:
        complain("bench, JSON", f"{name} came back as {names}")
    call("bench, gate", measure + [b"--baseline=" + saved, b"--gate=1",
                                   b"--gate-on=" + any_name()])
    for option in b"filter", b"baseline", b"rounds", b"gate", any_name(), \
            b"events":
        call("bench, options", measure + [
            b"--" + option + b"=" + any_name(), b"--gate=1"])
    call("bench, help", measure + [b"--help"], name=file_name())


def main():
    program, selfmon = (os.fsencode(os.path.abspath(path))
                        for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        for i in range(TRIES):
            library(program, os.fsencode(folder))
            tool(program, selfmon, os.fsencode(folder))
            if i % 5 == 0:
                bench(program, os.fsencode(folder))
    if bad:
        sys.exit(f"check-escapes: {bad} of {looked_at} outputs are not as "
                 "they should be")
    print(f"check-escapes: {looked_at} outputs, all harmless")


main()
