#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks reports against docs/report.schema.json.

    schema.py FILE...          each file has one report in JSON, or several
    schema.py --refuses FILE...   also checks the schema, and changes each place of
                               the first report in the first file; the schema
                               must refuse each change. `make check` makes one
                               change in 11
    schema.py --schema SCHEMA ...  does the same with another schema

The script exits with 77 if there is no jsonschema that supports JSON Schema
2020-12.
"""
import copy
import json
import os
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("[SKIP] schema: needs python3-jsonschema 4")
    sys.exit(77)

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../docs/report.schema.json")


def no_number(word):
    raise ValueError(word + " is no number of JSON")


def reports_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    decoder = json.JSONDecoder(parse_constant=no_number)
    at = 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        report, at = decoder.raw_decode(text, at)
        yield report


def check(validator, path):
    count = 0
    for count, report in enumerate(reports_of(path), 1):
        for error in validator.iter_errors(report):
            where = "".join(f"[{key!r}]" for key in error.absolute_path)
            sys.exit(f"schema: {path}: {where}: {error.message[:300]}")
    if not count:
        sys.exit(f"schema: {path}: no report")
    return count


def places_of(value, path=()):
    """Yields the path of each value in the report. In lists, uses only the
    first element."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from places_of(value[key], path + (key,))
    elif isinstance(value, list) and value:
        yield from places_of(value[0], path + (0,))


def shortened(value):
    """Removes all but the first object of each list, like places_of()."""
    if isinstance(value, dict):
        return {key: shortened(value[key]) for key in value}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [shortened(value[0])]
    return value


def changed(report, path, change):
    report = copy.deepcopy(report)
    at = report
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return report


def remove(at, key):
    del at[key]


def another_type(at, key):
    at[key] = [] if isinstance(at[key], dict) else {}


def a_string(at, key):
    at[key] = 1 if isinstance(at[key], str) else "1"


def below_zero(at, key):
    at[key] = -1


def new_key(at, key):
    at[key]["nobody knows it"] = 0


COUNTS = {"id", "depth", "line", "threads", "visits", "measured", "open",
          "cut_off", "bytes", "items", "every", "clock_hz", "sum", "min",
          "max", "p50", "longest", "unsure", "histogram", "group", "without",
          "family", "model", "stepping", "cpus", "core_types", "read_ns",
          "offered", "counting", "seconds"}


def changes_of(report, path):
    value = report
    for key in path:
        value = value[key]
    if not isinstance(path[-1], int):
        yield remove
    yield another_type
    yield a_string
    if isinstance(value, dict):
        yield new_key
    names = [key for key in path if isinstance(key, str)]
    if type(value) is int and names[-1] in COUNTS:
        yield below_zero


def check_hex(validator, path):
    """Any text except a fixed word may have bytes that are not UTF-8."""
    report = next(reports_of(path))
    for key in report:
        if isinstance(report[key], str) and key not in ("schema", "choice"):
            if not validator.is_valid({**report, f"{key}_hex": "ff"}):
                sys.exit(f"schema: {path}: {key}_hex is refused")


def check_refusals(validator, path):
    report = shortened(next(reports_of(path)))
    stride = 1 if os.environ.get("TEST_FORM") else 11
    count = 0
    if next(validator.iter_errors(report), None):
        sys.exit(f"schema: {path}: not valid before a change")
    for place in places_of(report):
        for change in changes_of(report, place):
            count += 1
            if count % stride:
                continue
            if validator.is_valid(changed(report, place, change)):
                sys.exit(f"schema: {path}: {change.__name__} at "
                         f"{place} is not refused")
    top = dict(report, nobody_knows_it=0)
    if validator.is_valid(top):
        sys.exit(f"schema: {path}: a new key is not refused")
    return count // stride + 1


def main():
    arguments = sys.argv[1:]
    path = SCHEMA
    if arguments[0] == "--schema":
        path = arguments[1]
        arguments = arguments[2:]
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    validator = Draft202012Validator(schema)
    refuses = arguments[0] == "--refuses"
    if refuses:
        arguments = arguments[1:]
    count = sum(check(validator, path) for path in arguments)
    print(f"schema: {count} reports valid")
    if refuses:
        Draft202012Validator.check_schema(schema)
        if path == SCHEMA:
            check_hex(validator, arguments[0])
        count = check_refusals(validator, arguments[0])
        print(f"schema: {count} changes refused")


main()
