#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that includes only point down: a file may include its own layer and
# those below. The table below begins with the lowest layer. System calls,
# assembly and libpfm may be used only in certain layers, and libcpuid in none.
# A header include/selfmon/X.h belongs to the layer whose interface it is.
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

# level_of NAME: sets level
level_of() {
	case $1 in
	compiler|version) level=0 ;;
	error|arch|arch/*) level=1 ;;
	page) level=2 ;;
	platform/*) level=3 ;;
	clock|clock/*) level=4 ;;
	event|event/*) level=5 ;;
	counters|counters/*) level=6 ;;
	doctor|doctor/*) level=7 ;;
	async|fiber|inline|options|region|site|store/*) level=8 ;;
	open/*) level=9 ;;
	session/*) level=10 ;;
	visit/*) level=11 ;;
	report|report/*) level=12 ;;
	selfmon|disabled) level=13 ;;
	selfmon_bench|bench_*) level=14 ;;
	*) level=unknown ;;
	esac
}

# Outside of platform/ only these system headers are allowed. Headers of system
# calls and machine-dependent headers are deliberately not in the list.
plain_headers=" assert ctype errno inttypes limits locale math pthread regex stdarg \
stdbool stddef stdint stdio stdlib string time sys/types linux/perf_event "
# own_of FILE: sets own, the name that level_of() takes
own_of() {
	own=${1#include/selfmon/}; own=${own#include/}
	own=${own#libselfmon/}; own=${own%.[ch]}
}

checked=0
bad=0

# no_line FILES PATTERN MESSAGE: fails if a line of the files has the pattern.
# grep also gets /dev/null, because it prints file names only for several files.
no_line() {
	# shellcheck disable=SC2086 # a list of files
	if grep -nE "$2" /dev/null $1; then
		echo "in the lines above: $3"
		bad=1
	fi
}

# includes FILE NAME: checks that FILE may include NAME, a header of the library
includes() {
	# With SELFMON_DISABLE each header includes all others: see disabled.h.
	case $1,$2 in
	include/selfmon/*,selfmon) return ;;
	# This file only names the symbol: see tests/tools/circles.py.
	libselfmon/visit/visit.c,report/exit) return ;;
	esac
	checked=$((checked + 1))
	level_of "$own"
	here=$level
	level_of "$2"
	if [ "$level" = unknown ] || [ "$level" -gt "$here" ]; then
		echo "$1 (layer $here) includes $2 (layer $level)"
		bad=1
	fi
}

# includes_plain FILE NAME: checks that FILE may include NAME, a header of the
# system. bench_process.h, which starts a program again, belongs to benchmarks,
# not to the library.
includes_plain() {
	case $own in platform/*|bench_process) return ;; esac
	case $plain_headers in *" $2 "*) return ;; esac
	echo "$1: <$2.h> belongs to platform/"
	bad=1
}

# The files of each list are checked for one kind of pattern. A file is left out
# where the pattern is allowed.
all='' no_calls='' no_pfm='' no_machine=''
for file in include/selfmon.h include/selfmon/*.h include/selfmon/arch/*.h \
	libselfmon/*/*.[ch]; do
	[ -f "$file" ] || continue
	own_of "$file"
	level_of "$own"
	if [ "$level" = unknown ]; then
		echo "$file: belongs to no layer"
		bad=1
		continue
	fi
	all="$all $file"
	case $own in
	arch/*|platform/*) ;;
	*) no_calls="$no_calls $file" ;;
	esac
	case $own in
	platform/pfm|platform/pfm_abi) ;;
	*) no_pfm="$no_pfm $file" ;;
	esac
	case $own in
	arch|arch/*|platform/*|bench_process) ;;
	*) no_machine="$no_machine $file" ;;
	esac
done

blank='[[:space:]]*'
# shellcheck disable=SC2086 # a list of files
grep -E "^$blank#${blank}include" $all > "$scratch"
while IFS=: read -r file line; do
	own_of "$file"
	case $line in
	*\"*.h\"*)
		name=${line#*\"}
		while :; do
			case $name in
			../*) name=${name#../} ;;
			selfmon/*) name=${name#selfmon/} ;;
			*) break ;;
			esac
		done
		includes "$file" "${name%.h\"*}" ;;
	*'<selfmon.h>'*) includes "$file" selfmon ;;
	*'<selfmon/'*)
		name=${line#*<selfmon/}
		includes "$file" "${name%.h>*}" ;;
	*'<'*.h'>'*)
		name=${line#*<}
		includes_plain "$file" "${name%.h>*}" ;;
	esac
done < "$scratch"

no_line "$no_calls" '\<(syscall|clock_gettime|nanosleep)\(' \
	'system calls belong to platform/'
no_line "$all" 'include.*libcpuid|libcpuid.*include' \
	"the library needs libc alone, libcpuid is the tool's"
no_line "$no_pfm" 'pfm_abi|perfmon/|dlopen|dlsym' \
	'only platform/pfm.c knows libpfm'
no_line "$no_machine" '__(x86_64|aarch64|riscv|i386)|__asm|\<asm\>' \
	'the machine belongs to arch/ and platform/'
[ "$bad" = 0 ] && echo "check-layers: $checked includes, all point down"
exit "$bad"
