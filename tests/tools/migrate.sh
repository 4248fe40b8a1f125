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

# in_program LIBRARY COMPILER FLAG...
in_program()
{
	library=$1
	shift
	for define in '' -DNAIVE; do
		# shellcheck disable=SC2086 # lists of words
		"$@" $define $flags -Iinclude $sources/functions.c \
			$sources/migrate.c "$library" $ldflags \
			-o "$build/run" || fail "$* does not build"
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
		# shellcheck disable=SC2086 # lists of words
		"$@" $define $flags -fPIC -shared -Iinclude \
			$sources/functions.c -o "$build/functions.so" ||
			fail "$* -fPIC -shared does not build"
		# shellcheck disable=SC2086 # lists of words
		"$@" $flags -fPIE -pie -Iinclude $sources/migrate.c \
			"$build/functions.so" "$folder/libselfmon.so" \
			-Wl,-rpath,"$folder" -o "$build/run" ||
			fail "$* -fPIC does not build"
		if [ "$define" ]; then
			judge_naive "$* -fPIC"
		else
			judge "$* -fPIC"
		fi
	done
}

# in_one_file COMPILER FLAG...: the library is in the program's own code
in_one_file()
{
	mkdir -p "$build/single"
	echo '#include "selfmon_all.h"' > "$build/single/selfmon.h"
	"$@" -std=gnu11 -w -pthread -flto -DSELFMON_SINGLE \
		-I"$build/single" -I"$here/amalgamation" \
		$sources/functions.c $sources/migrate.c \
		"$here/amalgamation/selfmon_all.c" -o "$build/run" ||
		fail "$* -flto does not build"
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

run=
ldflags=
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
