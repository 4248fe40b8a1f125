#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that the headers, the symbol map and the shared library name the same
# symbols.
# Usage: exports.sh LIBRARY OBJECT...; the objects are those of functions that
# are inline in the headers and also exported.
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A declaration ends before its body or at the semicolon. Its name is the last
# word before the first parenthesis or, for a variable, before the semicolon.
cat include/selfmon/*.h | tr '\n\t' '  ' | grep -o 'SELFMON_API [^;{]*[;{]' |
	grep -v 'SELFMON_API __' |
	sed 's/ *[;{(].*//; s/.*[ *]//' > "$scratch/declared"
library=$1
shift
objdump -t "$@" | grep -v '\.hidden ' |
	sed -n 's/.* F .* \(selfmon_[a-z_]*\)$/\1/p' |
	sort -u - "$scratch/declared" > "$scratch/headers"
sed -n 's/^[[:blank:]]*\(selfmon_[a-z_]*\);/\1/p' libselfmon/selfmon.map |
	sort > "$scratch/map"
nm -D --defined-only "$library" | sed -n 's/.* [TDRBV] \(selfmon_[a-z_]*\)@.*/\1/p' |
	sort > "$scratch/library"
for other in headers library; do
	diff "$scratch/map" "$scratch/$other" > "$scratch/diff" || {
		echo "exports: libselfmon/selfmon.map (<) and $other (>):"
		cat "$scratch/diff"
		exit 1
	}
done
echo "exports: $(wc -l < "$scratch/map") names"
