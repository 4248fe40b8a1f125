#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the size of the stripped shared library. Fails if it exceeds MOST
# bytes.
#
#	bench/size.sh LIBRARY MOST

set -eu
library=$1
most=$2
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -s "$library" -o "$stripped"
size=$(wc -c < "$stripped")
verdict=ok
[ "$size" -le "$most" ] || verdict='TOO LARGE'
printf '%s, stripped: %d bytes (at most %d: %s)\n' "${library##*/}" "$size" \
	"$most" "$verdict"
[ "$verdict" = ok ] || {
	echo 'the largest parts:'
	size -A "$stripped" | sort -k 2 -n -r | head -n 8
	exit 1
}
