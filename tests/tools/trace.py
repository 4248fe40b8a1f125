#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SELFMON_TRACE and selfmon trace, by programs whose visits are known.

    trace.py PROGRAM SELFMON     PROGRAM of tests/programs/trace
"""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KNOWN, TURNS = 1000, 20
# `make check` does less of some tests: see tests/form.h.
QUICK = not os.environ.get("TEST_FORM")
checks = 0


def expect(what, condition, shown=""):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"check-trace: {what}: {shown}")


def same(what, found, wanted):
    expect(what, found == wanted, f"{found!r}, not {wanted!r}")


class Tools:
    def __init__(self, program, selfmon, folder):
        self.program, self.selfmon, self.folder = program, selfmon, folder

    def start(self, *words, **variables):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith("SELFMON_")}
        env.update({"SELFMON_OUTPUT": "none", **variables})
        return subprocess.Popen([self.program, *map(str, words)], env=env,
                                cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def measure(self, *words, **variables):
        """Runs the program, and returns its standard error."""
        process = self.start(*words, **variables)
        _, err = process.communicate()
        same(f"the status of {words}", process.returncode, 0)
        return err

    def trace(self, *words, status=0):
        done = subprocess.run([self.selfmon, "trace", *map(str, words)],
                              cwd=self.folder, capture_output=True, text=True,
                              check=False)
        same(f"the status of trace {words}: {done.stderr}", done.returncode,
             status)
        return done.stdout if not status else done.stderr

    def chrome(self, *names):
        self.trace("-o", "out.json", *names)
        return json.loads((self.folder / "out.json").read_text())

    def perfetto(self, *names):
        self.trace("-o", "out.pftrace", *names)
        return Perfetto(self.folder / "out.pftrace")


# ---- readers ----------------------------------------------------------------

Slice = collections.namedtuple("Slice", "track name begin end depth counts")


def us(number):
    """Converts microseconds with three decimals to whole nanoseconds."""
    return round(number * 1000)


class Chrome:
    def __init__(self, document):
        self.tracks, self.process, self.slices = {}, {}, []
        self.counters = collections.Counter()
        spans = {}
        by_track = collections.defaultdict(list)
        for event in document["traceEvents"]:
            key, name = (event["pid"], event["tid"]), event["name"]
            if event["ph"] == "M" and name == "process_name":
                self.process[event["pid"]] = event["args"]["name"]
            elif event["ph"] == "M":
                self.tracks[key] = event["args"]["name"]
            elif event["ph"] == "C":
                self.counters[name] += 1
            elif event["ph"] == "b":
                spans[event["id"]] = (name, us(event["ts"]))
            elif event["ph"] == "e":
                same("a span's name", spans[event["id"]][0], name)
                self.slices.append(Slice("spans", *spans.pop(event["id"]),
                                         us(event["ts"]), 0, {}))
            else:
                by_track[key].append(event)
        same("spans that end", spans, {})
        for key, events in by_track.items():
            self.nest(self.tracks[key], events)

    def nest(self, track, events):
        """Stores the visits of a track. Checks that their starts and ends are
        in the order of time, and that visits nest."""
        visits, last = [], 0
        for event in events:
            now, name = us(event["ts"]), event["name"]
            expect("times in order", now >= last, (track, event))
            last = now
            if event["ph"] == "B":
                visits.append((name, now, event.get("args", {})))
                continue
            same("a kind of event", event["ph"], "E")
            begun, begin, counts = visits.pop()
            same("the visit that ends", name, begun)
            self.slices.append(Slice(track, name, begin, now, len(visits),
                                     counts))
        same("visits that end", visits, [])


class Perfetto:
    """Reads what protoc decodes. Fails if a field is missing from the
    schema."""

    def __init__(self, path):
        with open(path, "rb") as file:
            text = subprocess.run(
                ["protoc", f"--proto_path={HERE}", "--decode=Trace",
                 "perfetto.proto"], stdin=file, capture_output=True, text=True,
                check=True).stdout
        self.tracks, self.slices, self.values = {}, [], []
        self.names, self.time, self.open = {}, {}, {}
        self.track_of, self.processes = {}, {}
        for packet in self.packets(text):
            self.take(packet)
        same("begins that end", [open for open in self.open.values() if open],
             [])

    @staticmethod
    def packets(text):
        packet, stack = None, []
        for line in map(str.strip, text.splitlines()):
            key = re.split("[: ]", line)[0]
            expect("a field that is known", not key.isdigit(), line)
            if line == "}":
                top = stack.pop()
                if not stack:
                    yield top
            elif line.endswith("{"):
                message = {}
                if stack:
                    stack[-1].setdefault(key, []).append(message)
                stack.append(message)
            else:
                value = line.split(": ", 1)[1]
                stack[-1].setdefault(key, []).append(
                    json.loads(value.replace("\\'", "'"))
                    if value[0] == '"' else
                    float(value) if "." in value or "e" in value[1:] and
                    value[0].isdigit() else
                    int(value) if value.isdigit() else value)

    def describe(self, track):
        uuid = track["uuid"][0]
        expect("a new track", uuid not in self.tracks, uuid)
        if "process" in track:
            self.processes[uuid] = track["process"][0]["process_name"][0]
        else:
            same("a track's parent", track["parent_uuid"][0],
                 next(reversed(self.processes)))
        thread = track.get("thread", [{}])[0]
        self.tracks[uuid] = (
            f"{thread['thread_name'][0] or 'thread'} {thread['tid'][0]}"
            if thread else track.get("name", [""])[0])

    def take(self, packet):
        for track in packet.get("track_descriptor", []):
            self.describe(track)
        sequence = packet.get("trusted_packet_sequence_id", [None])[0]
        if "clock_snapshot" in packet:
            clocks = {clock["clock_id"][0]: clock for clock in
                      packet["clock_snapshot"][0]["clocks"]}
            same("clocks", sorted(clocks), [1, 6, 64])
            same("the lane's clock", clocks[64]["is_incremental"], ["true"])
            self.time[sequence] = clocks[6]["timestamp"][0]
            self.names[sequence] = {}
        for defaults in packet.get("trace_packet_defaults", []):
            self.track_of[sequence] = \
                defaults["track_event_defaults"][0]["track_uuid"][0]
        if "track_event" not in packet:
            return
        names = self.names[sequence]
        for interned in packet.get("interned_data", []):
            for kind, entries in interned.items():
                for entry in entries:
                    names[kind, entry["iid"][0]] = entry["name"][0]
        self.time[sequence] += packet["timestamp"][0]
        self.event(packet["track_event"][0], sequence, names)

    def event(self, event, sequence, names):
        now, track = self.time[sequence], self.track_of[sequence]
        stack = self.open.setdefault(track, [])
        if event["type"][0] == "TYPE_COUNTER":
            self.values.append((self.tracks[event["track_uuid"][0]],
                                event["double_counter_value"][0]))
        elif event["type"][0] == "TYPE_SLICE_BEGIN":
            counts = {names["debug_annotation_names", note["name_iid"][0]]:
                      note["uint_value"][0]
                      for note in event.get("debug_annotations", [])}
            stack.append((names["event_names", event["name_iid"][0]], now,
                          counts))
        else:
            name, begin, counts = stack.pop()
            self.slices.append(Slice(self.tracks[track], name, begin, now,
                                     len(stack), counts))


class Summary:
    """What `selfmon trace FILE` prints."""

    UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

    def __init__(self, text):
        self.text, self.regions, self.tracks = text, [], {}
        self.visits = int(re.search(r": (\d+) visits? in ", text)[1])
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines)
                  if line.split()[:1] == ["visits"])
        for line in lines[at + 1:]:
            if line.split() == ["visits", "track"]:
                break
            self.regions.append(self.region(line, "longer" in lines[at]))
        for line in lines[at + len(self.regions) + 2:]:
            visits, track = line.split(None, 1)
            self.tracks[track] = int(visits)

    def region(self, line, has_longer):
        found = re.fullmatch(
            r" *(\d+)" + r" +(\d+)" * has_longer + r" +([\d.]+) (\w+) +[\d.]+ "
            r"\w+ +at +[\d.]+ \w+ +(.+?), (.+)", line)
        expect("a region's row", found, line)
        visits, *longer, time, unit, name, track = found.groups()
        # The last digit of a time is rounded.
        ns = float(time) * self.UNITS[unit]
        return SumOf(name, track, int(visits), sum(map(int, longer)), ns,
                     self.UNITS[unit] * 1e-3)

    def row(self, name):
        rows = [one for one in self.regions if one.name == name]
        same(f"rows of {name} in {self.text}", len(rows), 1)
        return rows[0]

    def check_sums(self):
        for rows in ([one.visits for one in self.regions],
                     self.tracks.values()):
            same(f"the sum of the visits in {self.text}", sum(rows),
                 self.visits)


SumOf = collections.namedtuple("SumOf", "name track visits longer ns error")


def number_of(slices):
    return collections.Counter(one.name for one in slices)


# ---- tests ------------------------------------------------------------------

WANTED = {"outer": 2 * KNOWN, "first": 2 * KNOWN, "second": 2 * KNOWN,
          "lap": 2 * (KNOWN - 1), "slow frame": 1, "request": 3, "scheduler": 1, "fiber": 2,
          "fiber's work": 2, "turn": 2 * TURNS, "step": 2 * TURNS}


def check_fibers(chrome):
    for one in chrome.slices:
        expect("tracks of fibers",
               (one.name in ("fiber", "fiber's work", "turn", "step")) ==
               one.track.startswith("fiber "), one)
    for number in 1, 2:
        work = [one for one in chrome.slices if one.track == f"fiber {number}"]
        same(f"visits of fiber {number}", number_of(work)["step"], TURNS)


def check_frames(chrome):
    """Each thread has a track of frames: one ends when the next begins."""
    laps = collections.defaultdict(list)
    for one in chrome.slices:
        if one.name == "lap":
            laps[one.track].append(one)
    same("tracks of frames", sorted(track.split()[0] for track in laps),
         ["program", "worker"])
    for track, frames in laps.items():
        expect("a track of frames", track.endswith(", frames"), track)
        frames.sort(key=lambda one: one.begin)
        same(f"frames of {track}", len(frames), KNOWN - 1)
        for one, after in zip(frames, frames[1:]):
            same("no gap and no overlap", one.end, after.begin)
        # Each frame begins inside of an outer visit, and ends inside of the
        # next.
        outer = sorted((one for one in chrome.slices if one.name == "outer" and
                        one.track == track[:-len(", frames")]),
                       key=lambda one: one.begin)
        for one, around, after in zip(frames, outer, outer[1:]):
            expect("a frame from visit to visit",
                   around.begin < one.begin <= around.end and
                   after.begin < one.end <= after.end, (one, around, after))


def test_known(tools):
    tools.measure("known", SELFMON_TRACE="known.trace")
    chrome = Chrome(tools.chrome("known.trace"))
    same("visits", dict(number_of(chrome.slices)), WANTED)
    main = next(name for name in chrome.tracks.values()
                if name.startswith("program "))
    worker = next(name for name in chrome.tracks.values()
                  if name.startswith("worker "))
    for track in main, worker:
        found = number_of(one for one in chrome.slices if one.track == track)
        same(f"visits of {track}", found["outer"], KNOWN)
    for one in chrome.slices:
        same(f"the depth of {one}", one.depth,
             {"first": 1, "second": 1, "fiber's work": 1, "turn": 2,
              "step": 3}.get(one.name, 0))
    check_fibers(chrome)
    check_frames(chrome)
    slow = next(one for one in chrome.slices if one.name == "slow frame")
    expect("the slow frame", slow.end - slow.begin >= 20_000_000, slow)
    requests = [one for one in chrome.slices if one.name == "request"]
    expect("spans last longer", all(
        one.begin <= slow.begin and one.end >= slow.end for one in requests),
        requests)
    same("the process", list(chrome.process.values()), ["program"])
    test_perfetto(tools, chrome)
    summary = tools.trace("known.trace")
    expect("a summary", f"{sum(WANTED.values())} visits in" in summary and
           "slow frame, program" in summary, summary)
    check_summary(Summary(summary), WANTED)


def check_summary(summary, wanted):
    summary.check_sums()
    same("the visits of each region",
         {one.name: one.visits for one in summary.regions}, wanted)
    expect("a track of frames", summary.row("lap").track.endswith(", frames"),
           summary.text)
    same("tracks of frames", sorted(
        visits for track, visits in summary.tracks.items()
        if track.endswith(", frames")), [KNOWN - 1, KNOWN - 1])


# Known numbers of the program: visits inside each other, and threads.
DEPTH, WORKERS, TRACKS_MAX = 5, 25, 20


def test_summary(tools):
    """A visit inside a visit of the same name adds no time."""
    tools.measure("deep", SELFMON_TRACE="deep.trace")
    summary = Summary(tools.trace("deep.trace"))
    summary.check_sums()
    deep = summary.row("deep")
    same("visits of all depths", deep.visits, DEPTH)
    outermost = max(one.end - one.begin
                    for one in Chrome(tools.chrome("deep.trace")).slices
                    if one.name == "deep")
    expect("the time of the outermost visit",
           abs(deep.ns - outermost) <= deep.error, (deep, outermost))
    expect("regions come first", summary.text.index("  region, track") <
           summary.text.index("  track\n"), summary.text)
    same("tracks, and a line for the others", len(summary.tracks),
         TRACKS_MAX + 1)
    expect("how many others", re.search(
        rf"  on {WORKERS + 1 - TRACKS_MAX} more tracks; to see all: "
        "selfmon trace --all$", summary.text), summary.text)
    every = Summary(tools.trace("--all", "deep.trace"))
    every.check_sums()
    same("all tracks", len(every.tracks), WORKERS + 1)


def test_summary_of_bursts(tools):
    """Visits longer than the limit are counted by region. A busy machine may
    make short visits long."""
    tools.measure("laps", SELFMON_TRACE="laps.trace,longer=10ms")
    summary = Summary(tools.trace("laps.trace"))
    summary.check_sums()
    wanted = number_of(one for one in Chrome(tools.chrome("laps.trace")).slices
                       if one.track.endswith(", longer than the limit"))
    expect("frames and visits", {"lap", "long"} <= set(wanted), wanted)
    same("the longer visits of each region",
         {one.name: one.longer for one in summary.regions if one.longer},
         dict(wanted))
    expect("their sum", f": {sum(wanted.values())} such visits in " in
           summary.text, summary.text)
    tools.measure("always", 1, SELFMON_TRACE="one.trace,longer=100ns")
    expect("one of each", ": 1 such visit in 1 burst\n" in
           tools.trace("one.trace"), tools.trace("one.trace"))


def test_perfetto(tools, chrome):
    if not shutil.which("protoc"):
        print("[SKIP] check-trace: Perfetto's format needs protobuf-compiler")
        return
    perfetto = tools.perfetto("known.trace")
    def key(one):
        return (one.name, one.end - one.begin, one.depth)
    same("the same visits in both formats",
         sorted(map(key, perfetto.slices)), sorted(map(key, chrome.slices)))
    same("the same tracks", {one.track for one in perfetto.slices
                             if one.name != "request"},
         {one.track for one in chrome.slices if one.name != "request"})
    offset = {one.begin for one in perfetto.slices if one.name == "slow frame"}
    base = min(offset) - next(one.begin for one in chrome.slices
                              if one.name == "slow frame")
    same("the same times", sorted(one.begin - base for one in perfetto.slices),
         sorted(one.begin for one in chrome.slices))


def test_fibers_counted(tools):
    """With events too, a trace has each switch of fibers."""
    tools.measure("known", SELFMON_TRACE="fibers.trace",
                  SELFMON_EVENTS="page-faults")
    check_fibers(Chrome(tools.chrome("fibers.trace")))


def test_counts(tools):
    tools.measure("known", SELFMON_TRACE="counts.trace",
                  SELFMON_EVENTS="page-faults,@offcpu")
    chrome = Chrome(tools.chrome("counts.trace"))
    counted = [one for one in chrome.slices if one.counts]
    if not counted:
        print("[SKIP] check-trace: page-faults are not counted here")
        return
    wanted = {name: n for name, n in WANTED.items()
              if name not in ("request", "lap")}
    same("visits with counts", dict(number_of(counted)), wanted)
    expect("counts", all(list(one.counts) == ["page-faults"]
                         for one in counted), counted[:1])
    expect("an outer visit has what is inside of it", sum(
        one.counts["page-faults"] for one in counted if one.name == "outer") >=
        sum(one.counts["page-faults"] for one in counted
            if one.name in ("first", "second")))
    expect("rates", any("page-faults/us" in name for name in chrome.counters),
           chrome.counters)
    slow = next(one for one in counted if one.name == "slow frame")
    off = [one for one in chrome.slices
           if one.track.endswith("off the CPU") and one.name == "blocked" and
           one.begin >= slow.begin - 1000 and one.end <= slow.end + 1000]
    expect("the slow frame was off the CPU",
           sum(one.end - one.begin for one in off) > 19_000_000, (slow, off))
    if shutil.which("protoc"):
        perfetto = tools.perfetto("counts.trace")
        same("the same counts", sorted(one.counts["page-faults"] for one in
                                       perfetto.slices if one.counts),
             sorted(one.counts["page-faults"] for one in counted))
        expect("counter tracks", perfetto.values)


def test_slowest(tools, seed):
    """The recorder's slowest visits are the slowest ones of the trace."""
    tools.measure("slowest", seed, SELFMON_TRACE="slowest.trace",
                  SELFMON_RECORD="slowest", SELFMON_OUTPUT="json:slowest.json")
    report = json.loads((tools.folder / "slowest.json").read_text())
    chrome = Chrome(tools.chrome("slowest.trace"))
    times, kept = (collections.defaultdict(list) for _ in range(2))
    suspended = {"fiber", "fiber's work", "turn", "scheduler"}
    for one in chrome.slices:
        times[one.name].append(one.end - one.begin)
    for one in report["slowest"]:
        kept[one["region"]].append(one["ns"])
    same("regions", set(kept) | suspended, set(times) | suspended)
    expect("a hundred of them", len(times) >= 100, len(times))
    for name, found in kept.items():
        if name in suspended:
            continue
        wanted = sorted(times[name], reverse=True)[:8]
        same(f"visits kept of {name}", len(found), len(wanted))
        for mine, traced in zip(sorted(found, reverse=True), wanted):
            expect(f"the slowest visits of {name}",
                   abs(mine - traced) <= 2 + traced * 1e-4, (found, wanted))


