#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the 64-byte cache lines that one region pair touches: the data accesses
# of one iteration, as seen by valgrind's lackey. Fails if there are more than
# MOST. If the iterations differ, only those with the most frequent number of
# instructions are used, since a busy machine interrupts many iterations.
#
#	bench/lines.sh PROGRAM time|user MOST [-v]
#
# "user" means four counters read in user space; their pages are not counted
# (bench/user.c). -v lists the address at which each line was first touched. An
# iteration is from one entry of selfmon_impl_enter to the next.

set -eu
program=$1
way=$2
most=$3
list=${4:-}
command -v valgrind > /dev/null || {
	echo "cache lines: skipped, valgrind is not there"
	exit 0
}
enter=$(valgrind -q --tool=none "$program" address 0)
pages=
case $way in
time) what="time only" ;;
user)
	what="4 counters and time"
	first=$(valgrind -q --tool=none "$program" pages 0)
	for k in 0 1 2 3; do
		pages="$pages $(printf %x $(((0x$first >> 12) + k)))"
	done
	;;
*) exit 2 ;;
esac

# turn PADDING: one iteration; PADDING moves the stack by its length.
turn()
{
	PADDING=$1 valgrind --tool=lackey --trace-mem=yes "$program" "$way" \
		2000 2>&1 |
	awk -v enter="$enter" -v list="$list" -v pages="$pages" \
		-v allowed="$most" -v what="$what" '
	BEGIN {
		n = split(pages, page)
		for (i = 1; i <= n; i++)
			is_page[page[i]] = 1
	}
	function page_of(address) {
		sub(/^0*/, "", address)
		return substr(address, 1, length(address) - 3)
	}
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
			if (++alike[executed] >= most) {
				most = alike[executed]
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
		if (page_of(at[1]) in is_page)
			next
		line = line_of(at[1])
		if (!(line in seen)) {
			count++
			text = text "  " at[1] "\n"
		}
		seen[line] = 1
	}
	END {
		if (most < 50) {
			print "cache lines: no iteration was recorded"
			exit 1
		}
		printf "region pair, %s: %d cache lines of data (at most " \
			"%d: %s), %d instructions\n", what, lines, allowed, \
			(lines > allowed ? "over" : "ok"), instructions
		if (list == "-v")
			printf "first touched at:\n%s", listed
		exit (lines > allowed)
	}'
}

# The environment decides how the caller's frame is aligned to lines. An extra
# line is therefore a failure only if it also appears with the frame moved by
# half a line.
failed=0
text=$(turn "") || text=$(turn 12345678901234567890123456789012) || failed=1
echo "$text"
exit $failed
