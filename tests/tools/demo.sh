#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the demo: demo.sh TEXTSTATS SELFMON PAGE. The input is $FILE, by default
# the sources of this repository. The name is passed in the environment, because
# it may consist of any bytes. The HTML page is made from a live file, because
# SELFMON may be built without the library that reads JSON.
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
