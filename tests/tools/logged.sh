#!/bin/sh
# SPDX-License-Identifier: MIT
# The shell of recipes under check.sh: keeps what a target printed and how long
# it took in CHECK_LOGS, and prints it when it ends: logged.sh TARGET RECIPE
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
