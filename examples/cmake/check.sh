#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests find_package() with an installed prefix that was moved, and FetchContent
# with a copy of the sources: check.sh PREFIX SCRATCH-DIRECTORY
set -eu
cd "$(dirname "$0")"
prefix=$1
top=$(cd ../.. && pwd)
mkdir -p "$2"
scratch=$(mktemp -d "$(cd "$2" && pwd)/check-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

fail()
{
	printf 'cmake: %s\n' "$1" >&2
	exit 1
}

# built SOURCE NAME OPTION...: configures and builds SOURCE in SCRATCH/NAME
built()
{
	from=$1
	into=$scratch/$2
	shift 2
	cmake -S "$from" -B "$into" -DCMAKE_BUILD_TYPE=Release "$@" &&
		cmake --build "$into"
}

# reports PROGRAM: checks that its report has each visit of both regions
reports()
{
	"$1" > "$scratch/out" 2> "$scratch/err" || fail "$1 does not run"
	[ "$(grep -c -e '^round  *100 ' -e '^  sum  *100 ' "$scratch/err")" = 2 ] ||
		fail "$1 has no report: $(cat "$scratch/err")"
}

# is_shared PROGRAM: checks that it needs libselfmon.so
is_shared()
{
	readelf -d "$1" | grep -q 'NEEDED.*\[libselfmon\.so\.[0-9.]*\]'
}

# ---- an installed library, whose prefix is not where it was installed ------

moved=$scratch/moved
cp -a "$prefix" "$moved"
built . installed -DCMAKE_PREFIX_PATH="$moved"
grep -q "^selfmon_DIR:PATH=$moved/" "$scratch/installed/CMakeCache.txt" ||
	fail 'another library was found'
reports "$scratch/installed/work"
is_shared "$scratch/installed/work" || fail 'selfmon::selfmon is not shared'
ldd "$scratch/installed/work" | grep -q "libselfmon.* => $moved/" ||
	fail 'the library of another prefix is loaded'
reports "$scratch/installed/work-static"
is_shared "$scratch/installed/work-static" && fail 'selfmon::static is shared'

# README.md must contain the line that CMakeLists.txt uses.
line=$(grep '^find_package' CMakeLists.txt)
grep -qxF "    $line" "$top/README.md" ||
	fail "README.md does not have: $line"

# find_package() accepts a version of the same series that is not newer.
for version in 0.2 0.2.0 0; do
	sed "s/selfmon 0.2 CONFIG/selfmon $version CONFIG/" CMakeLists.txt \
		> "$scratch/CMakeLists.txt"
	cp work.c "$scratch"
	cmake -S "$scratch" -B "$scratch/$version" \
		-DCMAKE_PREFIX_PATH="$moved" > "$scratch/log" 2>&1 ||
		fail "version $version is refused: $(cat "$scratch/log")"
done
for version in 0.1.9 0.2.9 0.9 1.0; do
	sed "s/selfmon 0.2 CONFIG/selfmon $version CONFIG/" CMakeLists.txt \
		> "$scratch/CMakeLists.txt"
	! cmake -S "$scratch" -B "$scratch/$version" \
		-DCMAKE_PREFIX_PATH="$moved" > "$scratch/log" 2>&1 ||
		fail "version $version is taken"
done

# ---- the library's sources, built with the program, without make's output --

mkdir "$scratch/sources"
(cd "$top" && tar cf - CMakeLists.txt LICENSE amalgamation include \
	libselfmon) | tar xf - -C "$scratch/sources"
built fetch fetched -DSELFMON_SOURCE_DIR="$scratch/sources"
reports "$scratch/fetched/work"
is_shared "$scratch/fetched/work" && fail 'fetched: selfmon::static is shared'
reports "$scratch/fetched/work-shared"
is_shared "$scratch/fetched/work-shared" ||
	fail 'fetched: selfmon::selfmon is not shared'
printf 'cmake: 4 programs report; found from a prefix that was moved\n'
