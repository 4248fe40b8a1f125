#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes point down only: a file may include its own layer and those below.
# Lowest first; a header include/selfmon/X.h belongs to the layer it opens.
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
	options|region|region/*) echo 8 ;;
	report|report/*) echo 9 ;;
	selfmon) echo 10 ;;
	*) echo "unknown" ;;
	esac
}

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
		-e 's|^# *include *<selfmon/\(.*\)\.h>.*|\1|p' \
		-e 's|^# *include *<\(selfmon\)\.h>.*|\1|p' \
		-e 's|^# *include *"\(\.\./\)*\(selfmon/\)*\(.*\)\.h".*|\3|p' \
		"$file"); do
		checked=$((checked + 1))
		there=$(level "$name")
		if [ "$there" = unknown ] || [ "$there" -gt "$here" ]; then
			echo "$file (layer $here) includes $name (layer $there)"
			bad=1
		fi
	done
	case $own in
	platform/*) ;;
	*) if grep -nE '<(sys/(syscall|mman|ioctl)|fcntl|unistd|sched)\.h>' \
		"$file"; then
		echo "$file: system calls belong to platform/"
		bad=1
	fi ;;
	esac
	case $own in
	platform/cpu) ;;
	*) if grep -nE 'libcpuid' "$file" | grep include; then
		echo "$file: only platform/cpu.c knows libcpuid"
		bad=1
	fi ;;
	esac
	case $own in
	arch|arch/*|platform/*) ;;
	*) if grep -nE '__(x86_64|aarch64|riscv|i386)|__asm__|asm *\(' "$file"
	then
		echo "$file: the machine belongs to arch/ and platform/"
		bad=1
	fi ;;
	esac
done
[ "$bad" = 0 ] && echo "check-layers: $checked includes, all point down"
exit "$bad"
