#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the instructions of a region pair minus those of an empty loop, and
# checks them against budgets.
#
#	bench/instructions.sh PROGRAM [TEXTSTATS TEXTSTATS_OFF]

set -eu
# shellcheck disable=SC2034
program=$1
lines=600000

command -v valgrind >/dev/null || {
	echo "bench-instructions: skipped, valgrind is not there"
	exit 0
}

# shellcheck source=bench/callgrind.sh
. "$(dirname "$0")/callgrind.sh"

# row WHAT TEXT BUDGET
row() {
	turn "$1"
	each=$((each - loop))
	verdict=
	if [ -n "$3" ]; then
		verdict=ok
		[ $each -le "$3" ] || verdict=over
	fi
	printf '%-46s %6s  %6s  %s\n' "$2" $each "${3:--}" "$verdict"
}

turn loop
loop=$each
printf '%-46s %6s  %6s\n' "instructions, without the loop's $loop" \
	count budget
row time "region pair, time only" 82
row software "region pair, 4 software events, without kernel" ""
row off "region pair, switched off at run time" ""
if [ "$clock" = clock_gettime ]; then
	echo "valgrind's CPU has no invariant timestamp counter: time is read by"
	echo "clock_gettime, so these counts do not represent the usual path"
fi

"$(dirname "$0")/lines.sh" "$program" time 10

# The instructions that a region per line adds to a real program. The base is
# the same program compiled with SELFMON_DISABLE. Unlike time, instructions do
# not depend on overlapped execution.
[ $# -eq 3 ] || exit 0
text=$(mktemp)
trap 'rm -f "$text"' EXIT
awk -v n=$lines 'BEGIN { for (i = 0; i < n; i++)
	print "line", i % 977, "of", n, "words like these" i % 31 }' > "$text"

# whole PROGRAM
whole() {
	SELFMON_EVENTS=none SELFMON_OUTPUT=none valgrind --tool=callgrind \
		--callgrind-out-file=/dev/null "$1" -l "$text" 2>&1 >/dev/null |
		awk '/Collected :/ { print $NF }'
}

turn time
pair=$((each - loop))
added=$(($(whole "$2") - $(whole "$3")))
awk -v added="$added" -v lines=$lines -v pair=$pair 'BEGIN {
	percent = (added / (lines * pair) - 1) * 100
	printf "textstats, a region a line: %d lines x %d = %d;\n", lines,
		pair, lines * pair
	printf "against compiled off +%d, %+.1f %% (within 25 %%: %s)\n",
		added, percent, (percent * percent <= 625 ? "ok" : "over")
}'
