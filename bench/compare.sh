#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares counts with the baseline's. Fails if one has grown by more than 3 %,
# or exists on one side only.
#
#	bench/compare.sh BASELINE SECTION < COUNTS
#
# COUNTS are lines "COUNT WHAT". A baseline has an object for each section,
# with each member on its own line.

set -eu
awk -v baseline="$1" -v section="$2" -v percent=3 '
function word(text) { # between the first two quotes
	if (!match(text, /"[^"]*"/))
		return ""
	return substr(text, RSTART + 1, RLENGTH - 2)
}
function read_baseline(line, inside, what, number) {
	while ((getline line < baseline) > 0) {
		if (line ~ /\{ *$/)
			inside = word(line) == section
		if (!inside || line !~ /^[ \t]*"[^"]*": *[0-9.]+,? *$/)
			continue
		what = word(line)
		number = line
		sub(/^[ \t]*"[^"]*": */, "", number)
		was[what] = number + 0
		order[++known] = what
	}
}
function row(what, before, after, verdict) {
	printf "%-48s %8s %8s  %s\n", what, before, after, verdict
}
function judge(what, before, after, growth) {
	growth = before > 0 ? (after / before - 1) * 100 : 100 * (after > 0)
	if (after > before * (1 + percent / 100) + 1e-9) {
		bad++
		row(what, before, after, sprintf("GREW by %.1f %%", growth))
	} else if (after < before * (1 - percent / 100)) {
		row(what, before, after, sprintf("ok, %.1f %%: lower the " \
			"baseline", growth))
	} else {
		row(what, before, after, "ok")
	}
}
BEGIN {
	read_baseline()
	row("instructions: " section, "baseline", "now", "")
}
$1 !~ /^[0-9]+(\.[0-9]+)?$/ { bad++; print "not a count: " $0; next }
{
	what = $0
	sub(/^[^ ]+ /, "", what)
	seen[what] = 1
	counts++
	if (what in was)
		judge(what, was[what], $1 + 0)
	else {
		bad++
		row(what, "-", $1, "NOT IN THE BASELINE")
	}
}
END {
	for (i = 1; i <= known; i++)
		if (!(order[i] in seen)) {
			bad++
			row(order[i], was[order[i]], "-", "NOT COUNTED")
		}
	if (!known || !counts)
		bad++
	if (bad)
		print baseline ": if a change is intended, change its " \
			"figures there, and give the reason in the commit"
	exit bad > 0
}'
