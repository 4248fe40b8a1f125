#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests regions in C++20 coroutines: coroutine.sh BUILD-DIRECTORY LIBRARY...
#
# The programs are compiled by each compiler, at each optimisation level, and
# with visits called and inlined. The quick form (tests/form.h) compiles each
# program once. Races between threads are in the library, which is the same for
# all programs. So only the programs of -O2 have the full number of jobs.
set -eu
build=$1/tests/programs/coroutine
shift
mkdir -p "$build"
flags='-std=c++20 -g -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
-Iinclude -pthread'
programs=0
form=${TEST_FORM:-}

fail()
{
	printf 'coroutine: %s\n' "$1" >&2
	exit 1
}

# try LIBRARIES COMPILER FLAG...: runs with only time, with events, and with one
# visit in 10 measured. Compiles and links in separate steps, so that ccache can
# keep the objects.
try()
{
	libraries=$1
	shift
	for source in coroutine fibers; do
		# shellcheck disable=SC2086 # lists of words
		{
			"$@" $flags -c tests/programs/coroutine/$source.cc \
				-o "$build/run.o" &&
				"$@" $flags "$build/run.o" $libraries \
					-o "$build/run"
		} || fail "$*: $source does not build"
		for events in none page-faults,task-clock; do
			SELFMON_OUTPUT=none SELFMON_EVENTS=$events \
				TEST_FORM=$jobs "$build/run" ||
				fail "$*: $source fails with events $events"
		done
		SELFMON_OUTPUT=none SELFMON_EVERY=10 TEST_FORM=$jobs \
			"$build/run" ||
			fail "$*: $source fails with one visit in 10"
		programs=$((programs + 1))
	done
}

if [ -z "$form" ]; then
	jobs=
	try "$*" g++ -O2
else
	for compiler in g++ clang++; do
		if ! command -v $compiler > /dev/null; then
			printf 'coroutine: skipped for %s: not installed\n' \
				$compiler
			continue
		fi
		jobs=$form
		try "$*" $compiler -O2
		try "$*" $compiler -O2 -DSELFMON_STATIC
		jobs=
		for level in -O0 -O1 -O3 '-O2 -fPIC' \
			'-O2 -fno-omit-frame-pointer'; do
			# shellcheck disable=SC2086 # one or two words
			try "$*" $compiler $level
		done
	done
fi
printf 'coroutine: %d programs, no visit cut off\n' $programs
