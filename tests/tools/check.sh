#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a make command whose recipes write logs into FOLDER by logged.sh. Then
# prints the time of each target, the slowest tests, and the output of failed
# targets once more: check.sh FOLDER COMMAND...
set -eu
logs=$1
shift
rm -rf "$logs"
mkdir -p "$logs"
began=$(date +%s)
status=0
CHECK_LOGS=$logs "$@" || status=$?
took=$(($(date +%s) - began))

# slowest COUNT FILE...: prints the largest of the lines "SECONDS NAME"
slowest()
{
	count=$1
	shift
	cat "$@" 2> /dev/null | LC_ALL=C sort -rn | head -n "$count" |
		awk '{ printf "%8.1f s  %s\n", $1, $2 }'
}

echo 'Time of each:'
slowest 1000 "$logs"/*.time
echo 'The slowest tests:'
slowest 10 "$logs"/*.tests
for failed in "$logs"/*.failed; do
	[ -e "$failed" ] || continue
	printf '==== %s: FAILED ====\n' "$(basename "$failed" .failed)"
	cat "${failed%.failed}.log"
done
printf '%s: %d targets in %d s, %d failed\n' "$(basename "$logs")" \
	"$(find "$logs" -name '*.time' | wc -l)" "$took" \
	"$(find "$logs" -name '*.failed' | wc -l)"
exit "$status"
