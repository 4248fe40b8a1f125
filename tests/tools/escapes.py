#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that no name can control a terminal or a spreadsheet by any output.

Usage: escapes.py PROGRAM SELFMON SAMPLED

The script passes dangerous bytes as names of regions, threads and spans, as
specifications, file names, arguments and environment values. It examines
standard output, standard error and the written files. Then it does the same
with reports in JSON in which each text is dangerous (spoiled.py).
"""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import hostile  # pylint: disable=wrong-import-position
import spoiled  # pylint: disable=wrong-import-position
from hostile import any_name, call, check, complain, file_name, harmless

TRIES = 25 if os.environ.get("TEST_FORM") else 5

# ---- the ways out ------------------------------------------------------------

def library(program, folder):
    name = any_name()
    visit = [program, b"visit", name]
    for format in b"text", b"json", b"csv":
        for option in b"", b";threads":
            done = call(f"report as {(format + option).decode()}", visit,
                        {b"SELFMON_OUTPUT": format + b":-" + option},
                        name=file_name())
            check(format, done.stderr, name, thread=bool(option))
    odd = {
        b"SELFMON_EVENTS": any_name(), b"SELFMON_EVERY": any_name(),
        b"SELFMON_FENCE": any_name(), b"SELFMON_GUARD": any_name(),
        b"SELFMON_SAMPLE": any_name(), b"SELFMON_ENABLE": any_name(),
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
    """Prints files of reports again: live, in JSON, by thread, merged."""
    live = os.path.join(folder, b"live" + file_name())
    saved, apart = (os.path.join(folder, file) for file in (b"saved", b"apart"))
    call("selfmon run", [selfmon, b"run", b"--live", live.replace(b"%", b"%%"),
                         program, b"visit", name],
         {b"SELFMON_OUTPUT": b"none;threads"}, name=file_name())
    call("saved", [program, b"visit", name],
         {b"SELFMON_OUTPUT": b"json:" + saved + b",json:" + apart +
          b";threads"}, name=file_name())
    for files in [live], [saved], [b"--merge", live, saved], \
            [b"--threads", live], [apart]:
        for format in b"text", b"json", b"csv", b"folded", b"html":
            printed(selfmon, format, files, name,
                    files[0] == b"--threads" or files == [apart])
    for words in [b"--histogram", name, live], \
            [b"--histogram", name, b"--threads", live], \
            [b"--histogram", any_name(), live], [b"--flat", live]:
        done = call("view", [selfmon, b"report"] + words)
        if words[1] == name and done.returncode:
            complain("histogram", done.stderr)
    compare(selfmon, live, saved, name)
    for i in range(2):
        spoiled.reports(selfmon, folder, [saved, apart][i])


def printed(selfmon, format, files, name, thread):
    done = call("selfmon report",
                [selfmon, b"report", b"--format=" + format] + files)
    if done.returncode and not b"libjansson" in done.stderr:
        complain("selfmon report", (files, done.stderr))
    elif not done.returncode:
        check(format, done.stdout, name, thread)


def compare(selfmon, live, saved, name):
    for format in b"text", b"markdown", b"json", b"bencher", b"html":
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
    program, selfmon, sampled = (os.fsencode(os.path.abspath(path))
                                 for path in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        for i in range(TRIES):
            library(program, os.fsencode(folder))
            tool(program, selfmon, os.fsencode(folder))
            spoiled.symbols(selfmon, os.fsencode(folder), sampled)
            if i % 5 == 0:
                bench(program, os.fsencode(folder))
    if hostile.bad:
        sys.exit(f"check-escapes: {hostile.bad} faults in "
                 f"{hostile.looked_at} outputs")
    print(f"check-escapes: {hostile.looked_at} outputs, all harmless")


main()
