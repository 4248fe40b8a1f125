#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests selfmon report with live files, valid ones and others.
# Usage: report.sh PROGRAM EXAMPLE; EXAMPLE is a program with regions.
set -eu
program=$(realpath "$1") example=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "check-report: $*" >&2
	exit 1
}

SELFMON_LIVE="$work/live" SELFMON_OUTPUT=none SELFMON_EVENTS=none "$example" \
	> /dev/null
"$program" report "$work/live" > "$work/text"
grep -q "read from the live file" "$work/text" || fail "the report does not name the live file"
grep -q "^round  *100 " "$work/text" || fail "no visits: $(cat "$work/text")"
"$program" report --format=csv "$work/live" | grep -q '^.*round.*100' ||
	fail "no visits in CSV"
if command -v python3 > /dev/null; then
	"$program" report --format json "$work/live" > "$work/json"
	status=0
	python3 "$here/schema.py" "$work/json" > "$work/said" 2>&1 || status=$?
	[ "$status" = 0 ] || [ "$status" = 77 ] || fail "$(cat "$work/said")"
fi

# selfmon run --live sets SELFMON_LIVE, and prints the command that reads the file.
(cd "$work" && SELFMON_OUTPUT=none "$program" run -e none --live 'l%p' \
	"$example" > /dev/null 2> err)
command=$(sed -n 's/^selfmon run: to read the live file: selfmon //p' \
	"$work/err")
eval "'$program' $command" | grep -q "^round  *100 " ||
	fail "run --live: $(cat "$work/err")"

# A file that is no report does not prevent the others from being printed.
echo 'no live file at all' > "$work/other"
status=0
"$program" report "$work/other" "$work/none" "$work/live" > "$work/text" \
	2> "$work/err" || status=$?
[ "$status" = 1 ] || fail "status $status with a file that is none"
grep -q "other: neither a live file nor a report in JSON$" "$work/err" ||
	fail "the message does not state what is wrong: $(cat "$work/err")"
grep -q "none: cannot be opened: No such file" "$work/err" ||
	fail "the message does not state what is missing: $(cat "$work/err")"
grep -q "^round  *100 " "$work/text" || fail "the good file is left out"

# is_neither FILE WHY: checks that FILE is refused with this reason
is_neither()
{
	status=0
	"$program" report "$1" > "$work/text" 2> "$work/err" || status=$?
	[ "$status" = 1 ] || fail "status $status with $1"
	grep -q "$1: neither a live file nor a report in JSON: $2" \
		"$work/err" || fail "the message does not state what is wrong: $(cat "$work/err")"
}
: > "$work/empty"
is_neither "$work/empty" 'it is empty'
is_neither "$work" 'Is a directory'

# Opening a FIFO without a writer must not block: the other files would wait.
mkfifo "$work/fifo"
status=0
timeout 20 "$program" report "$work/fifo" "$work/live" > "$work/text" \
	2> "$work/err" || status=$?
[ "$status" = 1 ] || fail "status $status with a FIFO"
grep -q "fifo: neither .* JSON: it is not a regular file" "$work/err" ||
	fail "the message does not state what is wrong: $(cat "$work/err")"
grep -q "^round  *100 " "$work/text" || fail "the file after a FIFO is left out"
status=0
"$program" report -f yaml "$work/live" > "$work/text" 2> "$work/err" ||
	status=$?
[ "$status" = 2 ] || fail "status $status with -f yaml"
grep -q ", html, folded or pprof are allowed" "$work/err" ||
	fail "the message does not state what is allowed: $(cat "$work/err")"

# CSV has one header for all processes with the same columns. A process with
# other columns has a header before its rows.
SELFMON_LIVE="$work/faults" SELFMON_OUTPUT=none SELFMON_EVENTS=page-faults \
	"$example" > /dev/null
# headers N FILE...: checks that the output has N headers
headers()
{
	wanted=$1
	shift
	"$program" report -f csv "$@" > "$work/text"
	[ "$(grep -c '^path,' "$work/text")" = "$wanted" ] ||
		fail "CSV has not $wanted headers: $(cat "$work/text")"
}
headers 1 "$work/live" "$work/live"
[ "$(grep -c '^"round"' "$work/text")" = 2 ] || fail "rows of CSV are left out"
head -n 1 "$work/text" | grep -q '^path,' || fail "CSV without a header"
headers 3 "$work/live" "$work/faults" "$work/faults" "$work/live"
echo "report: live files as text, JSON and CSV; others are reported"
