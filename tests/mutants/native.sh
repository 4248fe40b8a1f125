#!/bin/sh
# SPDX-License-Identifier: MIT
# native.sh BUILD [NAME...]: does the same as run.sh, but on this machine, for
# mutants that need no counters of a CPU.
#
# The head of each native/NAME.patch has lines "Kills: PROGRAM SUITE/TEST..." (a
# Criterion program of tests/) or "Kills: make TARGET...". All tests and targets
# named there must fail with the patch. "What:" says what the patch changes. The
# unchanged library must pass the same tests before. The script fails if a
# mutant survives, if a patch no longer applies or builds, or if no mutant is
# killed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)/native
source=$(cd "$here/../../.." && pwd)
. "$here/../common.sh"

# build TARGET...
build()
{
	make -s -j "$(nproc)" -C "$work/tree" O=build "$@" \
		> "$work/build.log" 2>&1
}

# programs_of NAME: prints the targets to build for it
programs_of()
{
	head_of Kills "$1" | awk '
		$1 == "make" { print "lib"; next }
		{ print "build/tests/" $1 "/run" }' | sort -u
}

# tests_of NAME...: prints lines of PROGRAM TEST
tests_of()
{
	for one; do
		head_of Kills "$one" | awk '{
			for (i = 2; i <= NF; i++) print $1, $i }'
	done | sort -u
}

# Time limits of a target and of a test, because a mutant may hang.
TARGET_SECONDS=${TARGET_SECONDS:-300}
TEST_SECONDS=${TEST_SECONDS:-60}

# Kills processes that a mutant has left in a loop or waiting forever.
end_what_is_left()
{
	for link in /proc/[0-9]*/exe; do
		case $(readlink "$link" 2> /dev/null) in
		"$work"/tree/*)
			pid=${link#/proc/}
			kill -9 "${pid%/exe}" 2> /dev/null || :
		esac
	done
}

# run_test PROGRAM TEST: prints passed, failed, skipped or lost
run_test()
{
	status=0
	if [ "$1" = make ]; then
		timeout -k 5 "$TARGET_SECONDS" make -s -C "$work/tree" O=build \
			"$2" > "$work/log" 2>&1 || status=$?
		if [ $status = 0 ] && grep -q '^\[SKIP\] check-selftest-' \
			"$work/log"; then
			echo skipped
		elif [ $status = 0 ]; then
			echo passed
		else
			end_what_is_left
			echo failed
		fi
		return
	fi
	SELFMON_OUTPUT=none timeout -k 5 "$TEST_SECONDS" \
		"$work/tree/build/tests/$1/run" --verbose=1 --jobs 1 \
		--filter "$2" > "$work/log" 2>&1 || status=$?
	if [ $status != 0 ]; then
		end_what_is_left
		echo failed
	elif grep -q '^\[PASS\]' "$work/log"; then
		echo passed
	elif grep '^\[SKIP\]' "$work/log" | grep -qv 'Test is disabled'; then
		echo skipped
	else
		echo lost
	fi
}

# Runs each named test with the unchanged library.
run_unchanged()
{
	tests_of "$@" > "$work/tests"
	# shellcheck disable=SC2046 # several programs
	build $(for one; do programs_of "$one"; done | sort -u) ||
		{ cat "$work/build.log" >&2; die "the library does not build"; }
	: > "$work/skipped"
	while read -r program test; do
		case $(run_test "$program" "$test" < /dev/null) in
		passed) ;;
		skipped) echo "$program $test" >> "$work/skipped" ;;
		lost) die "there is no test $test in $program" ;;
		*) cat "$work/log" >&2; die "the unchanged library fails $test" ;;
		esac
	done < "$work/tests"
}

# judge NAME: runs the tests with the patched library
judge()
{
	survived='' failed=''
	tests_of "$1" | grep -vxF -f "$work/skipped" > "$work/tests" || :
	while read -r program test; do
		if [ "$(run_test "$program" "$test" < /dev/null)" = failed ]; then
			failed="$failed $test"
		else
			survived="$survived $test"
		fi
	done < "$work/tests"
	if [ -n "$survived" ]; then
		result SURVIVED "$1" "$(head_of What "$1") Not noticed by$survived"
	elif [ -z "$failed" ]; then
		result skipped "$1" "its tests are skipped on this machine"
	else
		result killed "$1" "$(head_of What "$1")"
	fi
}

# Objects do not depend on the Makefile's text, so a patch of it rebuilds them.
forget_objects()
{
	if grep -q '^+++ b/Makefile' "$here/$1.patch"; then
		rm -rf "$work/tree/build"
	fi
}

mutate()
{
	apply "$1" || return 0
	forget_objects "$1"
	# shellcheck disable=SC2046
	if build $(programs_of "$1"); then
		judge "$1"
	else
		no_longer_builds "$1"
	fi
	take_back "$1"
	forget_objects "$1"
}

work=$(mkdir -p "$1" && cd "$1" && pwd)/mutants-native
shift
make_tree
: > "$work/results"
[ $# -gt 0 ] || set -- "$here"/*.patch
names=
for mutant; do
	mutant=$(basename "$mutant" .patch)
	[ -r "$here/$mutant.patch" ] || die "there is no mutant '$mutant'"
	names="$names $mutant"
done
# shellcheck disable=SC2086 # names have no spaces
run_unchanged $names
for mutant in $names; do
	mutate "$mutant"
done
awk '{ n[$1]++ } END {
	printf "%d killed, %d survived, %d stale, %d skipped\n", n["killed"],
		n["SURVIVED"], n["stale"], n["skipped"]
	exit n["killed"] + n["skipped"] != NR || n["killed"] == 0
}' "$work/results"
