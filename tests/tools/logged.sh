#!/bin/sh
# SPDX-License-Identifier: MIT
# The shell of recipes under check.sh: logged.sh TARGET RECIPE. It keeps the
# output of a target and its duration in CHECK_LOGS, and prints the output when
# the target ends.
set -u
logs=$CHECK_LOGS
log=$logs/$1
began=$(date +%s.%N)
env -u CHECK_LOGS TEST_TIMES="$log.tests" sh -c "$2" \
	> "$log.log" 2>&1 < /dev/null
status=$?
echo "$began $(date +%s.%N) $1" | awk '{ print $2 - $1, $3 }' > "$log.time"
[ $status = 0 ] || : > "$log.failed"
flock "$logs" cat "$log.log"
exit $status
