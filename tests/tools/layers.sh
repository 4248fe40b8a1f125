#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that includes only point down: a file may include its own layer and
# those below. System calls, assembly and libcpuid stay in their layers. The
# lowest layer is first. A header include/selfmon/X.h belongs to the layer whose
# interface it is.
set -eu
cd "$(dirname "$0")/../.."

level() {
	case $1 in
	compiler|version) echo 0 ;;
	error|arch|arch/*) echo 1 ;;
	page) echo 2 ;;
	platform/*) echo 3 ;;
	clock|clock/*) echo 4 ;;
	event|event/*) echo 5 ;;
	counters|counters/*) echo 6 ;;
	doctor|doctor/*) echo 7 ;;
	async|fiber|inline|options|region|site|store/*) echo 8 ;;
	open/*) echo 9 ;;
	session/*) echo 10 ;;
	visit/*) echo 11 ;;
	report|report/*) echo 12 ;;
	selfmon|disabled) echo 13 ;;
	selfmon_bench|bench_*) echo 14 ;;
	*) echo "unknown" ;;
	esac
}

# Outside of platform/ only these system headers are allowed. Headers of system
# calls, and those that name the machine, are missing from the list on purpose.
plain_headers=" assert ctype errno inttypes limits locale math pthread regex stdarg \
stdbool stddef stdint stdio stdlib string time sys/types linux/perf_event "
# bench_process.h, which starts a program again, belongs to benchmarks, not to
# the library.
blank='[[:space:]]*'

checked=0
bad=0
for file in include/selfmon.h include/selfmon/*.h include/selfmon/arch/*.h \
	libselfmon/*/*.[ch]; do
	[ -f "$file" ] || continue
	own=${file#include/selfmon/}; own=${own#include/}
	own=${own#libselfmon/}; own=${own%.[ch]}
	here=$(level "$own")
	if [ "$here" = unknown ]; then
		echo "$file: belongs to no layer"
		bad=1
		continue
	fi
	for name in $(sed -n \
		-e "s|^$blank#${blank}include$blank||" \
		-e 't include' -e d -e ':include' \
		-e 's|^<selfmon/\(.*\)\.h>.*|\1|p' \
		-e 's|^<\(selfmon\)\.h>.*|\1|p' \
		-e 's|^"\(\.\./\)*\(selfmon/\)*\(.*\)\.h".*|\3|p' \
		"$file"); do
		# With SELFMON_DISABLE each header includes all others: see
		# disabled.h.
		case $file,$name in
		include/selfmon/*,selfmon) continue ;;
		# This file only names the symbol: see tests/tools/circles.py.
		libselfmon/visit/visit.c,report/exit) continue ;;
		esac
		checked=$((checked + 1))
		there=$(level "$name")
		if [ "$there" = unknown ] || [ "$there" -gt "$here" ]; then
			echo "$file (layer $here) includes $name (layer $there)"
			bad=1
		fi
	done
	case $own in
	platform/*|bench_process) ;;
	*) for name in $(sed -n \
		"s|^$blank#${blank}include$blank<\(.*\)\.h>.*|\1|p" "$file")
	do
		case $name in selfmon|selfmon/*) continue ;; esac
		case $plain_headers in *" $name "*) continue ;; esac
		echo "$file: <$name.h> belongs to platform/"
		bad=1
	done ;;
	esac
	case $own in
	arch/*|platform/*) ;;
	*) if grep -nE '\<(syscall|clock_gettime|nanosleep)\(' "$file"; then
		echo "$file: system calls belong to platform/"
		bad=1
	fi ;;
	esac
	if grep -nE 'libcpuid' "$file" | grep include; then
		echo "$file: the library needs libc alone, libcpuid is the tool's"
		bad=1
	fi
	case $own in
	platform/pfm|platform/pfm_abi) ;;
	*) if grep -nE 'pfm_abi|perfmon/|dlopen|dlsym' "$file"
	then
		echo "$file: only platform/pfm.c knows libpfm"
		bad=1
	fi ;;
	esac
	case $own in
	arch|arch/*|platform/*|bench_process) ;;
	*) if grep -nE '__(x86_64|aarch64|riscv|i386)|__asm|\<asm\>' "$file"
	then
		echo "$file: the machine belongs to arch/ and platform/"
		bad=1
	fi ;;
	esac
done
[ "$bad" = 0 ] && echo "check-layers: $checked includes, all point down"
exit "$bad"
