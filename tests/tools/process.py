#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares docs/PROCESS.md with the library: process.py BUILD-DIRECTORY

The page's tables are compared with the functions of the C library that the
archive needs, with the sources, with examples under strace, and with what
tests/programs/process/guest.c measures in its own process. Then the script
removes one row after another from a copy of the page, and each time the
comparison must fail.
"""
import collections
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/PROCESS.md"

SOFTWARE = "task-clock,page-faults,context-switches,cpu-migrations"
# The columns of the measured tables, with the environment of each column's
# program.
SETTINGS = {
    "time alone": {"SELFMON_EVENTS": "none"},
    "four software events": {"SELFMON_EVENTS": SOFTWARE},
    "live file, time alone": {"SELFMON_EVENTS": "none",
                              "SELFMON_LIVE": "{}/live"},
}
# Examples that run under strace, with their environments.
TRACED = [
    ("hello", {}),
    ("hello", {"SELFMON_EVENTS": SOFTWARE, "SELFMON_GUARD": "1"}),
    ("hello", {"SELFMON_LIVE": "{}/live", "SELFMON_OUTPUT": "json:{}/json"}),
    ("hello", {"SELFMON_EVENTS": "no_such_pmu/config=1/"}),
    ("threads", {}),
    ("threads", {"SELFMON_EVENTS": SOFTWARE, "SELFMON_EVERY": "10",
                 "SELFMON_OUTPUT": "csv:{}/csv,text:-;threads"}),
    ("threads", {"SELFMON_LIVE": "{}/%p", "SELFMON_OUTPUT": "none;threads"}),
    ("branches", {"SELFMON_FENCE": "lfence"}),
    ("branches", {"SELFMON_SAMPLE": "task-clock"}),
    ("threads", {"SELFMON_TRACE": "{}/trace,regions=."}),
    ("threads", {"SELFMON_SAMPLE": "task-clock,drain=border",
                 "SELFMON_OUTPUT": "json:{}/json"}),
]
# Functions that only work on memory, strings and numbers; the page does not
# list them. Compilers may replace one of them by another.
PURE = re.compile(
    r"(mem|str|stp)\w+|bcmp|__ctype_\w+|ato[il]|v?snprintf|sscanf|frexp|bsearch|"
    r"environ|std(out|err)|program_invocation_short_name|"
    r"__errno_location|__rseq_\w+|__(u?divti3|u?modti3|tls_get_addr)|"
    r"__stack_chk_\w+|_GLOBAL_OFFSET_TABLE_|__(aarch64|riscv)_\w+")
# Other names of the same functions, in other versions of the C library or made
# by other compilers.
ALIKE = {"fputc": "putc", "__fxstat": "fstat", "__xstat": "stat",
         "__lxstat": "lstat"}
STARTS = re.compile(r"/(proc|sys|dev|etc|run|var|\.dockerenv)(/|$)")
# Paths that the code names but does not open: they occur in advice to the user,
# or name descriptors of the process.
NOT_READ = re.compile(r"/dev/(stdout|stderr|shm|fd/)|/proc/self/fd/")

problems = []


def complain(text):
    problems.append(text)


def skip(text):
    print(f"[SKIP] process: {text}")


def fail(text):
    sys.exit(f"process: {text}")


# ---- the page ----------------------------------------------------------------


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


class Page:
    def __init__(self, text):
        self.text = text

    def rows(self, heading, first):
        """Returns the rows of a table: the one below this heading whose head
        begins with this cell."""
        part = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", self.text,
                         re.M | re.S)
        found = re.search(rf"^\| {first} \|[^\n]*\n\|[-|]*\n((?:\|[^\n]*\n)*)",
                          part.group(1) if part else "", re.M)
        if not found:
            fail(f"docs/PROCESS.md: no table '{first}' below '{heading}'")
        return [[cell.strip() for cell in line.strip("|").split(" | ")]
                for line in found.group(1).splitlines()]

    def head(self, heading, first):
        part = self.text[self.text.index(f"## {heading}\n"):]
        line = re.search(rf"^\| {first} \|.*$", part, re.M).group()
        return [cell.strip() for cell in line.strip("|").split(" | ")]

    def without(self, line):
        return Page(self.text.replace(line + "\n", "", 1))


# ---- the code ------------------------------------------------------------------


def source():
    """The library's code without comments."""
    text = "".join(path.read_text() for path in
                   sorted((ROOT / "libselfmon").glob("*/*.[ch]")))
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def imports(build):
    """Returns the functions that the archive needs, without symbol versions."""
    done = subprocess.run(["nm", "-u", build / "libselfmon.a"],
                          capture_output=True, text=True, check=True)
    names = set()
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) != 2 or words[0] not in "Uw":
            continue
        name = words[1].split("@")[0]
        name = re.sub(r"^__isoc\d+_", "", name)
        name = re.sub(r"^__(\w+)_chk$", r"\1", name)
        name = re.sub(r"(?<=[a-z])64$", "", name)
        names.add(ALIKE.get(name, name))
    return names


