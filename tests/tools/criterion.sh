#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a Criterion program. Prints the tests that failed, those that were
# skipped with the reasons, and a line that counts them: criterion.sh PROGRAM
# NAME [OPTION]...
#
# If TEST_TIMES=FILE is set, FILE becomes a list of the seconds that each passed
# test took. TEST_TIMEOUT (600 s) is the limit for tests that hang, on any
# machine.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT

program=$1 name=$2
shift 2
SELFMON_OUTPUT=none "$program" --verbose=1 --timeout "${TEST_TIMEOUT:-600}" "$@" > "$log" 2>&1
status=$?

grep -vE '^\[(RUN |PASS|SKIP|====)|^\[----\] *$|^\[----\] (Criterion|Warning)' "$log" |
	grep -vE '^\[----\] [0-9]+ reports$'
# Prints each reason once: without a PMU, all tests of tests/hw have the same.
sed -n 's/^\[SKIP\] \([^ ]*\): /\1 /p' "$log" | awk '{
	test = $1; sub(/^[^ ]* /, "")
	if (!($0 in first)) { first[$0] = test; reason[++n] = $0 }
	count[$0]++
}
END {
	for (i = 1; i <= n; i++) {
		more = count[reason[i]] - 1
		print "[SKIP] " first[reason[i]] \
			(more ? " and " more " more" : "") ": " reason[i]
	}
}'
passed=$(grep -c '^\[PASS\]' "$log")
failed=$(grep -c '^\[FAIL\]' "$log")
skipped=$(grep -c '^\[SKIP\]' "$log")
[ -z "${TEST_TIMES:-}" ] || sed -n \
	's/^\[PASS\] \(.*\): (\([0-9.]*\)s)$/\2 \1/p' "$log" > "$TEST_TIMES"
# Criterion's runner ignores what a sanitizer reports at the end of a test.
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
