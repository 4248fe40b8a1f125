#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the static program and its report: check.sh FOLDER-OF-PROGRAM
set -eu
work=$1/work

fail()
{
	printf 'musl: %s\n' "$1" >&2
	exit 1
}

readelf -l "$work" | grep 'INTERP' && fail 'the program is not static'
strings -a "$work" | grep -q 'GLIBC' && fail 'the program is one of glibc'
"$work" > "$1/out" 2> "$1/err" || fail 'does not run'
[ "$(grep -c -e '^round  *100 ' -e '^  sum  *100 ' "$1/err")" = 2 ] ||
	fail "no report: $(cat "$1/err")"
printf 'musl: a static program without a warning reports\n'
