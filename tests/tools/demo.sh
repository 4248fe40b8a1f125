#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo: demo.sh TEXTSTATS, over $FILE or, by default, over the sources of
# this repository. The name comes through the environment: any bytes will do.
set -eu
textstats=$1
file=${FILE:-}
what=$file

if [ -z "$file" ]; then
	file=$(mktemp)
	trap 'rm -f "$file"' EXIT
	trap 'exit 1' HUP INT TERM
	{
		git ls-files -z 2> /dev/null ||
			find . -name '.?*' -prune -o -path './build*' -prune \
				-o -type f -print0
	} | xargs -0 cat > "$file" 2> /dev/null || [ -s "$file" ]
	what="this repository's own sources"
fi

printf 'Counting the words of %s (%s bytes); a region for each stage.\n' \
	"$what" "$(wc -c < "$file" | tr -d ' ')"
printf 'First what the program prints, then what libselfmon reports:\n\n'
case $file in
-*) file=./$file ;;
esac
"$textstats" "$file" 2>&1
