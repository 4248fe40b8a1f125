# SPDX-License-Identifier: MIT
"""Makes names that could control a terminal or a spreadsheet, and checks
output.

escapes.py gives these names to the library and the program, and spoiled.py
writes them into reports and symbols; both check the output. The bytes are the
same in every run.
"""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys

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
    """Complains unless this is valid UTF-8 without control characters, bidi
    marks and the like."""
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
    """Makes a name that a file can have."""
    return any_name().replace(b"/", b"_").strip(b".")[:100] or b"x"


def call(what, words, environment={}, name=None):
    """Runs a program, and checks that both outputs are harmless. Returns the
    completed process."""
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
    output = values.get(b"SELFMON_OUTPUT", b"")
    allowed = "\r\n" if b"csv:" in output or b"--format=csv" in words else \
        "\n\t" if b"--format=html" in words else "\n"
    harmless(what + ", standard output", done.stdout, allowed)
    harmless(what + ", standard error", done.stderr, allowed)
    return done


# ---- names read back by other readers ----------------------------------------

def exact_json(row):
    hexadecimal = row.get("name_hex")
    return bytes.fromhex(hexadecimal) if hexadecimal else row["name"].encode()


def exact_csv(cell):
    """Returns the name of a cell, decoded by the rule in docs/REPORT.md."""
    name = cell.encode()
    if name[:1] == b"'":
        name = name[1:]
    return re.sub(rb"\\x(..)|\\(.)",
                  lambda m: bytes([int(m[1], 16)]) if m[1] else m[2], name)


def check_names(what, names, name, thread):
    """Checks that the name is in the list. For a thread, checks that the list
    also has the thread's name, followed by its number."""
    if name not in names:
        complain(what, f"{name} came back as {names}")
    if thread and not any(re.fullmatch(re.escape(name[:15]) + rb" \d+", found)
                          for found in names):
        complain(what, f"a thread named {name} came back as {names}")


def check_json(data, name, thread=False):
    """Checks the names in the rows of regions, and in those of spans if there
    are any."""
    report = json.loads(data.decode(errors="replace"))
    check_names("JSON", [exact_json(row) for row in report["rows"]], name,
                thread)
    if report["async"]:
        check_names("JSON, spans", [exact_json(row) for row in
                                    report["async"]["rows"]], name, False)


def check_html(data, name, thread=False):
    """Checks that no name ends the JSON data of the page, and that its scripts
    escape names too."""
    found = re.search(rb'<script [^>]*id="data"[^>]*>(.*?)</script>', data,
                      re.DOTALL)
    if not found or b"<" in found[1]:
        complain("HTML", "names may end the element with the data")
    else:
        report = json.loads(found[1])["a"]
        check_names("HTML", [exact_json(row) for row in report["rows"]], name,
                    thread)


def is_number(cell):
    return re.fullmatch(r"-?[0-9.e+-]*", cell) is not None


def check_csv(data, name, thread=False):
    text = io.StringIO(data.decode(errors="replace"), newline="")
    rows = list(csv.reader(text, strict=True))
    names = [exact_csv(row[rows[0].index("name")]) for row in rows[1:]]
    check_names("CSV", names, name, thread)
    for cell in [cell for row in rows for cell in row]:
        if cell[:1] in "=+-@\t\r\n" and cell and not is_number(cell):
            complain("CSV", f"a cell begins as a formula: {cell!r}")


CHECKS = {b"json": check_json, b"csv": check_csv, b"html": check_html}


def check(format, data, name, thread=False):
    if format in CHECKS:
        CHECKS[format](data, name, thread)
