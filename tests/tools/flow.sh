#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests control flow: flow.sh BUILD-DIRECTORY LIBRARY...
#
# Each installed compiler compiles tests/programs/flow as C and C++, with and
# without optimisation: measured, inlined (SELFMON_STATIC) and with
# SELFMON_DISABLE. All warnings are errors. Each program must print
# tests/programs/flow/expected.txt, and its report must have the visits that
# were made. An END without its BEGIN must not compile, and neither must a jump
# past the beginning of a region. The quick form (tests/form.h) takes one
# compiler of each language and its first standard, and leaves out inlined
# programs.
set -eu
build=$1
shift
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla -Werror'
mkdir -p "$build/tests/programs/flow"
programs=0
jumps=0
languages=
# With these options, clang acts like a compiler without GNU C.
other='-fgnuc-version=0 -DSELFMON_DISABLE -Wno-pedantic'

# try COMPILER LANGUAGE STANDARD LEVEL FLAGS [LIBRARY...]: builds and runs the
# program. Without a library, FLAGS must turn regions off. Compiles and links in
# separate steps, so that ccache can keep the objects.
try()
{
	compiler=$1 language=$2 standard=$3 level=$4 flag=$5
	shift 5
	suffix=${flag:+-inlined}
	[ $# -gt 0 ] || suffix=-off
	program=$build/tests/programs/flow/$compiler-$standard$level$suffix

	for source in check flow other; do
		# shellcheck disable=SC2086 # warnings and flags are several words
		$compiler -x "$language" -std="$standard" $warnings $flag \
			"$level" -g -Iinclude -Itests/programs/flow \
			-c tests/programs/flow/$source.c -o "$program.$source.o"
	done
	$compiler "$program".*.o "$@" -pthread -o "$program"
	SELFMON_OUTPUT=none "$program" > "$program.txt"
	diff -u tests/programs/flow/expected.txt "$program.txt" ||
		{ printf 'flow: %s goes another way\n' "$program" >&2; exit 1; }
	SELFMON_OUTPUT=none "$program" --visits > /dev/null ||
		{ printf 'flow: %s: see above\n' "$program" >&2; exit 1; }
	programs=$((programs + 1))

	if printf '#include <selfmon.h>\nvoid f(void) { SELFMON_END(x); }' |
		$compiler -x "$language" -std="$standard" $flag \
			-Iinclude -fsyntax-only - 2> /dev/null; then
		printf 'flow: an END without a BEGIN compiles\n' >&2
		exit 1
	fi
}

# quiet COMPILER LANGUAGE STANDARD: checks that there is no warning at any level
# (quick form: at two)
quiet()
{
	casts=
	[ "$2" = c ] || casts='-Wold-style-cast -Wzero-as-null-pointer-constant'
	levels='-O0 -Og -O1 -O2 -O3 -Os'
	[ -n "${TEST_FORM:-}" ] || levels='-O0 -O2'
	for level in $levels; do
		for flag in -USELFMON_DISABLE -DSELFMON_DISABLE; do
			# shellcheck disable=SC2086 # warnings are several words
			"$1" -x "$2" -std="$3" $warnings $casts $level $flag \
				-Iinclude -c tests/programs/flow/compiled/quiet.c \
				-o /dev/null || {
				printf 'flow: %s %s %s: a warning\n' "$1" "$3" \
					"$level" >&2
				exit 1
			}
		done
	done
}

# compiled COMPILER LANGUAGE STANDARD FLAG...: compiles jumps.c; messages go to
# the file errors
compiled()
{
	compiler=$1 language=$2 standard=$3
	shift 3
	# shellcheck disable=SC2086 # warnings are several words
	$compiler -x "$language" -std="$standard" $warnings "$@" -Iinclude \
		-fsyntax-only tests/programs/flow/compiled/jumps.c \
		2> "$build/tests/programs/flow/errors"
}

# refuses COMPILER LANGUAGE STANDARD: checks that the compiler reports each jump
# past a region's beginning, in its own words, and no other jump
refuses()
{
	words='jump(s)? into scope of identifier with variably modified type'
	words="$words|jump to (case )?label|cannot jump from"
	for jump in 1 2 3 4 5 6 7 8 9; do
		if compiled "$@" -DJUMP=$jump -DPAST; then
			printf 'flow: %s: jump %s past a region compiles\n' \
				"$*" "$jump" >&2
			exit 1
		fi
		if ! grep -Eq "error: (switch )?($words)" "$build/tests/programs/flow/errors" ||
			! compiled "$@" -DJUMP=$jump; then
			cat "$build/tests/programs/flow/errors" >&2
			printf 'flow: %s: jump %s: see above\n' "$*" "$jump" >&2
			exit 1
		fi
		jumps=$((jumps + 1))
	done
}

for compiler in gcc clang g++ clang++; do
	if ! command -v $compiler > /dev/null; then
		printf 'flow: skipped for %s: not installed\n' $compiler
		continue
	fi
	case $compiler in
	*++) language=c++ standards='c++11 c++17 c++20' ;;
	*) language=c standards='c11 gnu11 gnu17 c2x' ;;
	esac
	if [ -z "${TEST_FORM:-}" ]; then
		case $languages in *"$language "*) continue ;; esac
		standards=${standards%% *}
	fi
	languages="$languages$language "
	for standard in $standards; do
		refuses $compiler $language "$standard"
		quiet $compiler $language "$standard"
	done
	for standard in $standards; do
		case $standard in c++17 | gnu17 | c2x) continue ;; esac
		for level in -O0 -O2; do
			try $compiler $language "$standard" $level '' "$@"
			try $compiler $language "$standard" $level \
				-DSELFMON_DISABLE
		done
		[ -z "${TEST_FORM:-}" ] || try $compiler $language \
			"$standard" -O2 -DSELFMON_STATIC "$@"
		case $compiler in
		clang*) try $compiler $language "$standard" -O0 "$other" ;;
		esac
	done
done
printf 'flow: %d programs, all of one mind; %d jumps past a region refused\n' \
	$programs $jumps
