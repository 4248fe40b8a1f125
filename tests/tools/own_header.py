#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Checks that functions and data of a file are declared in no private header
# other than its own. Usage: own_header.py SOURCES OBJECT...
import pathlib
import re
import subprocess
import sys

# This file replaces two others at build time, so it uses their headers.
STAND_INS = {"tools/symbols_without"}


def defined_in(paths):
    """Yields each path with a symbol that it defines."""
    listing = subprocess.run(["nm", "-PA", *paths], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    for path, symbol, kind, *_ in map(str.split, listing.splitlines()):
        if kind in "TDBRCVW":
            yield path.removesuffix(":"), symbol


def declarations(path):
    """Returns the words of a header, without comments, directives, bodies and
    tags."""
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S)
    text = re.sub(r"^\s*#(?:.*\\\n)*.*", "", text, flags=re.M)
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", ";", text)
    text = re.sub(r"\b(struct|union|enum)\s+\w+", " ", text)
    return set(re.findall(r"\b\w+\b", text))


def main():
    folder, bad, seen = pathlib.Path(sys.argv[1]), 0, 0
    words = {str(path.with_suffix("")): declarations(path)
             for path in folder.glob("**/*.h")}
    for path, symbol in defined_in(sys.argv[2:]):
        owner = re.search(rf"\b({folder}/.*)\.o$", path).group(1)
        if owner in STAND_INS:
            continue
        headers = {name for name in words if symbol in words[name]}
        seen += bool(headers)
        for name in sorted(headers - {owner}):
            print(f"{name}.h declares {symbol} of {owner}.c")
            bad += 1
    if bad:
        sys.exit(1)
    print(f"headers: {seen} names of {folder}/, each in its file's own")


main()
