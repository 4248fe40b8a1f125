#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/HOST.md: each row names a test that is there, and each test of a defence
# is one that a mutant of tests/mutants must fail, alone or with its suite. A
# row that states a limit may name a test without one, or none.
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# SUITE/TEST of all that there is
cat tests/*/*.c | tr '\n' ' ' |
	grep -oE 'Test\([a-z_0-9]+,[[:space:]]*[a-z_0-9]+' |
	sed 's/Test(//; s/,[[:space:]]*/\//' | sort -u > "$scratch/tests"
sed -n 's/^Kills: *//p' tests/mutants/*.patch tests/mutants/native/*.patch |
	awk '{ for (i = $1 ~ /^hw/ ? 1 : 2; i <= NF; i++)
		print $1 == "make" ? "make " $i : $i }' | sort -u > "$scratch/killed"

# Rows as: number TAB yes where it is a limit TAB what is in backticks
awk -F ' [|] ' '/^\|/ && !/^\|---/ && !/^\| situation/ {
	row++; n = 0; last = $0
	sub(/ *\|$/, "", last)
	sub(/.* \| /, "", last)
	limit = tolower($0) ~ /[*][*]limit[.]?[*][*]|limit: |not supported|not defended/ ? "yes" : "no"
	while (match(last, /`[^`]*`/)) {
		print row "\t" limit "\t" \
			substr(last, RSTART + 1, RLENGTH - 2)
		last = substr(last, RSTART + RLENGTH); n++
	}
	if (n == 0)
		print row "\t" limit "\t-" $1
}' docs/HOST.md > "$scratch/rows"

# is_killed TEST: one of its name is, or its whole suite
is_killed()
{
	grep "/$1\$" "$scratch/tests" | while IFS=/ read -r suite name; do
		grep -qxF -e "$suite/$name" -e "$suite" "$scratch/killed" &&
			echo "$name"
	done | grep -q .
}

status=0
complain()
{
	printf 'host: %s\n' "$*" >&2
	status=1
}

# Of a macro of tests alone the name's beginning is known.
grep / "$scratch/killed" | grep -vxF -f "$scratch/tests" |
	grep -v '/the_set_is_found_in_' > "$scratch/unknown" || :
while read -r test; do
	complain "a mutant is to fail $test, which is not there"
done < "$scratch/unknown"

tab=$(printf '\t')
while IFS="$tab" read -r _ limit what; do
	case $what in
	-*) [ "$limit" = yes ] || complain "no test: ${what#-| }" ;;
	make\ check-*)
		grep -q "^${what#make }:" tests/tests.mk ||
			complain "there is no $what"
		[ "$limit" = yes ] || grep -qxF "$what" "$scratch/killed" ||
			complain "no mutant fails $what" ;;
	make\ *) ;;
	*/*.[ch]*) [ -e "$what" ] || complain "there is no $what" ;;
	*[!a-z0-9_]* | *[!_]_ | hw_*) ;;
	*_*)
		if ! grep -q "/$what\$" "$scratch/tests"; then
			complain "there is no test $what"
		elif [ "$limit" = no ] && ! is_killed "$what"; then
			complain "no mutant fails $what"
		fi ;;
	esac
done < "$scratch/rows"
[ $status = 0 ] && printf 'host: %d rows of docs/HOST.md, each as it says\n' \
	"$(cut -f 1 "$scratch/rows" | sort -un | wc -l)"
exit $status
