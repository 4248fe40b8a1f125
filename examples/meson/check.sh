#!/bin/sh
# SPDX-License-Identifier: MIT
# Uses the library from a copy of its sources in subprojects/: check.sh
# SCRATCH-DIRECTORY
set -eu
cd "$(dirname "$0")"
top=$(cd ../.. && pwd)
mkdir -p "$1"
scratch=$(mktemp -d "$(cd "$1" && pwd)/check-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
subproject=$scratch/work/subprojects/selfmon

fail()
{
	printf 'meson: %s\n' "$1" >&2
	exit 1
}

mkdir -p "$subproject"
cp meson.build work.c "$scratch/work"
(cd "$top" && tar cf - meson.build LICENSE amalgamation include libselfmon) |
	tar xf - -C "$subproject"
meson setup --wrap-mode=nodownload --force-fallback-for=selfmon \
	"$scratch/build" "$scratch/work"
ninja -C "$scratch/build" > "$scratch/log" || fail "$(cat "$scratch/log")"
cat "$scratch/log"
grep 'warning:' "$scratch/log" && fail 'there are warnings'
readelf -d "$scratch/build/work" | grep 'NEEDED.*libselfmon' &&
	fail 'an installed library was taken'
"$scratch/build/work" > "$scratch/out" 2> "$scratch/err" || fail 'does not run'
[ "$(grep -c -e '^round  *100 ' -e '^  sum  *100 ' "$scratch/err")" = 2 ] ||
	fail "no report: $(cat "$scratch/err")"
printf 'meson: a program with the library as a subproject reports\n'