def check_imports(page, build, code):
    rows = page.rows("System calls", "call")
    stated = {name for row in rows for name in quoted(row[1])}
    by_number = set(re.findall(r"\bsyscall\((SYS_\w+)", code))
    for name in by_number ^ {one for one in stated if one.startswith("SYS_")}:
        complain(f"{name}: in the code or in the table, and not in both")
    quiet = re.search(r"only\s+system\s+calls\s+of\s+the\s+table: (.*?)\.\n\n",
                      page.text, re.S)
    if not quiet:
        sys.exit("docs/PROCESS.md: no list of functions that make \"no system call, "
                 "or only system calls of the table: \"")
    quiet = set(quoted(quiet.group(1)))
    wanted = imports(build) - {"syscall"}
    functions = {name for name in stated if not name.startswith("SYS_")}
    for name in sorted(wanted - functions - quiet):
        if not PURE.fullmatch(name):
            complain(f"{name}() is called, and has no row among system calls")
    for name in sorted((functions | quiet) - wanted - {"mremap"}):
        complain(f"{name}() is on the page, and nothing calls it")
    never = {name for row in page.rows("Never", "area")
             for name in quoted(row[1])}
    for name in sorted(never & wanted):
        complain(f"{name}() is called, and the page says never")
    return len(rows), len(never)


def check_environment(page, code):
    stated = {quoted(row[0])[0] for row in page.rows("Environment",
                                                     "variable")}
    read = set(re.findall(r'\bsecure_getenv\("(\w+)"\)', code))
    if len(re.findall(r"\bsecure_getenv\(", code)) < len(read) or \
            re.search(r"\bsecure_getenv\([^\"]", code):
        complain("a variable is read by a name that is not in the code")
    for name in read ^ stated:
        complain(f"{name}: read or in the table, and not both")


def check_once(code):
    """Checks the numbers that the page states, such as the number of
    threads."""
    for what, pattern, stated in (
            ("constructor", r"__attribute__\(\(constructor", 3),
            ("destructor", r"__attribute__\(\(destructor\(101\)\)\)", 1),
            ("thread key", r"\bpthread_key_create\(&", 1),
            ("thread", r"\bpthread_create\(&", 2),
            ("thread-local variable", r"(?<!extern )\b__thread\b", 1),
            ("pthread_atfork", r"\bpthread_atfork\(NULL, NULL, ", 1)):
        count = len(re.findall(pattern, code))
        if count != stated:
            complain(f"{what}: {count} in the code, the page says {stated}")


def check_library(page, build):
    library = build / "libselfmon.so"
    dynamic = subprocess.run(["readelf", "-dlSW", library],
                             capture_output=True, text=True, check=True).stdout
    needed = [name for name in
              re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
              if not re.match(r"(libc\.so|ld-linux|libc\.musl)", name)]
    if needed:
        complain(f"libselfmon.so needs more than the C library: {needed}")
    local = re.search(r"^\s*TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+(\S+)", dynamic, re.M)
    size = int(local.group(1), 16)
    if f"| {size} bytes; initial-exec" not in page.text:
        complain(f"thread-local storage: {size} bytes")
    sections = re.findall(r"\] \.(?:data|bss|data\.rel\.ro)\s+\S+\s+\S+\s+\S+"
                          r"\s+(\S+)", dynamic)
    static = sum(int(one, 16) for one in sections)
    if f"| static data of the library | {static / 1e6:.1f} MB," not in page.text:
        complain(f"static data: {static / 1e6:.1f} MB")


