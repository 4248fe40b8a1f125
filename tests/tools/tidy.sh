#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs clang-tidy over one file: tidy.sh FILE FLAG... A file that passed is not
# analyzed again until it, a header, the flags, the configuration or clang-tidy
# change: a file in the cache is named by the hash of all of these.
set -eu
file=$1
shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/libselfmon/tidy
text=$(clang -E -CC -dD "$@" "$file")
key=$({
	clang-tidy --version
	cat .clang-tidy "$0" "$file"
	printf '%s\n' "$*" "$text"
} | sha256sum | cut -d ' ' -f 1)
if [ ! -e "$cache/$key" ]; then
	clang-tidy --quiet --warnings-as-errors='*' "$file" -- "$@"
	mkdir -p "$cache"
fi
: > "$cache/$key"
