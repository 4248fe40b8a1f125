#!/bin/sh
# SPDX-License-Identifier: MIT
# Passes consoles of guests to verdict.sh: some that passed, and one for each
# kind of failure. verdict.sh must count each as it ended, and print the kind of
# failure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
seen=0

# console LINE...: writes what the guest printed, with the line ends of a
# console
console()
{
	printf '[    0.1] booting\r\n' > "$log"
	[ $# = 0 ] || printf '%s\r\n' "$@" >> "$log"
}

# expect STATUS COUNTS TEXT: checks the verdict of this console, if boot.sh has
# exited with STATUS
expect()
{
	said=$(verdict 'rig 6.1 name' 7 "$1" "$log")
	case $said in
	*"$3"*"
counts $2") seen=$((seen + 1)) ;;
	*)
		printf 'vm-runner: wanted "%s" and "counts %s", got:\n%s\n' \
			"$3" "$2" "$said" >&2
		exit 1
		;;
	esac
}

console 'INIT run hw' '3 passed, 0 failed, 1 skipped' 'INIT rc=0'
expect 0 '3 0 1' 'rig 6.1 name: 3 passed, 0 failed, 1 skipped (7 s)'

console 'INIT run hw' 'RUN a::b' 'skipped a::b: no such event' \
	'RUN a::c' '3 passed, 0 failed, 1 skipped' 'INIT rc=0'
expect 0 '3 0 1' '    skipped a::b: no such event'

console 'INIT run hw' 'FAILED a::b' '2 passed, 1 failed, 0 skipped' 'INIT rc=1'
expect 0 '2 1 0' '    FAILED a::b'

console 'INIT run hw' 'the last line'
expect 124 '0 1 0' 'FAILED: no line of its program for long (7 s)'
expect 124 '0 1 0' '    the last line'
expect 0 '0 1 0' 'FAILED: its guest ended without a verdict'

console 'INIT run hw' 'Kernel panic - not syncing: Attempted to kill init!'
expect 0 '0 1 0' 'FAILED: its kernel panicked'

console 'INIT run hw' '3 passed, 0 failed, 0 skipped' 'INIT rc=0' \
	'Internal error: Oops: 96000004 [#1] SMP'
expect 0 '3 1 0' 'FAILED: its kernel panicked'

console
expect 1 '0 1 0' 'FAILED: its guest never started the tests'

console 'INIT run hw' 'INIT rc=139'
expect 0 '0 1 0' 'FAILED: its program was killed by signal 11'

console 'INIT run hw' 'INIT rc=127'
expect 0 '0 1 0' 'FAILED: its program printed no count, exit status 127'

console 'INIT run hw' '0 passed, 0 failed, 4 skipped' 'INIT rc=1'
expect 0 '0 1 4' 'FAILED: no test ran, 4 skipped'

console 'INIT run hw' '3 passed, 0 failed, 0 skipped' 'INIT rc=1'
expect 0 '3 1 0' 'FAILED: its program ended with status 1'

console 'INIT run hw' '3 passed, 1 failed, 0 skipped' 'INIT rc=0'
expect 0 '3 2 0' 'FAILED: its program ended with status 0'

# The counts and the status must be taken from the right lines.
console '3 passed, 0 failed, 0 skipped' 'INIT rc=0'
expect 0 '0 1 0' 'FAILED: its guest never started the tests'

console 'INIT run hw' 'INIT rc=0' '3 passed, 0 failed, 0 skipped'
expect 0 '0 1 0' 'FAILED: its program printed no count, exit status 0'

# run.sh skips the lines of other rigs than those it is given, so it would never
# boot a line with a misspelt rig.
for table in "$here/scenarios.txt" "$here/../../bench/scenarios.txt"; do
	for rig in $(sed 's/#.*//; s/|.*//' "$table" | sort -u); do
		[ -r "$here/rig-$rig.sh" ] || {
			echo "vm-runner: $table: there is no rig '$rig'" >&2
			exit 1
		}
	done
done

printf 'vm-runner: %d verdicts, each as it must be\n' "$seen"
