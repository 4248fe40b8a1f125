#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares instruction counts with the baseline. Unlike times, they are exact.
#
#	bench/check.sh native PROGRAM COMPILER FLAGS
#	bench/check.sh guest PROGRAMS
#
# Counts are valid for one compiler and its flags. With others this script only
# prints the counts, and fails if BENCH_MUST=1.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
baseline=${BENCH_BASELINE:-$here/baseline.json}
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT

skip()
{
	echo "bench-check: skipped, $*"
	exit "${BENCH_MUST:-0}"
}

# built_by COMPILER FLAGS: "gcc 12 -O2 -g x86_64"
built_by()
{
	# shellcheck disable=SC2086 # a compiler may be several words
	version=$($1 -v 2>&1 |
		sed -n 's/.*\(gcc\|clang\) version \([0-9]*\).*/\1 \2/p')
	echo "$version $2 $(uname -m)"
}

native()
{
	command -v valgrind > /dev/null || skip "valgrind is not there"
	"$here/counts.sh" "$1" > "$counts" || {
		[ $? != 3 ] || skip "the counts would be another clock's"
		exit 1
	}
	built=$(built_by "$2" "$3")
	grep -q "\"built\": \"$built\"" "$baseline" || {
		cat "$counts"
		skip "the baseline is not of $built"
	}
	"$here/compare.sh" "$baseline" callgrind < "$counts"
	"$here/budget.sh" "$1-shared" detached 70 \
		"detached span pair, shared library"
	"$here/budget.sh" "$1-shared" marked 130 "frame mark, shared library"
	"$here/budget.sh" "$1-shared" time 82 "region pair, shared library"
	"$here/budget.sh" "$1-inlined" time 66 "region pair, inlined"
	for form in "" -shared -inlined; do
		"$here/budget.sh" "$1$form" recorded 82 \
			"region pair, recorded${form:+, ${form#-}}"
		"$here/budget.sh" "$1$form" recorded-inner 82 \
			"inner region pair, recorded${form:+, ${form#-}}"
		"$here/budget.sh" "$1$form" traced 115 \
			"region pair, traced${form:+, ${form#-}}"
		"$here/budget.sh" "$1$form" recorded-sampled 130 \
			"region pair, recorded, sampled${form:+, ${form#-}}"
	done
	# Samples may add at most 15 instructions to a pair.
	"$here/budget.sh" "$1" sampled 95 "region pair, sampled"
	"$here/budget.sh" "$1-shared" sampled 92 "region pair, sampled, shared"
	"$here/budget.sh" "$1-inlined" sampled 81 "region pair, sampled, inlined"
	"$here/budget.sh" "$1" both-rings 95 "region pair, sampled, @offcpu"
	"$here/budget.sh" "$1-inlined" both 145 \
		"regions nested in one function, inlined, both pairs"
	for form in shared inlined; do
		"$here/budget.sh" "$1-$form" children-1000 110 \
			"region pair, 1000 children under a place, $form"
	done
	switch="switch beyond two snapshots, a visit in each"
	for form in "" -shared; do
		"$here/budget.sh" "$1$form" switched 150 \
			"switch of fibers, two visits in each${form:+, ${form#-}}"
		"$here/switch.sh" "$1$form" switched-1-software snapshot 192 \
			"$switch, 4 software events${form:+, ${form#-}}"
	done
	"$here/memory.sh" "$(dirname "$1")/bench"
	"$here/lines.sh" "$1" time 10
	user=$(dirname "$1")/user
	[ -x "$user" ] || return 0
	"$here/lines.sh" "$user" user 13
	"$here/switch.sh" "$user" switched-1 snapshot 176 \
		"$switch, 4 counters read in user space"
}

# The guest's programs have their own flags: tests/vm/vm.mk.
guest()
{
	VM_TABLE=$here/scenarios.txt VM_SCENARIO=cost \
		"$here/../tests/vm/run.sh" check "$1" x86-64 > "$counts.log" || {
		cat "$counts.log"
		rm "$counts.log"
		exit 1
	}
	sed -n 's/^ *cost: \(.*\): \([0-9.]*\) instructions$/\2 \1/p' \
		"$counts.log" > "$counts"
	rm "$counts.log"
	"$here/compare.sh" "$baseline" "x86-64 guest" < "$counts"
}

case ${1:-}:$# in
native:4) native "$2" "$3" "$4" ;;
guest:2) guest "$2" ;;
*)
	echo "usage: bench/check.sh native PROGRAM CC FLAGS|guest PROGRAMS" >&2
	exit 2
	;;
esac
