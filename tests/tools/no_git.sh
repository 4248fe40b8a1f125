#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a small library that takes the place of libgit2 in Criterion programs,
# and prints the options to link with it: no_git.sh CC FOLDER
#
# Criterion starts a process for each test. Each process loads libgit2 with 15
# further libraries, and initialises libgit2, which decodes all certificates
# that the machine trusts. This takes 11 of the 16 ms of a short test. Criterion
# uses libgit2 only to show the difference of two strings, in assertions that
# these tests do not have. The small library has the same soname, so the loader
# uses it as libgit2.
set -eu
compiler=$1 folder=$2
# shellcheck disable=SC2086 # CC may have options
soname=$(readelf -d "$($compiler -print-file-name=libcriterion.so)" \
	2> /dev/null | sed -n 's/.*NEEDED.*\[\(libgit2\.so.*\)\]/\1/p')
[ -n "$soname" ] || exit 0 # this Criterion does not use libgit2
# shellcheck disable=SC2086
$compiler -shared -fPIC -Wl,-soname,"$soname" "${0%.sh}.c" -o "$folder/$soname"
echo "-Wl,--no-as-needed $folder/$soname -Wl,--as-needed" \
	"-Wl,-rpath,$(cd "$folder" && pwd)"
