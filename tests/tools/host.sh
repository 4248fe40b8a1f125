#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares docs/HOST.md with tests/host.txt. Each promise must have tests that
# exist, and a mutant of tests/mutants must name each of these tests, or its
# suite, as one that it makes fail (the mutants are not run). Lines of "What not to do" and "Known limits" may have
# tests. Each entry of host.txt must belong to a line of the page.
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tab=$(printf '\t')

# Lists all tests as SUITE/TEST, and the tests that mutants must fail.
find tests -name '*.c' -exec cat {} + | tr '\n' ' ' |
	grep -oE 'Test\([a-z_0-9]+,[[:space:]]*[a-z_0-9]+' |
	sed 's/Test(//; s/,[[:space:]]*/\//' | sort -u > "$scratch/tests"
sed -n 's/^Kills: *//p' tests/mutants/*.patch tests/mutants/native/*.patch |
	awk '{ for (i = $1 ~ /^hw/ ? 1 : 2; i <= NF; i++)
		print $1 == "make" ? "make " $i : $i }' | sort -u > "$scratch/killed"

# Prints the lines of the page as: kind TAB text
awk '/^## /	{ kind = "" }
/^## What not to do$/	{ kind = "avoid" }
/^## What is guaranteed$/	{ kind = "promise" }
/^## Known limits$/	{ kind = "limit" }
kind == ""	{ next }
/^\| / && !/^\| (situation|do not) \|/ {
	sub(/^\| /, ""); sub(/ \| .*/, ""); print kind "\t" $0
}
/^- \*\*/ { sub(/^- \*\*/, ""); sub(/\*\*.*/, ""); print kind "\t" $0 }
' docs/HOST.md > "$scratch/page"

# Prints the entries as: kind TAB text, and their tests as: kind TAB text TAB
# test
awk -v entries="$scratch/entries" '/^#/ || /^$/ { next }
/^[ \t]/ { sub(/^[ \t]+/, ""); print entry "\t" $0; next }
{ entry = $0; sub(/: /, "\t", entry); print entry > entries }
' tests/host.txt > "$scratch/named"

status=0
complain()
{
	printf 'host: %s\n' "$*" >&2
	status=1
}

# each FILE MESSAGE: prints the message for each line of the file
each()
{
	while IFS=$tab read -r kind text; do
		complain "$2: $kind: $text"
	done < "$1"
}

sort "$scratch/page" | uniq -d > "$scratch/twice"
each "$scratch/twice" 'twice in docs/HOST.md'
sort "$scratch/entries" | uniq -d > "$scratch/twice"
each "$scratch/twice" 'twice in tests/host.txt'
grep -vxF -f "$scratch/page" "$scratch/entries" > "$scratch/left" || :
each "$scratch/left" 'in tests/host.txt, not in docs/HOST.md'
grep "^promise$tab" "$scratch/page" |
	grep -vxF -f "$scratch/entries" > "$scratch/left" || :
each "$scratch/left" 'no test'
awk -F '\t' '$3 !~ /^tests\// { print $1 "\t" $2 }' "$scratch/named" |
	sort -u > "$scratch/shown"
grep -vxF -f "$scratch/shown" "$scratch/entries" > "$scratch/left" || :
grep "^promise$tab" "$scratch/left" > "$scratch/empty" || :
each "$scratch/empty" 'no test'

# Tests whose names begin with the_set_is_found_in_ are made by a macro, so the
# sources do not contain their whole names.
grep / "$scratch/killed" | grep -vxF -f "$scratch/tests" |
	grep -v '/the_set_is_found_in_' > "$scratch/unknown" || :
while read -r test; do
	complain "a mutant names $test, which does not exist"
done < "$scratch/unknown"

# exists TEST
exists()
{
	case $1 in
	tests/*) [ -e "$1" ] ;;
	make\ *:\ *) exists "${1%%: *}" &&
		grep -rqF --exclude=host.txt -e "${1#*: }" tests ;;
	make\ *) grep -q "^${1#make }:" tests/tests.mk ;;
	*/*\*) grep -qxF -e "${1%\*}" "$scratch/tests" ;;
	*/*) grep -qxF -e "$1" "$scratch/tests" ;;
	*) grep -q "^$1/" "$scratch/tests" ;;
	esac
}

# is_killed TEST: succeeds if a mutant names the test or its suite
is_killed()
{
	case $1 in
	tests/*) ;;
	make\ *) grep -qxF -e "${1%%: *}" "$scratch/killed" ;;
	*\*) grep -qF -e "${1%\*}" "$scratch/killed" ;;
	*) grep -qxF -e "$1" -e "${1%%/*}" "$scratch/killed" ;;
	esac
}

while IFS=$tab read -r kind text test; do
	if ! exists "$test"; then
		complain "$test does not exist: $kind: $text"
	elif [ "$kind" = promise ] && ! is_killed "$test"; then
		complain "no mutant fails $test: $kind: $text"
	fi
done < "$scratch/named"
[ $status = 0 ] && printf 'host: %d promises of docs/HOST.md, each with tests; %d other lines\n' \
	"$(grep -c "^promise$tab" "$scratch/page")" \
	"$(grep -vc "^promise$tab" "$scratch/page")"
exit $status
