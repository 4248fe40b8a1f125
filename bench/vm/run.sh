#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs dynamically linked programs in an x86-64 guest; their libraries and the
# loader are copied to /tests.
#
#	bench/vm/run.sh SCENARIO FOLDER PROGRAM...
#
# SCENARIO of bench/scenarios.txt selects the runs; FOLDER is filled for
# tests/vm/run.sh.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
scenario=$1
folder=$2
guest=$folder/x86-64
shift 2

rm -rf "$guest"
mkdir -p "$guest"
cp "$@" "$guest/"
for program; do
	ldd "$program"
done | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
	xargs -I '{}' cp -L '{}' "$guest/"
cp -L "$(ldd "$1" | sed -n 's/^[ \t]*\(\/[^ ]*\) .*/\1/p')" "$guest/ld.so"
VM_TABLE=$here/../scenarios.txt VM_SCENARIO=$scenario \
	exec "$here/../../tests/vm/run.sh" check "$folder" x86-64
