#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo: demo.sh TEXTSTATS SELFMON PAGE, over $FILE or, by default, over the
# sources of this repository. The name comes through the environment: any bytes
# will do. The page of HTML is made of a live file, for which SELFMON needs no
# library that reads JSON.
set -eu
textstats=$1 selfmon=$2 page=$3
live=$(mktemp)
file=${FILE:-}
what=$file

sources=
trap 'rm -f "$live" "$sources"' EXIT
trap 'exit 1' HUP INT TERM
if [ -z "$file" ]; then
	sources=$(mktemp)
	file=$sources
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
SELFMON_LIVE=$live "$textstats" "$file" 2>&1
"$selfmon" report -f html -o "$page" "$live"
printf '\nThe same as a page for a browser: %s\n' "$page"
