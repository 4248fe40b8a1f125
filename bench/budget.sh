#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails if one operation takes more instructions than its budget.
#
#	bench/budget.sh PROGRAM WHAT BUDGET TEXT

set -eu
# shellcheck disable=SC2034
program=$1
# shellcheck source=bench/callgrind.sh
. "$(dirname "$0")/callgrind.sh"

turn loop
loop=$each
turn "$2"
if [ "$clock" = 'no ring' ]; then
	printf '%-48s %8s %8s  %s\n' "$4" "$3" - 'skipped, no ring buffer here'
	exit "${BENCH_MUST:-0}"
fi
each=$((each - loop))
verdict=OVER
if [ "$each" -gt 0 ] && [ "$each" -le "$3" ]; then
	verdict=ok
fi
printf '%-48s %8s %8s  %s\n' "$4" "$3" "$each" $verdict
[ $verdict = ok ]
