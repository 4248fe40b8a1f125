#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a Criterion program; shows what failed, what was skipped and why, and
# a line that counts them. Usage: criterion.sh PROGRAM NAME [OPTION]...
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT

program=$1 name=$2
shift 2
SELFMON_OUTPUT=none "$program" --verbose=1 --timeout "${TEST_TIMEOUT:-120}" "$@" > "$log" 2>&1
status=$?

grep -vE '^\[(RUN |PASS|====)|^\[----\] *$|^\[----\] (Criterion|Warning)' "$log" |
	grep -vE '^\[----\] [0-9]+ reports$'
passed=$(grep -c '^\[PASS\]' "$log")
failed=$(grep -c '^\[FAIL\]' "$log")
skipped=$(grep -c '^\[SKIP\]' "$log")
# Its runner does not look at what a sanitizer says at a test's end.
if grep -q 'Sanitizer: ' "$log"; then
	echo "$name: a sanitizer has something to say"
	status=1
fi
if [ $((passed + skipped)) -eq 0 ]; then
	echo "$name: no test ran; the end of what was printed:"
	tail -n 20 "$log"
	status=1
fi
printf '%s: %d passed, %d failed, %d skipped\n' \
	"$name" "$passed" "$failed" "$skipped"
exit "$status"
