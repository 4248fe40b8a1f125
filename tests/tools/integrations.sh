#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the checks of the folders of examples/ that are programs of others with
# the library in them: integrations.sh BUILD-DIRECTORY NAME...
#
# BUILD-DIRECTORY has an installed library in stage/. A line for each; one
# whose packages are missing fails, and says which.
set -u
build=$1
shift
: "${MAKE:=make}"
passed=0
failed=0
PKG_CONFIG_PATH=$build/stage/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
unset SELFMON_EVENTS SELFMON_OUTPUT SELFMON_ENABLE SELFMON_FENCE \
	SELFMON_EVERY SELFMON_STRICT SELFMON_GUARD SELFMON_LIVE

# missing_of NAME: what is not installed of its packages, on one line. Without
# dpkg-query its own build will say what it lacks.
missing_of()
{
	command -v dpkg-query > /dev/null || return 0
	list=
	# shellcheck disable=SC2013 # words are wanted
	for package in $(sed 's/#.*//' "examples/$1/packages"); do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" \
			2> /dev/null)" = installed ] || list="$list $package"
	done
	echo "$list"
}

# check NAME: its own check, whose output is shown when it fails
check()
{
	missing=$(missing_of "$1")
	if [ -n "$missing" ]; then
		printf '%s: FAILED: not installed:%s (./setup %s)\n' "$1" \
			"$missing" check-integrations
		return 1
	fi
	mkdir -p "$build/$1"
	if ! "$MAKE" --no-print-directory -C "examples/$1" check \
		PKG_CONFIG_PATH="$PKG_CONFIG_PATH" O="$build/$1" \
		> "$build/$1.log" 2>&1; then
		cat "$build/$1.log"
		printf '%s: FAILED\n' "$1"
		return 1
	fi
	printf '%s: %s\n' "$1" "$(tail -n 1 "$build/$1.log")"
}

for name; do
	if check "$name"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
