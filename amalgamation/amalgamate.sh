#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes one file of the amalgamation to standard output:
#
#	amalgamate.sh h|c|hpp|bench
#
# Make, CMake and Meson call this script. It needs only awk and sed.
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
version=$(sed -n 's/^#define SELFMON_VERSION "\(.*\)"/\1/p' \
	include/selfmon/version.h)

# joined WHAT FILE...: see amalgamate.awk
joined()
{
	what=$1
	shift
	awk -v what="$what" -v version="$version" \
		-f amalgamation/amalgamate.awk -- "$@"
}

case ${1:-} in
h) joined h include/selfmon/compiler.h include/selfmon.h ;;
c) joined c libselfmon/*/*.c ;;
hpp) joined more include/selfmon.hpp ;;
bench) joined more include/selfmon_bench.h ;;
*)
	echo 'usage: amalgamate.sh h|c|hpp|bench' >&2
	exit 2
	;;
esac
