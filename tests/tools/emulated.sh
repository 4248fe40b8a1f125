#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a static test program of another machine: emulated.sh QEMU PROGRAM
#
# Suites that fail run a second time, and the output says so. On a busy machine
# qemu-user 7.2 itself dies of SIGSEGV in about one of 5000 forked children.
set -euo pipefail
if ! command -v "$1" > /dev/null; then
	echo "$1 is not there: install qemu-user"
	exit 1
fi
export SELFMON_OUTPUT=none
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if "$@" 2>&1 | tee "$log"; then
	exit 0
fi
mapfile -t suites < <(sed -n 's/^FAILED \(.*\)::.*/\1/p' "$log" | sort -u)
[ "${#suites[@]}" -gt 0 ] || exit 1
echo "a second time: ${suites[*]}"
"$@" "${suites[@]}"
