#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the checks of the folders in which the library is part of another
# program: integrations.sh BUILD-DIRECTORY FOLDER...
#
# BUILD-DIRECTORY has an installed library in stage/. The script prints a line
# for each folder. A folder whose packages are missing fails, and the line names
# them. Checks run in parallel, one for each processor.
set -u
build=$1
shift
export MAKE="${MAKE:-make}"
PKG_CONFIG_PATH=$build/stage/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
unset SELFMON_EVENTS SELFMON_OUTPUT SELFMON_ENABLE SELFMON_FENCE \
	SELFMON_EVERY SELFMON_STRICT SELFMON_GUARD SELFMON_LIVE

# missing_of FOLDER: prints its packages that are not installed, on one line.
# Without dpkg-query the folder's own build has to report what is missing.
missing_of()
{
	command -v dpkg-query > /dev/null || return 0
	list=
	# shellcheck disable=SC2013 # words are wanted
	for package in $(sed 's/#.*//' "$1/packages"); do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" \
			2> /dev/null)" = installed ] || list="$list $package"
	done
	echo "$list"
}

# check FOLDER: runs its check, and prints the output if it fails
check()
{
	name=${1##*/}
	missing=$(missing_of "$1")
	if [ -n "$missing" ]; then
		printf '%s: FAILED: not installed:%s (./setup %s)\n' \
			"$name" "$missing" check-integrations
		return 1
	fi
	mkdir -p "$build/$name"
	if ! "$MAKE" --no-print-directory -C "$1" check \
		PKG_CONFIG_PATH="$PKG_CONFIG_PATH" O="$build/$name" \
		> "$build/$name.log" 2>&1; then
		flock "$build" cat "$build/$name.log"
		printf '%s: FAILED\n' "$name"
		return 1
	fi
	: > "$build/$name.passed"
	printf '%s: %s\n' "$name" "$(tail -n 1 "$build/$name.log" |
		sed "s/^$name: //")"
}

if [ "$1" = --one ]; then
	check "$2"
	exit
fi
rm -f "$build"/*.passed
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 "$0" "$build" --one
passed=$(find "$build" -maxdepth 1 -name '*.passed' | wc -l)
printf '%d passed, %d failed\n' "$passed" $(($# - passed))
[ "$passed" -eq $# ] && [ "$passed" -gt 0 ]
