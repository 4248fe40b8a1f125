#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles and tests selfmon.hpp with each compiler, each standard and each
# option that changes the header. Then compares the machine code of its regions
# with that of the macros: cxx.sh BUILD-DIRECTORY LIBRARY...
set -eu
build=$1/tests/programs/cxx
shift
mkdir -p "$build"
flags='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla
-Werror -Iinclude -pthread'
programs=0

fail()
{
	printf 'cxx: %s\n' "$1" >&2
	exit 1
}

# program COMPILER FLAG...: builds and runs the tests. Linked apart, so that ccache
# can keep the objects.
program()
{
	compiler=$1
	shift
	rm -f "$build"/*.o "$build/run"
	for source in main off other regions sets; do
		# shellcheck disable=SC2086 # a list of words
		$compiler $flags "$@" -c tests/programs/cxx/$source.cc \
			-o "$build/$source.o" ||
			fail "$compiler $*: $source.cc does not compile"
	done
	# shellcheck disable=SC2086 # a list of words
	$compiler "$build"/*.o $libraries -pthread -o "$build/run" ||
		fail "$compiler $*: does not link"
	SELFMON_OUTPUT=none "$build/run" || fail "$compiler $*: fails"
	programs=$((programs + 1))
}

# google COMPILER: the columns of selfmon_google_benchmark.hpp, if the benchmark
# library is installed
google()
{
	if ! echo '#include <benchmark/benchmark.h>' |
		$1 -std=c++17 -fsyntax-only -x c++ - 2> /dev/null; then
		printf 'cxx: skipped for google-benchmark: not installed\n'
		return
	fi
	rm -f "$build/google"
	# shellcheck disable=SC2086 # lists of words
	{
		$1 -std=c++17 $flags -c tests/programs/cxx/google.cc \
			-o "$build/google.o" &&
			$1 "$build/google.o" \
				-Wl,--wrap=selfmon_counters_delta $libraries \
				-lbenchmark -pthread -o "$build/google"
	} || fail "$1: google.cc does not build"
	SELFMON_OUTPUT=none "$build/google" > "$build/google.out" 2>&1 || {
		cat "$build/google.out" >&2
		fail "$1: google.cc fails"
	}
	programs=$((programs + 1))
}

# instructions FUNCTION: prints the mnemonics of its instructions up to the
# first return. Compilers place unlikely code after the return.
instructions()
{
	objdump -d --no-show-raw-insn --no-addresses "$build/cost.o" |
		awk -v name="<$1>:" '$0 == name { inside = 1; next }
			inside && /^$/ { exit }
			inside { sub(/[<#].*/, ""); print $1 }
			inside && $1 == "ret" { exit }'
}

# same COMPILER A B: checks that function B has at most as many instructions as
# function A, which has at least one
same()
{
	instructions "$2" > "$build/a"
	instructions "$3" > "$build/b"
	[ -s "$build/a" ] || fail "$1: $2 has no instructions"
	[ "$(wc -l < "$build/b")" -le "$(wc -l < "$build/a")" ] ||
		fail "$1: $3 has $(wc -l < "$build/b") instructions, \
$2 has $(wc -l < "$build/a")"
}

libraries=$*
for compiler in g++ clang++; do
	if ! command -v $compiler > /dev/null; then
		printf 'cxx: skipped for %s: not installed\n' $compiler
		continue
	fi
	for standard in c++17 c++20; do
		program $compiler -std=$standard
		program $compiler -std=$standard -fno-exceptions
		program $compiler -std=$standard -DSELFMON_DISABLE
	done
	program $compiler -std=c++17 -O2
	google $compiler

	for standard in c++17 c++20; do
		# shellcheck disable=SC2086
		$compiler -std=$standard $flags -O2 -c tests/programs/cxx/cost.cc \
			-o "$build/cost.o"
		same $compiler by_macro by_class
		same $compiler by_macro_of by_class_of
		# shellcheck disable=SC2086
		$compiler -std=$standard $flags -O2 -DSELFMON_DISABLE \
			-c tests/programs/cxx/cost.cc -o "$build/cost.o"
		same $compiler by_macro by_class
		nm "$build/cost.o" | grep selfmon_ &&
			fail "$compiler: something is left when compiled off"
	done
done
printf 'cxx: %d programs with selfmon.hpp, regions as short as the macros\n' \
	$programs
