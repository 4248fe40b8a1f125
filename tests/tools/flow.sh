#!/bin/sh
# SPDX-License-Identifier: MIT
# The control-flow test: flow.sh BUILD-DIRECTORY LIBRARY...
#
# tests/flow compiled as C and C++, measured and with SELFMON_DISABLE, by
# each compiler that is there, all warnings being errors. Each program prints
# tests/flow/expected.txt; the report of each has the visits that were made.
# And an END without its BEGIN does not compile.
set -eu
build=$1
shift
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Werror'
mkdir -p "$build/tests/flow"
programs=0

# try COMPILER LANGUAGE STANDARD [FLAG]; the rest of the arguments: what to
# link with
try()
{
	compiler=$1 language=$2 standard=$3 flag=$4
	shift 4
	program=$build/tests/flow/$compiler-$standard${flag:+-off}

	# shellcheck disable=SC2086 # warnings are several words
	$compiler -x "$language" -std="$standard" $warnings ${flag:+"$flag"} \
		-O2 -g -Iinclude -Itests/flow tests/flow/*.c -x none "$@" \
		-pthread -o "$program"
	SELFMON_OUTPUT=none "$program" > "$program.txt"
	diff -u tests/flow/expected.txt "$program.txt" ||
		{ printf 'flow: %s goes another way\n' "$program" >&2; exit 1; }
	SELFMON_OUTPUT=none "$program" --visits > /dev/null ||
		{ printf 'flow: %s: see above\n' "$program" >&2; exit 1; }
	programs=$((programs + 1))

	if printf '#include <selfmon.h>\nvoid f(void) { SELFMON_END(x); }' |
		$compiler -x "$language" -std="$standard" ${flag:+"$flag"} \
			-Iinclude -fsyntax-only - 2> /dev/null; then
		printf 'flow: an END without a BEGIN compiles\n' >&2
		exit 1
	fi
}

for compiler in gcc clang g++ clang++; do
	if ! command -v $compiler > /dev/null; then
		printf 'flow: skipped for %s: not installed\n' $compiler
		continue
	fi
	case $compiler in
	*++) language=c++ standards='c++17 c++20' ;;
	*) language=c standards='c11 gnu11' ;;
	esac
	for standard in $standards; do
		try $compiler $language "$standard" '' "$@"
		try $compiler $language "$standard" -DSELFMON_DISABLE "$@"
	done
done
printf 'flow: %d programs, all of one mind\n' $programs