# ---- files ---------------------------------------------------------------------


def patterns(page):
    return [name for row in page.rows("Files read", "file")
            for name in quoted(row[0]) if name.startswith("/")]


def is_stated(path, stated):
    return any(fnmatch.fnmatchcase(path, one) or
               path == one.removesuffix("/*") for one in stated)


def check_files(page, code):
    stated = patterns(page)
    literals = {text for text in re.findall(r'"(/[^" ]*)"', code)
                if STARTS.match(text) and not NOT_READ.match(text)}
    for text in sorted(literals):
        path = re.sub(r"%l?[dus]", "1", text)
        if not is_stated(path, stated):
            complain(f"{text}: in the code, and not among the files read")
    for one in stated:
        begin = one.split("*")[0].rstrip("/")
        if not any(text.startswith(begin) for text in literals):
            complain(f"{one}: among the files read, and not in the code")


# ---- strace --------------------------------------------------------------------


def trace(build, folder, program, environment, off=False):
    """Returns how often a run makes each call, and the paths it opened."""
    out = folder / "trace"
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("SELFMON_")}
    env.update({key: value.format(folder)
                for key, value in environment.items()})
    command = ["strace", "-f", "-qq", "-e", "signal=none", "-s", "256", "-o",
               out, build / ("examples-off" if off else "examples") / program]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    if done.returncode:
        fail(f"{program} with {environment}: status {done.returncode}: "
             f"{done.stderr.decode()[-300:]}")
    calls, paths = collections.Counter(), set()
    for line in out.read_text().splitlines():
        found = re.match(r"\d+\s+(\w+)\(", line)
        if found:
            calls[found.group(1)] += 1
        path = re.search(r'\bopenat\(AT_FDCWD, "([^"]*)"', line)
        if path:
            paths.add(path.group(1))
    return calls, paths


def may_trace(folder):
    if not shutil.which("strace"):
        return "no strace"
    done = subprocess.run(["strace", "-o", folder / "trace", "true"],
                          capture_output=True, check=False)
    return None if done.returncode == 0 else "strace may not trace here"


def traces(build, folder):
    """Returns the calls and paths that occur more often with the library."""
    calls, paths = set(), set()
    for program, environment in TRACED:
        base_calls, base_paths = trace(build, folder, program, {}, off=True)
        with_calls, with_paths = trace(build, folder, program, environment)
        if program == "threads":  # its stacks are sometimes reused
            calls |= with_calls.keys() - base_calls.keys()
        else:
            calls |= set(with_calls - base_calls)
        paths |= {path for path in with_paths - base_paths
                  if not path.startswith(str(folder))}
    return calls, paths


def check_traces(page, calls, paths):
    stated = {name for row in page.rows("System calls", "call")
              for name in quoted(row[0])}
    for name in sorted(calls - stated):
        complain(f"{name}(2) is made, and has no row")
    for path in sorted(paths):
        if not is_stated(path, patterns(page)):
            complain(f"{path} is opened, and is not among the files read")


# ---- measured ------------------------------------------------------------------