# The file's rate of ticks is measured, and the report's is known.
SAME_MOMENT_NS = 5_000_000
LATE_NS = 100_000_000


def test_start(tools):
    """A trace has the same zero as the report: the library's first use. The
    trace begins long after it."""
    tools.measure("late", "late.trace", SELFMON_RECORD="slowest",
                  SELFMON_OUTPUT="json:late.json")
    report = json.loads((tools.folder / "late.json").read_text())
    slow = next(one for one in report["slowest"]
                if one["region"] == "slow frame")
    traced = next(one for one in Chrome(tools.chrome("late.trace")).slices
                  if one.name == "slow frame")
    expect("the first use was before", slow["begin_ns"] >= LATE_NS, slow)
    expect("the same zero", abs(slow["begin_ns"] - traced.begin) <
           SAME_MOMENT_NS, (slow["begin_ns"], traced))


def test_choice(tools):
    tools.measure("known", SELFMON_TRACE="some.trace,ring=1m,"
                  "regions=^(outer|request)$")
    chrome = Chrome(tools.chrome("some.trace"))
    same("chosen regions", dict(number_of(chrome.slices)),
         {"outer": 2 * KNOWN, "request": 3})


def test_lost(tools):
    """The ring has 4096 entries, and visits are made without a pause."""
    seconds = 0.05 if QUICK else 0.2
    err = tools.measure("rate", 1e9, seconds, SELFMON_TRACE="lost.trace,ring=64k",
                        SELFMON_OUTPUT="json:lost.json")
    lost = int(re.search(r"(\d+) of \d+ entries were overwritten", err)[1])
    visits = json.loads((tools.folder / "lost.json").read_text())["rows"][0]
    chrome = Chrome(tools.chrome("lost.trace"))
    found = number_of(chrome.slices)
    # One lost entry may be the one that names the thread.
    expect("written and lost", found["paced"] + lost - visits["visits"] in
           (0, 1), (found, lost, visits["visits"]))
    expect("gaps are shown", found["visits are missing here"] > 0, found)
    expect("the summary says so", f"{lost} entries are missing" in
           tools.trace("lost.trace"), lost)


