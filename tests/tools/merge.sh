#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests selfmon report with JSON: rewritten, merged and damaged reports.
# Usage: merge.sh PROGRAM EXAMPLE THREADS; both are examples with regions, and
# THREADS has several threads.
set -eu
program=$1 example=$2 threads=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/../.."

fail()
{
	echo "check-merge: $*" >&2
	exit 1
}

# run NAME EVENTS EXAMPLE: runs the example, which writes NAME.json
run()
{
	SELFMON_OUTPUT="json:$work/$1.json" SELFMON_EVENTS=$2 "$3" > /dev/null
}

# refused TEXT FILE...: checks that the merge is refused, with TEXT in the
# message
refused()
{
	want=$1
	shift
	status=0
	"$program" report -m "$@" > "$work/out" 2> "$work/err" || status=$?
	[ "$status" = 1 ] || fail "status $status, not 1: $*"
	[ ! -s "$work/out" ] || fail "refused, and printed: $*"
	grep -q "$want" "$work/err" ||
		fail "not printed: '$want': $(cat "$work/err")"
}

case $program in /*) ;; *) program=$PWD/$program ;; esac
run a task-clock,page-faults "$example"
status=0
"$program" report "$work/a.json" > "$work/out" 2> "$work/err" || status=$?
if [ "$status" = 1 ] && grep -q 'install libjansson-dev' "$work/err"; then
	echo "merge: SKIPPED: $(cat "$work/err")"
	exit 0
fi
run b task-clock,page-faults "$example"
run c context-switches,page-faults "$example"
run d none "$threads"
SELFMON_EVERY=7 run every none "$example"
SELFMON_RECORD=slowest run s task-clock,page-faults "$example"
SELFMON_RECORD=slowest run t context-switches,page-faults "$example"
SELFMON_RECORD=slowest run u none "$threads"
SELFMON_LIVE="$work/live" SELFMON_OUTPUT=none SELFMON_EVENTS=none "$example" \
	> /dev/null

# On a terminal, a command that takes more than a second shows its progress
# until it is done. The second file is written only after progress was seen.
come_late()
{
	tries=0
	until grep -q 'reading reports: 1 of 2' "$work/shown" ||
		[ $tries = 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	[ $tries = 100 ] || : > "$work/seen"
	cat "$work/b.json"
}

# shows [OPTION]
shows()
{
	rm -f "$work/seen"
	: > "$work/shown"
	come_late | python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
		"$program" report "$@" "$work/a.json" /dev/fd/3 3<&0 \
		< /dev/null > "$work/shown"
	[ -e "$work/seen" ] || fail "no progress: $(cat "$work/shown")"
	tr '\r' '\n' < "$work/shown" > "$work/out"
	sed -n '/reading reports/,$p' "$work/out" | sed 1d > "$work/after"
	grep -q "^$(printf '\033')\[K" "$work/after" ||
		fail "progress stays: $(cat "$work/after")"
	grep -q 'round' "$work/after" || fail "no report after the progress line"
}
if command -v python3 > /dev/null; then
	shows -m
	shows
else
	echo '[SKIP] merge: progress needs python3'
fi
(sleep 1.2; cat "$work/b.json") |
	"$program" report -m "$work/a.json" /dev/stdin > "$work/out" \
		2> "$work/err"
[ ! -s "$work/err" ] || fail "progress in a file: $(cat "$work/err")"

# A JSON report that is read and written again is unchanged in every byte.
for name in a c d every; do
	"$program" report --format json "$work/$name.json" > "$work/out"
	cmp "$work/$name.json" "$work/out" || fail "$name.json is not the same"
done
"$program" report "$work/a.json" | grep -q '^round  *100 ' || fail "no text"
"$program" report -f csv "$work/a.json" "$work/live" > "$work/out"
[ "$(grep -c '^"round/print"' "$work/out")" = 2 ] || fail "no CSV"

# histograms N FILE REGION: checks that the output has N histograms, each with
# all visits of its region
histograms()
{
	"$program" report --histogram "$3" "$2" > "$work/out" ||
		fail "no histogram of $3"
	awk -v regions="$1" '
	length($0) > 100 { wide = 1 }
	/: [0-9]+ visits$/ { sum += $(NF - 1); n++ }
	/ - .*%  #+$/ { sum -= $(NF - 2); bars++ }
	END { exit wide || n != regions || sum != 0 || bars < n }' \
		"$work/out" || fail "histogram of $3: $(cat "$work/out")"
}
histograms 1 "$work/a.json" print
histograms 1 "$work/a.json" round/print
histograms 1 "$work/live" round
histograms 4 "$work/d.json" work/chains
histograms 1 "$work/d.json" 'worker 2/work/chains'
escape=$(printf '\033')
long=$(printf '%01000d' 0)
sed "s|\"name\": \"print\"|\"name\": \"a/b\\\\u001b[31m$long\"|" \
	"$work/a.json" > "$work/odd.json"
histograms 1 "$work/odd.json" "a/b$escape[31m$long"
! grep -q "$escape" "$work/out" || fail 'an escape in a histogram'
for name in ound/sort sort/ /sort '' rounds 'sort '; do
	status=0
	"$program" report --histogram "$name" "$work/a.json" > "$work/out" \
		2> "$work/err" || status=$?
	[ "$status" = 1 ] && grep -q "no region is named '$name'" "$work/err" ||
		fail "status $status of --histogram '$name': $(cat "$work/err")"
	[ ! -s "$work/out" ] || fail "no such region, and printed: $name"
done
sed 's/"histogram": \[\[[^a-z]*\]\]/"histogram": null/' "$work/a.json" > \
	"$work/old.json"
"$program" report --histogram print "$work/old.json" |
	grep -q 'no histogram: ' || fail 'a histogram of an old report'
status=0
"$program" report -f json --histogram print "$work/a.json" > "$work/out" \
	2> "$work/err" || status=$?
[ "$status" = 2 ] || fail "status $status of a histogram in JSON"
"$program" report -m --histogram round "$work/a.json" "$work/b.json" |
	grep -q '^round: 200 visits$' || fail 'no merged histogram'

# The merge of one report differs from it only in the description of the
# process.
"$program" report -mf json "$work/a.json" > "$work/out"
grep '"id"' "$work/a.json" > "$work/rows"
grep '"id"' "$work/out" | cmp "$work/rows" - || fail "one by itself differs"

# A live file's numbers depend on the time at which it is read, so it is read
# only once.
"$program" report -f json "$work/live" > "$work/live.json"

# schema ARGUMENT...: checks reports against docs/report.schema.json
schema()
{
	status=0
	python3 tests/tools/schema.py "$@" > "$work/said" 2>&1 || status=$?
	case $status in
	0 | 77) ;;
	*) fail "$(cat "$work/said")" ;;
	esac
}
if command -v python3 > /dev/null; then
	schema "$work/a.json" "$work/b.json" "$work/c.json" "$work/d.json" \
		"$work/every.json" "$work/live.json"
	schema --refuses "$work/a.json"
	cat "$work/said"
	for set in 'a b' 'a b c' 'c d a' 'd c live' 's t' 't u s a'; do
		files=
		for name in $set; do files="$files $work/$name.json"; done
		# shellcheck disable=SC2086 # several names
		"$program" report --merge -f json $files > "$work/merged"
		# shellcheck disable=SC2086
		tests/tools/merge.py "$work/merged" $files
		schema "$work/merged"
	done
	mkdir "$work/varied"
	tests/tools/merge.py --vary "$work/a.json" "$work/varied"
	"$program" report -m -f json "$work"/varied/* > "$work/merged"
	tests/tools/merge.py "$work/merged" "$work"/varied/*
	schema "$work/merged"
	"$program" report -f json "$work/merged" | cmp "$work/merged" - ||
		fail "a merged report is not written as it was"
	"$program" report -mf json "$work/d.json" "$work/c.json" \
		"$work/live.json" > "$work/merged"
	"$program" report -mf json "$work/d.json" "$work/c.json" > "$work/part"
	"$program" report -mf json "$work/part" "$work/live.json" |
		cmp "$work/merged" - || fail "by steps it is another"
fi
"$program" report -m "$work/a.json" "$work/live" "$work/c.json" > "$work/out"
grep -q '^round  *300 ' "$work/out" || fail "live and JSON: no 300 visits"
grep -q 'hello, 3 processes, merged' "$work/out" || fail "the number is not printed"
grep -q 'not counted in 2 of 3 processes' "$work/out" ||
	fail "uncounted events are not printed: $(cat "$work/out")"
# Sums over a part of the visits are marked. Ratios of values from different
# visits are not printed.
grep -Eq '^round .*[0-9]!' "$work/out" || fail "no mark of values left out"

refused 'every.json: every: 7, and 1 in' "$work/a.json" "$work/every.json"
refused 'a.json: pid: the report of process .* twice' "$work/a.json" \
	"$work/b.json" "$work/a.json"
# retimed SINCE WHEN FILE: makes FILE from a.json
when=$(sed -n 's/^ *"when": "\(.*\)",/\1/p' "$work/a.json")
later=2222-01-01T00:00:00Z
retimed()
{
	sed -e "1,/\"elapsed_ns\"/s/\"elapsed_ns\": .*,/\"elapsed_ns\": 5,/" \
		-e "1,/\"since\"/s/\"since\": .*,/\"since\": \"$1\",/" \
		-e "1,/\"when\"/s/\"when\": .*,/\"when\": \"$2\",/" \
		"$work/a.json" > "$work/$3"
}
retimed '' "$later" later.json
refused 'later.json: pid: the report of process .* twice' "$work/a.json" \
	"$work/later.json"
retimed "$when" "$later" interval.json
refused 'interval.json: pid: the report of process .* twice' \
	"$work/later.json" "$work/interval.json"
"$program" report -m "$work/interval.json" "$work/a.json" > "$work/out" &&
	"$program" report -m "$work/a.json" "$work/interval.json" \
		> "$work/out" || fail 'intervals that do not overlap'
"$program" report -mf json "$work/b.json" "$work/later.json" > "$work/step.json"
refused 'interval.json: pid: the report of process .* twice' \
	"$work/step.json" "$work/interval.json"
sed 's/"start_ticks": [0-9]*/"start_ticks": 1/' "$work/a.json" > \
	"$work/reused.json"
