#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts user instructions of the paths that need no PMU, for bench/compare.sh:
# lines "COUNT WHAT".
#
#	bench/counts.sh PROGRAM
#
# First visits are excluded, except the first of a process: their cost depends
# on what the process did before.

set -eu
# shellcheck disable=SC2034
program=$1
# shellcheck source=bench/callgrind.sh
. "$(dirname "$0")/callgrind.sh"

# count WHAT TEXT
count() {
	turn "$1"
	printf '%d %s\n' $((each - loop)) "$2"
}

# The instructions of a process with one region, including its exit, minus those
# of a process without a region.
count_start() {
	# The environment is nearly empty, since each of its variables is
	# parsed.
	in_front="env -i PATH=$PATH SELFMON_ENABLE=0"
	one=$(counted start 1)
	none=$(counted start 0)
	in_front=
	printf '%d %s\n' $((${one%% *} - ${none%% *})) "$1"
}

turn loop
loop=$each
[ "$clock" != clock_gettime ] || {
	echo "bench-check: valgrind's CPU has no invariant timestamp counter" >&2
	exit 3
}
count time "region pair, time only"
count nested "region pair inside another function's"
count same "region pair inside another in one function"
count both "regions nested in one function, both pairs"
count children-32 "region pair, 32 children under a place"
count children-1000 "region pair, 1000 children under a place"
count items "region pair that counts items"
count rows "region pair that counts rows"
count two-units "region pair that counts bytes and items"
count span "span pair, time only"
count detached "detached span pair"
count marked "frame mark"
count switched "switch of fibers with two visits open in each"
count switched-1 "switch of fibers with one visit open in each"
count switched-1-software "switch, one visit in each, 4 software events"
count elsewhere "region pair on a coroutine's stack, without kernel"
count off "region pair, switched off at run time"
count_start "first region of the process, SELFMON_ENABLE=0"
count software "region pair, 4 software events, without kernel"
count snapshot "snapshot, 4 software events, without kernel"
count delta "delta of two snapshots, 4 software events"