# Known numbers of the program: bursts, visits inside of each slow visit, and
# visits between the last two slow visits.
BURSTS, PARTS, NEAR = 3, 5, 100
HALF_RING = 2048


def test_bursts(tools):
    """Three slow visits among 100,000 short ones. A fourth one follows soon
    after the third, and continues its burst."""
    tools.measure("bursts", "bursts.trace",
                  SELFMON_TRACE="bursts.trace,ring=64k,longer=300ms")
    chrome = Chrome(tools.chrome("bursts.trace"))
    longer, left_out, own = (
        [one for one in chrome.slices if one.track.endswith(end)]
        for end in (", longer than the limit", ", not recorded", ""))
    own = sorted((one for one in own if one not in longer + left_out),
                 key=lambda one: one.end)
    # A burst has the visits before, the parts, the frame, and a mark that the
    # frame was longer than the limit.
    wanted = {"step": BURSTS * (HALF_RING - PARTS - 2) + NEAR,
              "part": (BURSTS + 1) * PARTS, "frame": BURSTS + 1}
    same("visits of bursts", dict(number_of(own)), wanted)
    frames = [one for one in own if one.name == "frame"]
    same("visits that were longer", [(one.name, one.begin, one.end)
                                     for one in longer],
         [("frame", one.begin, one.end) for one in frames])
    same("what is between", {one.name for one in left_out},
         {"not recorded"})
    same("gaps, also before the first burst", len(left_out), BURSTS)
    at = 0
    for frame in frames:
        burst = own[at:at + (HALF_RING - 1 if frame != frames[-1] else
                             NEAR + PARTS + 1)]
        same("a burst ends with the slow visit", burst[-1], frame)
        same("the parts are inside of it", [
            one.name for one in burst[-PARTS - 1:-1] if one.depth == 1],
            PARTS * ["part"])
        expect("the slow visit", frame.end - frame.begin >= 400_000_000, frame)
        at += len(burst)
    expect("lost visits are none", not any(
        one.name == "visits are missing here" for one in chrome.slices))
    summary = tools.trace("bursts.trace")
    expect("the summary says so", "longer than 300.000 ms: 4 such visits in 3 "
           "bursts" in summary, summary)
    if shutil.which("protoc"):
        def key(one):
            return one.track, one.name, one.end - one.begin, one.depth
        same("the same in both formats",
             sorted(map(key, tools.perfetto("bursts.trace").slices)),
             sorted(map(key, chrome.slices)))