"$program" report -m "$work/a.json" "$work/reused.json" > "$work/out" ||
	fail 'a reused process id'
SELFMON_LIVE="$work/both.live" SELFMON_OUTPUT="json:$work/both.json" \
	SELFMON_EVENTS=none "$example" > /dev/null
refused 'both.live: pid: the report of process .* twice' "$work/both.json" \
	"$work/both.live"
sed '/^ *"start_ticks"/d' "$work/a.json" > "$work/early.json"
refused 'a.json: pid: the report of process .* twice' "$work/early.json" \
	"$work/a.json"

sed 's/"histogram": \[\[.*\]\]/"histogram": null/' "$work/b.json" > \
	"$work/old.json"
"$program" report "$work/old.json" > /dev/null || fail "no old file is read"
refused 'old.json: rows\[0\].time_ns.histogram: is missing' \
	"$work/a.json" "$work/old.json"
sed 's/"visits": 100, "measured"/"visits": 9223372036854775807, "measured"/' \
	"$work/b.json" > "$work/huge.json"
sed 's/"pid": [0-9]*/"pid": 1/' "$work/huge.json" > "$work/huge1.json"
sed 's/"pid": [0-9]*/"pid": 2/' "$work/huge.json" > "$work/huge2.json"
refused 'huge2.json: rows\[0\].visits: the sum of all files is more than' \
	"$work/huge.json" "$work/huge1.json" "$work/huge2.json"
