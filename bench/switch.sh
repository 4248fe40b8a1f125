#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails if a switch of fibers takes more instructions than two snapshots and a
# budget.
#
#	bench/switch.sh PROGRAM SWITCH SNAPSHOT BUDGET TEXT

set -eu
# shellcheck disable=SC2034
program=$1
# shellcheck source=bench/callgrind.sh
. "$(dirname "$0")/callgrind.sh"

turn loop
loop=$each
turn "$3"
snapshots=$((2 * (each - loop)))
turn "$2"
each=$((each - loop - snapshots))
verdict=OVER
if [ "$snapshots" -gt 0 ] && [ "$each" -gt 0 ] && [ "$each" -le "$4" ]; then
	verdict=ok
fi
printf '%-48s %8s %8s  %s\n' "$5" "$4" "$each" $verdict
[ $verdict = ok ]
