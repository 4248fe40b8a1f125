#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests functions that enter on one thread and leave on another: migrate.sh
# BUILD-DIRECTORY ARM64-BUILD-DIRECTORY
#
# The functions are compiled by each compiler and at each optimisation level, in
# programs and in shared objects, for this machine and for arm64 (qemu-user).
#
# Each variant is compiled a second time with -DNAIVE: its functions take an
# address that compilers may keep across the move to another thread. If no naive
# variant detects a kept address, the test itself is broken, and fails.
set -eu
build=$1/tests/programs/migrate
here=$1
arm64=$2
mkdir -p "$build"
sources=tests/programs/migrate
flags='-std=gnu11 -g -Wall -Wextra -Wconversion -Werror -pthread'
single="-std=gnu11 -w -pthread -DSELFMON_SINGLE -I$build/single
-I$here/amalgamation"
passed=0
refused=0
naive=0

fail()
{
	printf 'migrate: %s\n' "$1" >&2
	exit 1
}

# ran WHAT: runs the program. Returns 3 if a function used an address that it
# had kept across the move.
ran()
{
	status=0
	# shellcheck disable=SC2086 # a command and its options, or nothing
	SELFMON_OUTPUT=none $run "$build/run" || status=$?
	[ $status = 0 ] || [ $status = 3 ] || fail "$1: exit status $status"
	return $status
}

# judge WHAT: the program must pass
judge()
{
	ran "$1" || fail "$1: a function saw the thread that it had left"
	passed=$((passed + 1))
}

# judge_naive WHAT: the program may return 3
judge_naive()
{
	naive=$((naive + 1))
	ran "$1" || refused=$((refused + 1))
}

# compiled COMPILER FLAG...: makes functions.o and migrate.o. Linked apart, so
# that ccache can keep the objects.
compiled()
{
	rm -f "$build"/*.o "$build/functions.so" "$build/run"
	for source in functions migrate; do
		# shellcheck disable=SC2086 # lists of words
		"$@" $flags -Iinclude -c $sources/$source.c \
			-o "$build/$source.o" ||
			fail "$*: $source.c does not compile"
	done
}

# in_program LIBRARY COMPILER FLAG...
in_program()
{
	library=$1
	shift
	for define in '' -DNAIVE; do
		# shellcheck disable=SC2086 # nothing, or a word
		compiled "$@" $define
		"$@" -pthread "$build/functions.o" "$build/migrate.o" \
			"$library" -o "$build/run" || fail "$* does not link"
		if [ "$define" ]; then
			judge_naive "$*"
		else
			judge "$*"
		fi
	done
}

# in_object LIBRARY-DIRECTORY COMPILER FLAG...
in_object()
{
	folder=$(cd "$1" && pwd)
	shift
	for define in '' -DNAIVE; do
		# shellcheck disable=SC2086 # nothing, or a word
		compiled "$@" $define -fPIC
		"$@" -shared "$build/functions.o" -o "$build/functions.so" ||
			fail "$* -fPIC -shared does not link"
		"$@" -pthread -pie "$build/migrate.o" \
			"$build/functions.so" "$folder/libselfmon.so" \
			-Wl,-rpath,"$folder" -o "$build/run" ||
			fail "$* -fPIC does not link"
		if [ "$define" ]; then
			judge_naive "$* -fPIC"
		else
			judge "$* -fPIC"
		fi
	done
}

# in_one_file COMPILER FLAG...: the library is in the program's own code. One
# source includes all others, so -fwhole-program inlines as much as -flto.
in_one_file()
{
	rm -f "$build"/*.o "$build/run"
	# shellcheck disable=SC2086 # a list of words
	"$@" $single -fwhole-program -I. -c "$build/single/one.c" \
		-o "$build/one.o" || fail "$* -fwhole-program does not compile"
	"$@" -pthread "$build/one.o" -o "$build/run" ||
		fail "$* -fwhole-program does not link"
	judge "$* -fwhole-program"
}

# by_link COMPILER FLAG...: the linker puts the library into the program's code
by_link()
{
	rm -f "$build"/*.o "$build/run"
	for source in $sources/functions.c $sources/migrate.c \
		"$here/amalgamation/selfmon_all.c"; do
		object=${source##*/}
		# shellcheck disable=SC2086 # a list of words
		"$@" $single -flto -c "$source" -o "$build/${object%.c}.o" ||
			fail "$*: $source does not compile with -flto"
	done
	"$@" -flto -w -pthread "$build"/*.o -o "$build/run" ||
		fail "$* -flto does not link"
	judge "$* -flto"
}

# skipped COMPILER: succeeds with a message if the compiler is missing, or lacks
# the headers of its machine
skipped()
{
	# shellcheck disable=SC2086 # a compiler may be several words
	if echo 'int main(void) { return 0; }' |
		$1 -x c - -o "$build/run" 2> "$build/log"; then
		return 1
	fi
	printf 'migrate: skipped for %s: not installed\n' "$1"
}

mkdir -p "$build/single"
echo '#include "selfmon_all.h"' > "$build/single/selfmon.h"
for source in selfmon_all.c $sources/functions.c $sources/migrate.c; do
	printf '#include "%s"\n' "$source"
done > "$build/single/one.c"

run=
for compiler in gcc clang; do
	! skipped $compiler || continue
	for level in -O0 -O2 -O3; do
		in_program "$here/libselfmon.a" $compiler $level
		in_program "$here/libselfmon.a" $compiler $level -fPIC
		in_program "$here/libselfmon.a" $compiler $level \
			-DSELFMON_STATIC
		in_object "$here" $compiler $level
	done
done
for level in -O2 -O3; do
	in_one_file gcc $level
done
by_link gcc -O2

gcc='aarch64-linux-gnu-gcc'
run='qemu-aarch64 -L /usr/aarch64-linux-gnu'
if ! command -v qemu-aarch64 > /dev/null; then
	echo 'migrate: skipped for arm64: qemu-aarch64 is not installed'
elif ! skipped "$gcc"; then
	for compiler in "$gcc" 'clang --target=aarch64-linux-gnu'; do
		! skipped "$compiler" || continue
		for level in -O0 -O2 -O3; do
			# shellcheck disable=SC2086 # several words
			in_program "$arm64/libselfmon.a" $compiler $level
			# shellcheck disable=SC2086 # several words
			in_program "$arm64/libselfmon.a" $compiler $level \
				-fPIC
			# shellcheck disable=SC2086 # several words
			in_object "$arm64" $compiler $level
		done
	done
	for level in -O2 -O3; do
		in_one_file "$gcc" $level
	done
fi
[ $refused -gt 0 ] || fail "no kept address was noticed, of $naive"
printf 'migrate: %d programs passed; %d of %d that keep an address refused\n' \
	$passed $refused $naive
