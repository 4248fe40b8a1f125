#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the selfmon program from outside: options, exit statuses, and what goes
# to which stream. Usage: selfmon.sh PROGRAM
set -u
cd "$(dirname "$0")/../.." || exit
program=$(readlink -f "$1")
work=$(readlink -f "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
passed=0
bad=0

complain()
{
	echo "check-tool: $*"
	bad=1
}

# try STATUS ARGUMENT...: runs the program, checks its status, keeps its output
try()
{
	want=$1
	shift
	"$program" "$@" > "$work/out" 2> "$work/err"
	have=$?
	[ "$have" = "$want" ] ||
		complain "selfmon $*: status $have, not $want: $(cat "$work/err")"
	passed=$((passed + 1))
}

# says FILE WORDS: checks that the file out or err contains a fixed string
says()
{
	grep -qF -- "$2" "$work/$1" || complain "no '$2' in: $(cat "$work/$1")"
}

silent()
{
	[ ! -s "$work/$1" ] || complain "not silent: $(cat "$work/$1")"
}

try 0 --help
says out 'usage: selfmon COMMAND'
silent err
try 0 --version
says out "selfmon $(sed -n 's/^#define SELFMON_VERSION "\(.*\)"/\1/p' \
	include/selfmon/version.h)"
try 2
says err 'a command is missing'
try 2 docter
says err "unknown command 'docter' (did you mean doctor?)"
silent out

try 0 list --plan 'page-faults,task-clock,mem:0x1001/8:w'
says out 'counted by the kernel, all the time'
says out 'not counted'
says out 'must be a multiple of the length'
silent err
try 1 list --plan 'cs,cycels'
says err "at byte 3: unknown event 'cycels' (did you mean 'cycles'?)"
silent out

try 2 list --json --plan page-faults
says err '--plan SPEC cannot be combined'
silent out
try 2 list -c --plan page-faults
try 2 list --plan page-faults task
try 1 list --plan ''
says err 'there is no event'
try 1 list --plan auto
says err 'auto is not a list of events'
try 1 list --plan none
says err 'none counts no event'
try 1 list --plan 'mem:0x1001/8:w'
says out 'must be a multiple of the length'

commands=$("$program" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
for command in $commands; do
	try 0 "$command" --help
	says out "usage: selfmon $command"
	silent err
	try 2 "$command" --no-such-option
	silent out
	[ -f "man/selfmon-$command.1" ] ||
		complain "selfmon $command has no man page"
	"$program" "$command" --help | grep -o -e '--[a-z][a-z-]*' | sort -u \
		> "$work/options"
	while read -r option; do
		tr -d '\\\\' < "man/selfmon-$command.1" | grep -q -e "$option" ||
			complain "man/selfmon-$command.1 has no $option"
	done < "$work/options"
done

# There are no colours if the output is not a terminal, and JSON never has any.
"$program" doctor > "$work/out"
status=$?
if grep -q "$(printf '\033')" "$work/out"; then
	complain 'colours in a file'
fi
# has_colours VARIABLE=VALUE: runs selfmon doctor on a terminal, made by
# script(1), and checks for colours
has_colours()
{
	env -u NO_COLOR "$@" script -qc "'$program' doctor" /dev/null \
		< /dev/null | grep -q "$(printf '\033')\[3"
}
if command -v script > /dev/null; then
	has_colours TERM=xterm || complain 'no colours on a terminal'
	if has_colours TERM=dumb; then
		complain 'colours on a terminal that has none'
	fi
	if has_colours TERM=xterm NO_COLOR=1; then
		complain 'colours in spite of NO_COLOR'
	fi
else
	echo '[SKIP] check-tool: colours need script (bsdutils)'
fi
if command -v python3 > /dev/null; then
	"$program" doctor --json > "$work/json"
	python3 - "$work/json" "$work/out" "$status" << 'END' ||
import json, re, sys
doctor = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read()
assert doctor["doctor"] == 1
# The time of a read differs between two runs.
assert re.sub("[0-9]+ ns", "", text.split("\n")[0]) == \
       re.sub("[0-9]+ ns", "", doctor["summary"]), text
assert doctor["counted"] == (not doctor["summary"].startswith("No "))
assert doctor["root_cause"] or doctor["user_reads"]
if doctor["root_cause"]:
    assert doctor["root_cause"]["check"] in \
           [check["name"] for check in doctor["checks"]]
    assert doctor["root_cause"]["reason"] in doctor["summary"]
assert doctor["user_reads"] == (sys.argv[3] == "0"), "exit status"
lines = [line for line in text.split("\n") if line[:4] in
         ("pass", "warn", "fail", "skip")]
shown = [check for check in doctor["checks"] if not check["follows"]]
assert len(doctor["checks"]) > 15
assert len(lines) == len(shown) > 10
for check in doctor["checks"]:
    if check["follows"]:
        assert check["status"] in ("fail", "skip"), check
        assert re.search(f"also blocked: .*\\b{check['name']}\\b", text), check
for line, check in zip(lines, shown):
    assert line.split()[:2] == [check["status"], check["name"]], line
    assert check["remedy"] in text
END
		complain 'doctor --json says something else than doctor'
	# caches: each size is one that the kernel states for a cache of some
	# CPU
	caches=/sys/devices/system/cpu/cpu0/cache/index0/size
	if ! readelf -d "$program" | grep -q 'NEEDED.*libcpuid' ||
		[ ! -r "$caches" ]; then
		echo '[SKIP] check-tool: caches need libcpuid and sysfs'
	else
		python3 - "$work/json" "$work/out" << 'END' ||
import glob, json, sys
doctor = json.load(open(sys.argv[1]))
line = open(sys.argv[2]).read().split("\n")[2]
known = {open(path).read().strip() for path in
         glob.glob("/sys/devices/system/cpu/cpu*/cache/index*/size")}
caches = {name: size // 1024 for name, size in doctor["caches"].items()}
assert "L1d" in caches and "L2" in caches, caches
for name, size in caches.items():
    assert f"{name} {size} KiB" in line, line
    assert f"{size}K" in known, (name, size, known)
assert "fpu" in doctor["features"].split()
assert doctor["microarchitecture"] in line
END
			complain 'doctor does not show the caches'
	fi
else
	echo '[SKIP] check-tool: doctor --json needs python3'
fi

# list: shows an event as countable if and only if it can be opened
try 0 list
says out 'task-clock'
grep -q '^  task-clock .* system call ' "$work/out" ||
	grep -q '^  task-clock *no ' "$work/out" ||
	complain 'list knows no task-clock'
try 0 list CACHE miss
says out 'L1-dcache-load-misses'
if grep -q 'task-clock' "$work/out"; then
	complain 'list CACHE miss has task-clock'
fi
try 0 list @tlb
says out '@tlb'
LIBPFM_FORCE_PMU=skl
export LIBPFM_FORCE_PMU
"$program" list l3_miss retired > "$work/out" 2> "$work/err" || :
if grep -q 'need libpfm\|without libpfm' "$work/err"; then
	echo '[SKIP] check-tool: the names of manuals need libpfm'
else
	says out '  MEM_LOAD_RETIRED:L3_MISS '
	try 1 list -c l3_miss task-clock
fi
unset LIBPFM_FORCE_PMU
try 1 list cyceles
says err 'did you mean cycles?'
silent out
if command -v python3 > /dev/null; then
	"$program" list --json > "$work/json"
	"$program" list > "$work/out"
	python3 - "$work/json" "$work/out" << 'END' ||
import json, re, sys
events = json.load(open(sys.argv[1]))["events"]
counts = {how: sum(e["counted"] == how for e in events)
          for how in ("user", "syscall", "no")}
last = open(sys.argv[2]).read().strip().split("\n")[-1]
assert [int(n) for n in re.findall(r"\d+", last)] == list(counts.values()), last
assert all((e["counted"] == "no") == bool(e["reason"]) for e in events)
assert len(set(e["name"] for e in events)) == len(events)
assert [e["aliases"] for e in events if e["name"] == "cycles"] == ["cpu-cycles"]
assert not [e for e in events if e["name"] == "cpu-cycles"]
END
		complain 'list --json says something else than list'
fi

# Tests machines with two types of cores. If a thread is pinned to cores of one
# type, events of the other type never count. The script mounts a tree with two
# PMUs over this machine's. The PMU of the other type has the type number of
# software events.
cat > "$work/hybrid" << 'END'
folder=/sys/bus/event_source/devices
mount -t tmpfs none $folder || exit 3
while read -r pmu type cpu; do
	mkdir -p $folder/$pmu/format $folder/$pmu/events
	echo "$type" > $folder/$pmu/type
	echo "$cpu" > $folder/$pmu/cpus
	echo config:0-7 > $folder/$pmu/format/event
	echo event=0x02 > $folder/$pmu/events/faults
done << 'PMUS'
cpu_core 4 0
cpu_atom 1 1
PMUS
exec taskset -c 0 "$@"
END
if unshare -rm sh "$work/hybrid" true 2> "$work/err"; then
	unshare -rm sh "$work/hybrid" "$program" list cpu_atom/faults/ \
		> "$work/out" 2>&1
	says out 'cpu_atom/faults/: this thread is pinned to cores of another type'
	unshare -rm sh "$work/hybrid" "$program" list --plan page-faults,@tlb \
		> "$work/out" 2>&1
	says out 'left out'
	says out '@tlb leaves out dTLB-store-misses, iTLB-load-misses: at most 8'
	unshare -rm sh "$work/hybrid" "$program" doctor > "$work/out"
	says out 'this program is pinned to those of cpu_core'
	if [ "$(nproc)" -gt 1 ]; then
		sed -i 's/^exec taskset.*/exec taskset -c 0,1 "$@"/' \
			"$work/hybrid"
		unshare -rm sh "$work/hybrid" "$program" doctor > "$work/out"
		says out 'fail  core-types       2'
		says out 'because of core-types'
	fi
else
	echo "[SKIP] check-tool: two types of core: $(cat "$work/err")"
fi

# The program opens only the first tracepoint of each system. In this tree the
# id of the second one belongs to no tracepoint, and the id of the third one
# cannot be read.
cat > "$work/tracefs" << 'END'
folder=/sys/kernel/tracing
mount -t tracefs none $folder || exit 3
id=$(cat $folder/events/sched/sched_switch/id) || exit 3
mount -t tmpfs none $folder || exit 3
mkdir -p $folder/events/sched/one $folder/events/sched/two \
	$folder/events/sched/three
echo "$id" > $folder/events/sched/one/id
echo 65000 > $folder/events/sched/two/id
echo 65001 > $folder/events/sched/three/id
chmod 0 $folder/events/sched/three/id
printf 'sched:%s\n' one two three > $folder/available_events
exec setpriv --bounding-set -dac_override,-dac_read_search "$@"
END
if unshare -m sh "$work/tracefs" "$program" list -c sched:one \
	> "$work/out" 2> "$work/err"; then
	unshare -m sh "$work/tracefs" "$program" list sched: > "$work/out"
	for name in one two; do
		grep -q "^  sched:$name  *system call" "$work/out" ||
			complain "sched:$name not taken: $(cat "$work/out")"
	done
	grep -q '^  sched:three  *no' "$work/out" ||
		complain "sched:three without a number: $(cat "$work/out")"
else
	echo "[SKIP] check-tool: tracepoints: $(cat "$work/err")"
fi

# run: exit statuses, signals, streams, and the report
try 2 run
try 127 run "$work/nothing"
says err 'no such program'
printf 'no program\n' > "$work/text"
try 126 run "$work/text"
try 7 run -- sh -c 'exit 7'
try 0 run sh -c 'echo "$SELFMON_EVENTS $SELFMON_STRICT"' -e
try 0 run -e page-faults --strict -n 3 sh -c \
	'echo "$SELFMON_EVENTS $SELFMON_STRICT $SELFMON_EVERY"'
says out 'page-faults 1 3'
try 0 run -e 'page-faults,@offcpu' sh -c 'echo "$SELFMON_EVENTS"'
says out 'page-faults,@offcpu'
# selfmon passes the variables on to the command, but writes no trace itself
SELFMON_TRACE=$work/no.trace
export SELFMON_TRACE
try 0 run sh -c 'echo "$SELFMON_TRACE"'
says out "$work/no.trace"
unset SELFMON_TRACE
[ ! -e "$work/no.trace" ] || complain 'run writes a trace of itself'
try 2 run -e 'cycles,instrctions' true
says err "did you mean 'instructions'?"
says err '            ^'
try 2 run -f jsn -o "$work/x" true
says err 'did you mean json?'
try 1 run -o "$work/no/folder" true
try 1 run -o "$work/a,b" true
try 0 run -o "$work/r.json" sh -c 'echo "$SELFMON_OUTPUT"'
says out "json:$work/r.json"
says err "no report in $work/r.json"
try 0 run -o "$work/r.json" sh -c \
	'echo "{}" > "${SELFMON_OUTPUT#json:}"'
says err "report in $work/r.json, 3 bytes"
try 0 run -o "$work/r.json" true
says err "no report in $work/r.json" # not the old one
try 0 run -q -o "$work/r.json" true
silent err
ln -s "$work/r.json" "$work/link"
try 1 run -o "$work/link" true
says err 'a symbolic link'
# The name of the JSON file, which is longer, is too long.
try 1 run -o "html:$work/$(printf '%0250d' 0)" true
says err 'the name is too long'
(cd "$work" && "$program" run -o r.txt sh -c 'echo "$SELFMON_OUTPUT"') \
	> "$work/out" 2> "$work/err" || complain 'run in another folder'
says out "text:$work/r.txt"
"$program" run sh -c 'kill -TERM $$' 2> "$work/err"
[ $? = 143 ] || complain 'run does not end by the signal of its command'

# run --compare: a signal that ends a command leaves no files, unless they are
# kept
mkdir "$work/tmp"
TMPDIR=$work/tmp "$program" run --compare 'kill -TERM $$' true \
	2> "$work/err"
[ $? = 143 ] || complain 'run --compare does not end by the signal'
[ -z "$(ls "$work/tmp")" ] || complain "a signal leaves $(ls "$work/tmp")"
"$program" run --compare 'kill -TERM $$' true --keep "$work/kept" \
	2> "$work/err"
says err "the reports are in $work/kept"
write='cd / && echo > "${SELFMON_OUTPUT#json:}"'
(cd "$work" && "$program" run --compare "$write" false --keep kept) \
	2> "$work/err"
says err "B: 'false' ended with status 1"

# A signal that selfmon receives reaches the command.
"$program" run sh -c 'trap "exit 9" TERM; echo ready
	for turn in $(seq 200); do sleep 0.05; done' \
	> "$work/out" &
pid=$!
tries=0
until grep -q ready "$work/out" || [ $tries = 200 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
kill -TERM $pid
wait $pid
[ $? = 9 ] || complain 'run does not pass signals on'

[ $bad = 0 ] && echo "check-tool: $passed calls, $(echo "$commands" | wc -l) commands"
exit $bad
