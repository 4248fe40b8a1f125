#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Fails if files use each other's symbols in a circle, directly or through other
# files. Usage: circles.py OBJECT...
import collections
import subprocess
import sys

# Pairs in which a file may use a symbol of a file above it, with the reason.
ALLOWED = {
    # If a program uses regions, this reference links the exit report from an
    # archive.
    ("visit/visit", "report/exit"),
}


def name_of(path):
    return "/".join(path.removesuffix(".o").split("/")[-2:])


def edges_of(paths):
    """Returns, by file, the files whose symbols it uses."""
    defined, used = {}, collections.defaultdict(set)
    listing = subprocess.run(["nm", "-PA", *paths], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    for line in listing.splitlines():
        path, symbol, kind, *_ = line.split()
        name = name_of(path.removesuffix(":"))
        if kind in "uU":
            used[name].add(symbol)
        elif kind in "TDBRCVW":
            defined[symbol] = name
    edges = {name_of(path): {} for path in paths}
    for name, symbols in used.items():
        for symbol in symbols & defined.keys():
            if (name, defined[symbol]) not in ALLOWED:
                edges[name].setdefault(defined[symbol], symbol)
    return edges


def peel(edges):
    """Removes files that no other file uses, or that use no other, until all
    remaining ones are in circles or between them."""
    left = set(edges)
    while True:
        into = {to for name in left for to in edges[name] if to in left}
        ends = {name for name in left
                if name not in into or not left & edges[name].keys()}
        if not ends:
            return left
        left -= ends


def main():
    edges = edges_of(sys.argv[1:])
    left = peel(edges)
    for name in sorted(left):
        for to in sorted(left & edges[name].keys()):
            print(f"circle: {name} -> {to} ({edges[name][to]})")
    if left:
        sys.exit(1)
    print(f"circles: none among {len(edges)} files")


main()
