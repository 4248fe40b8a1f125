#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds each example against selfmon_all.h and selfmon_all.c, away from the
# library's sources, and runs it as tests/tools/examples.sh does:
# amalgamation.sh BUILD-DIRECTORY
set -eu
made=$1/amalgamation
shared=$(readlink -f "$1/libselfmon.so")
# The folder is the same in each run, and programs are linked apart, so that ccache
# can keep the objects.
mkdir -p "$1/tests/amalgamation"
scratch=$(cd "$1/tests/amalgamation" && pwd)
rm -rf "$scratch"
mkdir "$scratch"
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla -Werror'
compilers=

fail()
{
	printf 'amalgamation: %s\n' "$1" >&2
	exit 1
}

# compile SOURCE OBJECT FLAG...: compiles a C source with $cc, or a C++ source
# with $cxx
compile()
{
	source=$1
	object=$2
	shift 2
	# shellcheck disable=SC2086 # warnings are several words
	case $source in
	*.cc) $cxx -std=c++17 -O1 $warnings -I. -pthread "$@" -c "$source" \
		-o "$object" ;;
	*) $cc -std=c11 -O2 $warnings -I. -pthread "$@" -c "$source" \
		-o "$object" ;;
	esac || fail "$cc: $source does not compile"
}

# link SOURCE OBJECT... -o PROGRAM
link()
{
	source=$1
	shift
	case $source in
	*.cc) $cxx -pthread "$@" ;;
	*) $cc -pthread "$@" ;;
	esac || fail "$cc: $source does not link"
}

# Copies the library's files and the examples, which then include these files.
cp "$made"/selfmon_all* "$scratch"
mkdir "$scratch/fibers"
for example in examples/*.c examples/*.cc examples/fibers/*.c; do
	sed 's|#include <selfmon\([._].*\)>|#include "selfmon_all\1"|' \
		"$example" > "$scratch/${example#examples/}"
	grep -q '"selfmon_all[._]' "$scratch/${example#examples/}" ||
		fail "$example does not include selfmon.h"
done

tests=$PWD/tests/tools/examples.sh
cd "$scratch"
for cc in gcc clang; do
	cxx=g++
	[ $cc = gcc ] || cxx=clang++
	if ! command -v $cc > /dev/null || ! command -v $cxx > /dev/null; then
		printf 'amalgamation: skipped for %s: not installed\n' $cc
		continue
	fi
	rm -rf on off ./*.o library.so
	mkdir -p on/fibers off/fibers
	compile selfmon_all.c library.o -Wstrict-prototypes -Wmissing-prototypes
	strangers=$(nm -g --defined-only library.o |
		awk '{ print $3 }' | grep -v '^selfmon_' || true)
	[ -z "$strangers" ] || fail "global, and not selfmon_*: $strangers"
	compile selfmon_all.c shared.o -DSELFMON_DISABLE -fPIC
	$cc -shared shared.o -Wl,-z,defs -pthread -o library.so
	nm -D --defined-only library.so | awk '{ print $3 }' | sort > exported
	nm -D --defined-only "$shared" | awk '{ print $3 }' |
		sed 's/@.*//' | grep -v '^SELFMON_' | sort | diff - exported ||
		fail "$cc: it exports something else than libselfmon.so"
	for example in *.c *.cc fibers/*.c; do
		[ "$example" != selfmon_all.c ] || continue
		compile "$example" example.o
		link "$example" example.o library.o -o "on/${example%.*}"
		[ "$example" != sums.c ] || continue # a benchmark
		compile "$example" example.o -DSELFMON_DISABLE
		link "$example" example.o -o "off/${example%.*}"
	done
	"$tests" on off > result || fail "$cc: an example fails"
	compilers="$compilers $cc"
done
printf 'amalgamation: two files without a warning by%s, every example runs\n' \
	"$compilers"
