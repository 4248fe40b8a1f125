#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests which rows and columns selfmon report writes, with a report of 1,773
# rows.
# Usage: view.sh PROGRAM EXAMPLE THREADS; THREADS is an example with threads.
set -eu
program=$1 example=$2 threads=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

SELFMON_OUTPUT="json:$work/real.json" SELFMON_EVENTS=task-clock,page-faults \
	"$example" > /dev/null
status=0
"$program" report "$work/real.json" > /dev/null 2> "$work/err" || status=$?
if [ "$status" = 1 ] && grep -q 'install libjansson-dev' "$work/err"; then
	echo "view: SKIPPED: $(cat "$work/err")"
	exit 0
fi
here=$(dirname "$0")
python3 "$here/view.py" --grow "$work/real.json" 1773 "$work/grown.json"
python3 "$here/view.py" "$program" "$work/grown.json"

SELFMON_OUTPUT="json:$work/apart.json;threads,json:$work/plain.json" \
	SELFMON_LIVE="$work/live" SELFMON_EVENTS=task-clock,page-faults \
	"$threads" > /dev/null
python3 "$here/schema.py" "$work/apart.json" "$work/plain.json" \
	> "$work/err" 2>&1 || [ $? = 77 ] || {
	cat "$work/err"
	exit 1
}
python3 "$here/threads.py" "$program" "$work/apart.json" "$work/plain.json" \
	"$work/live"