# The low 24 bits of an entry's second word, from store/recorder.h.
REGION, LONGER, THREAD = 0xffffff, 0xfffff8, 0xfffffa


def test_bursts_without_their_visits(tools):
    data = bytearray(open(f"{tools.folder}/bursts.trace", "rb").read())
    for at in range(0, len(data) - 7, 8):
        word = int.from_bytes(data[at:at + 8], sys.byteorder)
        if word & REGION == LONGER:
            data[at:at + 8] = (word - LONGER + THREAD).to_bytes(
                8, sys.byteorder)
    with open(f"{tools.folder}/lost-bursts.trace", "wb") as file:
        file.write(data)
    summary = tools.trace("lost-bursts.trace")
    expect("the limit is not known", "3 bursts, of which the slow visits were "
           "lost" in summary and " 0 ns" not in summary, summary)


def test_chosen_bursts(tools):
    """Only the regions in regions= trigger a burst, but all regions are
    written."""
    tools.measure("bursts", "", SELFMON_TRACE="none.trace,ring=64k,"
                  "longer=300ms,regions=^step$")
    same("no slow frame triggers", dict(number_of(
        one for one in Chrome(tools.chrome("none.trace")).slices
        if one.track.endswith("limit"))), {})


def test_percentile(tools):
    """One visit in 4000 takes 40 ms."""
    tools.measure("modes", "modes.trace",
                  SELFMON_TRACE="modes.trace,ring=1m,longer=p99.9")
    chrome = Chrome(tools.chrome("modes.trace"))
    slow = [one.end - one.begin for one in chrome.slices
            if one.track.endswith(", longer than the limit")]
    expect("each long visit triggers", sum(
        ns >= 40_000_000 for ns in slow) >= 11, slow)
    summary = tools.trace("modes.trace")
    least = re.search(r"lasted longer than ([0-9.]+) (\w+)", summary)
    ns = float(least[1]) * {"ns": 1, "us": 1e3, "ms": 1e6}[least[2]]
    expect("a limit between the two kinds", 20 < ns < 35e6, summary)
    expect("none is shorter than the limit", min(slow) >= ns * 0.99, slow)


