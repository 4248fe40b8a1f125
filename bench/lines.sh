#!/bin/sh
# SPDX-License-Identifier: MIT
# Cache lines of 64 bytes that one region pair touches, time alone: the data
# accesses of one turn, as valgrind's lackey saw them.
#
#	bench/lines.sh PROGRAM [-v]
#
# -v lists them. A turn goes from one entry of selfmon_impl_enter to the next.

set -eu
program=$1
command -v valgrind > /dev/null || {
	echo "cache lines: skipped, valgrind is not there"
	exit 0
}
enter=$(valgrind -q --tool=none "$program" address 0)
valgrind --tool=lackey --trace-mem=yes "$program" time 2000 2>&1 |
	awk -v enter="$enter" -v list="${2:-}" '
	function line_of(address, n) { # without its low six bits
		n = length(address)
		return substr(address, 1, n - 2) \
			int((index("0123456789abcdef",
			substr(address, n - 1, 1)) - 1) / 4)
	}
	$1 == "I" {
		split($2, at, ",")
		sub(/^0*/, "", at[1])
		if (at[1] == enter) {
			alike = executed == before ? alike + 1 : 1
			before = executed
			if (alike >= most) {
				most = alike
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
		if (most < 50) {
			print "cache lines: no turn was seen"
			exit 1
		}
		printf "region pair, time only: %d cache lines of data, " \
			"%d instructions\n", lines, instructions
		if (list == "-v")
			printf "first touched at:\n%s", listed
	}'