sed 's/\("page-faults", "verdict": "syscall", "kernel": \)false/\1true/' \
	"$work/b.json" > "$work/kernel.json"
cmp -s "$work/b.json" "$work/kernel.json" ||
	refused 'columns\[1\].kernel: page-faults was counted in kernel mode' \
		"$work/a.json" "$work/kernel.json"
refused 'none.json: cannot be opened' "$work/a.json" "$work/none.json"

# Messages state the position of an error and the expected value.
sed 's/"min": [0-9]*/"min": "x"/' "$work/a.json" > "$work/bad.json"
line=$(grep -n '"min": "x"' "$work/bad.json" | head -n 1 | cut -d : -f 1)
refused "bad.json:$line: rows\\[0\\].time_ns.min: a whole number was expected" \
	"$work/bad.json"
head -n 20 "$work/a.json" > "$work/bad.json"
refused 'bad.json:2[01]: not JSON: ' "$work/bad.json"
sed 's/"version": 1/"version": 2/' "$work/a.json" > "$work/bad.json"
refused 'bad.json:1: version: 1 was expected' "$work/bad.json"

# Whatever the file contains, the output is a report or a message, and never has
# an escape sequence.
escape=$(printf '\033')
mutants=0
if command -v python3 > /dev/null; then
	mkdir "$work/mutants"
	tests/tools/merge.py --mutate "$work/a.json" "$work/mutants"
	for file in "$work"/mutants/*; do
		for how in --format=text -mfjson; do
			status=0
			"$program" report "$how" "$file" "$work/d.json" \
				> "$work/out" 2> "$work/err" || status=$?
			case $status in
			0) [ ! -s "$work/err" ] || fail "$file: 0 and words" ;;
			1) [ -s "$work/err" ] || fail "$file: 1, no word" ;;
			*) fail "$file: $status" ;;
			esac
			if grep -q "$escape" "$work/err" "$work/out"; then
				fail "$file: an escape"
			fi
		done
		mutants=$((mutants + 1))
	done
fi
echo "merge: JSON as it was written, merged as computed;" \
	"$mutants damaged files reported"
