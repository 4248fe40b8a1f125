#!/bin/sh
# SPDX-License-Identifier: MIT
# Passes right counts to compare.sh, and counts with each kind of error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
baseline=$(mktemp)
trap 'rm -f "$baseline"' EXIT
seen=0

cat > "$baseline" << 'END'
{
  "compiler": "gcc 12",
  "one": {
    "region pair": 100,
    "read": 16.0
  },
  "other": {
    "region pair": 7
  }
}
END

# expect STATUS TEXT SECTION COUNTS...
expect()
{
	wanted=$1
	text=$2
	section=$3
	shift 3
	status=0
	said=$([ $# = 0 ] || printf '%s\n' "$@" |
		"$here/compare.sh" "$baseline" "$section") || status=$?
	[ $# != 0 ] || said=$("$here/compare.sh" "$baseline" "$section" \
		< /dev/null) || status=$?
	case $status:$said in
	"$wanted:"*"$text"*) seen=$((seen + 1)) ;;
	*)
		printf 'bench-compare: wanted status %s and "%s", got %s:\n%s\n' \
			"$wanted" "$text" "$status" "$said" >&2
		exit 1
		;;
	esac
}

expect 0 'ok' one '100 region pair' '16 read'
expect 0 'ok' one '103 region pair' '16.4 read'
expect 1 'GREW by 4.0 %' one '104 region pair' '16 read'
expect 1 'GREW by 3.1 %' one '100 region pair' '16.5 read'
expect 0 'lower the baseline' one '90 region pair' '16 read'
expect 1 'NOT COUNTED' one '100 region pair'
expect 1 'NOT IN THE BASELINE' one '100 region pair' '16 read' '5 new'
expect 1 'not a count' one '100 region pair' 'x read' '16 read'
expect 1 'NOT COUNTED' one
expect 0 'ok' other '7 region pair'
expect 1 'GREW' other '8 region pair'
expect 1 'NOT IN THE BASELINE' none '7 region pair'
printf 'bench-compare: %d passed, 0 failed\n' "$seen"
