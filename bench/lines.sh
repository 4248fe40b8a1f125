#!/bin/sh
# SPDX-License-Identifier: MIT
# Cache lines of 64 bytes that one region pair touches, time alone: the data
# accesses of one turn, as valgrind's lackey saw them.
#
#	bench/lines.sh PROGRAM [-v]
#
# -v lists them. A turn goes from one entry of selfmon_impl_enter to the next,
# told by its place in a page; what else is at such a place is less frequent.

set -eu
program=$1
command -v valgrind > /dev/null || {
	echo "cache lines: skipped, valgrind is not there"
	exit 0
}
enter=$(nm "$program" | sed -n 's/^0*\([0-9a-f]*\) . selfmon_impl_enter$/\1/p')
valgrind --tool=lackey --trace-mem=yes "$program" time 60 2>&1 |
	awk -v enter="$enter" -v list="${2:-}" '
	function line_of(address, n) { # without its low six bits
		n = length(address)
		return substr(address, 1, n - 2) \
			int((index("0123456789abcdef",
			substr(address, n - 1, 1)) - 1) / 4)
	}
	BEGIN { page = substr(enter, length(enter) - 2) }
	$1 == "I" {
		split($2, at, ",")
		if (substr(at[1], length(at[1]) - 2) == page) {
			if (++turns[executed] >= most) {
				most = turns[executed]
				lines = count
				listed = text
				instructions = executed
			}
			count = executed = 0
			text = ""
			split("", seen)
		}
		executed++
		next
	}
	$1 ~ /^[LSM]$/ {
		split($2, at, ",")
		line = line_of(at[1])
		if (!(line in seen)) {
			count++
			text = text "  " at[1] "\n"
		}
		seen[line] = 1
	}
	END {
		if (most < 10) {
			print "cache lines: no turn was seen"
			exit 1
		}
		printf "region pair, time only: %d cache lines of data, " \
			"%d instructions\n", lines, instructions
		if (list == "-v")
			printf "first touched at:\n%s", listed
	}'