def longer_in(tools, name):
    return number_of(one for one in Chrome(tools.chrome(name)).slices
                     if one.track.endswith(", longer than the limit"))["long"]


def left_out(err, visits):
    """Returns how many visits the message says are not in the file, and how
    many of them by cause."""
    found = re.search(rf"(\d+) of {visits} visits longer than the limit are not "
                      r"in the file \(([^()]+)\)", " ".join(err.split()))
    expect("a message", found, err)
    causes = {why: int(n) for n, why in
              (cause.split(" ", 1) for cause in found[2].split("; "))}
    same("the visits of all causes", sum(causes.values()), int(found[1]))
    return int(found[1]), causes


RATE_VISITS = 60_000
OVER_RATE = "exceed the rate of half a ring per second and thread"
# Bytes that a file may have besides its bursts, and that a burst may have
# besides its entries.
HEAD_BYTES, BLOCKS_BYTES = 1000, 80


def test_bounded(tools):
    """All visits are longer than the limit: the file is bounded, and visits
    beyond the bound are counted."""
    tools.measure("always", 300, SELFMON_TRACE="few.trace,longer=100ns")
    same("few visits are all there", longer_in(tools, "few.trace"), 300)
    # A burst may be twice as large as the file, but these few visits fit.
    err = tools.measure("always", 300, SELFMON_TRACE="small.trace,"
                        "longer=100ns,size=1m")
    same("few visits fit", longer_in(tools, "small.trace"), 300)
    expect("no message", "size=" not in err, err)
    # The rate allows eight half rings at once, which is twice the size.
    err = tools.measure("always", 2 * RATE_VISITS, SELFMON_TRACE="size.trace,"
                        "ring=512k,longer=100ns,size=1m",
                        SELFMON_OUTPUT="json:size.json")
    size = (tools.folder / "size.trace").stat().st_size
    expect("its size", (1 << 20) - HEAD_BYTES < size <= 1 << 20, size)
    expect("a message", "the file has reached its size=" in err, err)
    _, causes = left_out(err, 2 * RATE_VISITS)
    expect("the size is a cause, the rate is not",
           causes.get("exceed size=", 0) > RATE_VISITS // 2 and
           OVER_RATE not in causes, causes)
    # 500 KB of names, and bursts of at most 512 KB.
    tools.measure("names", 2000, 2 * RATE_VISITS, SELFMON_TRACE="names.trace,"
                  "ring=256k,longer=100ns,size=1m")
    size = (tools.folder / "names.trace").stat().st_size
    expect("its size with names", 700_000 < size <= 1 << 20, size)
    began = time.monotonic()
    err = tools.measure("always", RATE_VISITS, "rate.trace",
                        SELFMON_TRACE="rate.trace,ring=64k,longer=100ns",
                        SELFMON_OUTPUT="json:rate.json")
    seconds = time.monotonic() - began
    size = (tools.folder / "rate.trace").stat().st_size
    expect("half a ring per second, eight at once", size < HEAD_BYTES +
           (16 * HALF_RING + BLOCKS_BYTES) * (8 + seconds), (size, seconds))
    missing, causes = left_out(err, RATE_VISITS)
    same("those that are there", longer_in(tools, "rate.trace"),
         RATE_VISITS - missing)
    expect("the rate is a cause, the size is not", causes.get(OVER_RATE, 0) >
           RATE_VISITS // 4 and "exceed size=" not in causes, causes)


def test_killed_after_burst(tools):
    process = tools.start("bursts", "cut.trace", SELFMON_TRACE="cut.trace,"
                          "ring=64k,longer=300ms")
    path = tools.folder / "cut.trace"
    while not path.exists() or path.stat().st_size < HALF_RING * 16:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    process.stderr.close()
    found = number_of(Chrome(tools.chrome(path)).slices)
    expect("the burst of a killed process", found["frame"] >= 2 and
           found["step"] == HALF_RING - PARTS - 2, found)


def test_killed(tools):
    process = tools.start("kill", SELFMON_TRACE="%p.trace")
    path = tools.folder / f"{process.stdout.readline().strip()}.trace"
    while path.stat().st_size < 200_000:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    chrome = Chrome(tools.chrome(path))
    found = number_of(chrome.slices)
    expect("visits of a killed process", found["outer"] > 1000, found)
    expect("the summary says so", "did not end the trace" in
           tools.trace(path))
    whole = path.read_bytes()
    for size in list(range(0, 2000, 37 if QUICK else 7)) + [len(whole) - 1, len(whole) - 20]:
        (tools.folder / "cut.trace").write_bytes(whole[:size])
        done = subprocess.run([tools.selfmon, "trace", "cut.trace"],
                              cwd=tools.folder, capture_output=True, text=True,
                              check=False)
        expect(f"a file cut off at {size}", done.returncode in (0, 1) and
               done.stderr.count("\n") == done.returncode, done)


def test_processes(tools):
    tools.measure("fork", SELFMON_TRACE="fork.trace")
    chrome = Chrome(tools.chrome("fork.trace"))
    same("a child has no trace", number_of(chrome.slices)["outer"], KNOWN)
    tools.measure("known", SELFMON_TRACE="other.trace")
    both = Chrome(tools.chrome("fork.trace", "other.trace"))
    same("two processes", len(both.process), 2)
    same("visits of both", number_of(both.slices)["outer"], 3 * KNOWN)
    if shutil.which("protoc"):
        same("two processes", len(tools.perfetto(
            "fork.trace", "other.trace").processes), 2)


def refused(tools, why, variable):
    err = tools.measure("fork", SELFMON_TRACE=variable,
                        SELFMON_OUTPUT="text:report")
    expect(f"a message: {why}", why in err + (
        tools.folder / "report").read_text().replace("\n             ", " "),
        err)


def test_messages(tools):
    (tools.folder / "mine").write_text("a file of mine\n")
    refused(tools, "is not a trace", "mine")
    same("the file stays", (tools.folder / "mine").read_text(),
         "a file of mine\n")
    refused(tools, "ring=1k: 64k to 1g are allowed", "a.trace,ring=1k")
    refused(tools, "ring=2g: 64k to 1g are allowed", "a.trace,ring=2g")
    refused(tools, "not a regular expression", "a.trace,regions=[")
    refused(tools, "a file is missing", ",ring=1m")
    times = "a time of 100ns to 100s, such as 16ms, or p50 to p99.9999"
    for wrong in "0", "5x", "p120", "p49", "", "16", "99ns", "101s", "1.ms":
        refused(tools, f"longer={wrong}: {times}", f"a.trace,longer={wrong}")
    refused(tools, "size=1k: 1m to 1024g", "a.trace,longer=1ms,size=1k")
    refused(tools, "size= needs longer=", "a.trace,size=1m")
    refused(tools, "No such file", "no/such/a.trace")
    expect("no file", not (tools.folder / "a.trace").exists())
    process = tools.start("kill", SELFMON_TRACE="busy.trace")
    process.stdout.readline()
    refused(tools, "another process is writing it", "busy.trace")
    process.kill()
    process.wait()
    for words, why in (
            ((), "a file is missing"),
            (("mine",), "not a trace"),
            (("no.trace",), "No such file"),
            (("-o", "x.txt", "busy.trace"), ".pftrace or .json"),
            (("-f", "xml", "-o", "x", "busy.trace"), "perfetto and chrome"),
            (("-f", "chrome", "busy.trace"), "needs --output"),
            (("-a", "-o", "x.json", "busy.trace"), "is for the summary"),
            (("-o", "/nowhere/x.json", "busy.trace"), "No such file")):
        status = 2 if why in ("a file is missing", ".pftrace or .json",
                              "perfetto and chrome", "needs --output",
                              "is for the summary") else 1
        err = tools.trace(*words, status=status)
        expect(f"a message of {words}", why in err, err)
    if os.path.exists("/dev/full"):
        err = tools.trace("-o", "/dev/full", "-f", "chrome", "busy.trace",
                          status=1)
        expect("a full disk", "No space left" in err, err)


def test_hostile(tools):
    """If bytes of a file are changed, the result is a trace or a message."""
    tools.measure("fork", SELFMON_TRACE="bytes.trace")
    whole = bytearray((tools.folder / "bytes.trace").read_bytes()[:6000])
    for at in range(0, len(whole), 47 if QUICK else 5):
        for value in 0, 255, whole[at] ^ 1:
            changed = bytearray(whole)
            changed[at] = value
            (tools.folder / "bad.trace").write_bytes(changed)
            done = subprocess.run([tools.selfmon, "trace", "-o", "bad.json",
                                   "bad.trace"], cwd=tools.folder,
                                  capture_output=True, check=False)
            expect(f"byte {at} set to {value}", done.returncode in (0, 1),
                   done)
            if not done.returncode:
                json.loads((tools.folder / "bad.json").read_bytes())


def main():
    program, selfmon = (str(pathlib.Path(word).resolve())
                        for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(program, selfmon, pathlib.Path(folder))
        test_known(tools)
        test_summary(tools)
        test_summary_of_bursts(tools)
        test_fibers_counted(tools)
        test_counts(tools)
        for seed in (1,) if QUICK else (1, 2):
            test_slowest(tools, seed)
        test_start(tools)
        test_choice(tools)
        test_lost(tools)
        test_bursts(tools)
        test_bursts_without_their_visits(tools)
        test_chosen_bursts(tools)
        test_percentile(tools)
        test_bounded(tools)
        test_killed_after_burst(tools)
        test_killed(tools)
        test_processes(tools)
        test_messages(tools)
        test_hostile(tools)
    print(f"check-trace: {checks} checks passed")


main()