def guest(build, settings, folder):
    """Returns the lines that the program prints, as a dictionary."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("SELFMON_")}
    env["SELFMON_OUTPUT"] = "none"
    for key, value in settings.items():
        env[key] = value.format(folder)
    done = subprocess.run([build / "tests/programs/process/guest"], env=env,
                          text=True, capture_output=True, check=False)
    if done.returncode:
        fail(f"guest with {settings}: status {done.returncode}")
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


UNCHANGED = {
    "errno after the first visit": "unchanged",
    "errno after a visit": "unchanged",
    "floating-point exceptions after the first visit": "none",
    "threads": "1",
    "process changed": "nothing",
}


def check_unchanged(seen, setting):
    for what, value in UNCHANGED.items():
        if seen.get(what) != value:
            complain(f"{setting}: {what}: {seen.get(what)}, not {value}")


def check_measured(page, measured):
    """Compares the page's figures with the measured ones. Called only on the
    kind of machine that the page's head names."""
    missing = set().union(*measured.values()) - UNCHANGED.keys()
    for heading in ("Memory", "Descriptors"):
        names = page.head(heading, "step")[1:]
        if names != list(SETTINGS):
            fail(f"{heading}: columns {names}")
        for what, *cells in page.rows(heading, "step"):
            what = what.removesuffix(", addresses")
            missing.discard(what)
            for name, cell in zip(names, cells):
                if name not in measured:
                    continue
                seen = measured[name].get(what)
                if seen != cell:
                    complain(f"{what}, {name}: {seen}, the page has {cell}")
    for what in sorted(missing):
        complain(f"{what}: measured, and has no row")


def without_refused(measured):
    """Drops figures that need events, if the kernel allows none."""
    if measured["four software events"]["descriptors after the first visit"] \
            != "0":
        return True
    skip("software events are refused here: no figures with events")
    del measured["four software events"], measured["live file, time alone"]
    return False


def check_guard(build, folder):
    seen = guest(build, {"SELFMON_EVENTS": SOFTWARE, "SELFMON_GUARD": "1"},
                 folder)
    number = {"x86_64": "signal 11"}.get(os.uname().machine, "signal 4")
    if seen["process changed"] != number:
        complain(f"guarded: {seen['process changed']} changed, not {number}")


# ---- all of it -----------------------------------------------------------------


def check(page, build, code, traced, measured):
    """Runs all checks of a page, which store the problems. Returns the
    counts."""
    problems.clear()
    counts = check_imports(page, build, code)
    check_environment(page, code)
    check_files(page, code)
    check_library(page, build)
    if traced:
        check_traces(page, *traced)
    if measured:
        check_measured(page, measured)
    return counts


def check_faults(page, build, code, traced, measured):
    """Removes each row that a check covers from a copy of the page. Fails if
    the check does not notice."""
    count = 0
    tables = [("System calls", "call"), ("Environment", "variable"),
              ("Files read", "file")]
    if measured:
        tables += [("Memory", "step"), ("Descriptors", "step")]
    for heading, first in tables:
        for row in page.rows(heading, first):
            if heading == "Files read" and not row[0].startswith("`/"):
                continue
            line = next(line for line in page.text.splitlines()
                        if line.startswith(f"| {row[0]} | {row[1]}"))
            check(page.without(line), build, code, traced, measured)
            if not problems and not is_elsewhere(page, heading, row):
                fail(f"not noticed: no row {row[0]}")
            count += bool(problems)
    return count


def is_elsewhere(page, heading, row):
    """Returns whether the C library makes this call only in functions that
    other rows have too."""
    if heading != "System calls":
        return False
    others = {name for other in page.rows(heading, "call") if other != row
              for name in quoted(other[1])}
    return set(quoted(row[1])) <= others


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    page, code = Page(PAGE.read_text()), source()
    traced, measured = None, {}
    # Live files need certain file systems, of which tmpfs is one.
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shm) as name:
        folder = pathlib.Path(name)
        why = may_trace(folder)
        if why:
            skip(f"{why}: system calls are compared with the code alone")
        else:
            traced = traces(build, folder)
        for setting, environment in SETTINGS.items():
            measured[setting] = guest(build, environment, folder)
        problems.clear()
        for setting in SETTINGS:
            check_unchanged(measured[setting], setting)
        if without_refused(measured):
            check_guard(build, folder)
    check_once(code)
    found = list(problems)
    if os.uname().machine != "x86_64":
        skip("figures of memory and descriptors are of x86-64")
        measured = None
    rows, never = check(page, build, code, traced, measured)
    for problem in found + problems:
        print(f"process: {problem}", file=sys.stderr)
    if found or problems:
        sys.exit(1)
    missed = check_faults(page, build, code, traced, measured)
    print(f"process: {rows} system calls, {len(traced[0]) if traced else 0} of "
          f"them seen, {never} functions never called; {missed} rows missed "
          "when taken out")


main()
