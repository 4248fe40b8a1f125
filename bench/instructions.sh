#!/bin/sh
# SPDX-License-Identifier: MIT
# Instructions of a region pair, the loop around it included: callgrind's
# count of a program with 2n visits less that of the same with n.
#
#	bench/instructions.sh PROGRAM

set -eu
program=$1
n=20000

command -v valgrind >/dev/null || {
	echo "bench-instructions: skipped, valgrind is not there"
	exit 0
}

# counted WHAT N: "instructions clock"
counted() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$program" "$1" "$2" 2>&1 |
		awk '/Collected :/ { n = $NF } !/^==/ { clock = $0 }
			END { print n, clock }'
}

# row WHAT TEXT BUDGET
row() {
	one=$(counted "$1" $n)
	two=$(counted "$1" $((2 * n)))
	clock=${two#* }
	each=$(((${two%% *} - ${one%% *} + n / 2) / n))
	verdict=
	if [ -n "$3" ]; then
		verdict=ok
		[ $each -le "$3" ] || verdict=over
	fi
	printf '%-46s %6s  %6s  %s\n' "$2" $each "${3:--}" "$verdict"
}

printf '%-46s %6s  %6s\n' "instructions, the loop's three included" \
	count budget
row time "region pair, time only" 90
row software "region pair, 4 software events, without kernel" ""
row off "region pair, switched off at run time" ""
if [ "$clock" = clock_gettime ]; then
	echo "valgrind's CPU has no invariant timestamp counter: time by"
	echo "clock_gettime, which is not the way that is meant"
fi
