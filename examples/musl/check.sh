#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the static programs and their reports: check.sh FOLDER-OF-PROGRAMS
set -eu

fail()
{
	printf 'musl: %s\n' "$1" >&2
	exit 1
}

# report PROGRAM LINE...: checks that its report in CSV has exactly these lines.
report()
{
	program=$1
	shift
	readelf -l "$program" | grep INTERP && fail "$program is not static"
	strings -a "$program" | grep -q GLIBC && fail "$program is of glibc"
	SELFMON_EVENTS=none SELFMON_OUTPUT="csv:$program.csv" "$program" \
		> "$program.out" || fail "$program does not run"
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			gsub(/"/, "", $1)
			print $1, $at["threads"], $at["visits"], $at["cut_off"],
				$at["open"] + $at["lost"] + $at["overlapped"]
		}' "$program.csv" > "$program.rows"
	printf '%s\n' "$@" | sort > "$program.wanted"
	sort "$program.rows" | diff "$program.wanted" - ||
		fail "$program: lines with > are in its report, lines with < are missing"
}

# The columns: path, threads, visits, cut off, and the sum of open, lost and
# overlapped.
report "$1/work" 'round 1 100 0 0' 'round/sum 1 100 0 0'
report "$1/threads" 'round 5 5000 0 0' \
	'round/nested 5 5000 0 0' 'round/nested/nested 5 5000 0 0' \
	'round/nested/nested/nested 5 5000 0 0' 'round/jumps 5 0 5000 0'
printf 'musl: static programs without a warning report, of 5 threads too\n'
