#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the code and the commands of README and of the other pages for users:
# readme.sh BUILD-DIRECTORY
#
# Each block of C must compile unchanged. It is saved under the file name that
# was mentioned last in the text before it. Blocks of sh must run in their
# order, in one shell and in a copy of the sources. Only the place of
# installation differs: PREFIX is in a scratch folder, sudo runs its command as
# the same user, and ldconfig does nothing.
set -eu
build=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage
: "${CC:=cc}"

fail()
{
	printf 'readme: %s\n' "$1" >&2
	exit 1
}

git rev-parse --show-toplevel > /dev/null 2>&1 || {
	echo 'readme: SKIPPED: no git work tree to copy'
	exit 0
}

# The copy keeps the files' times, so that nothing is built twice.
mkdir "$scratch/bin" "$scratch/clone"
git ls-files -z 2> /dev/null | grep -zv '^examples/.*/' |
	xargs -0 cp --parents -p -t "$scratch/clone"
ln -s "$build" "$scratch/clone/build"
printf '#!/bin/sh\nexec "$@"\n' > "$scratch/bin/sudo"
printf '#!/bin/sh\n' > "$scratch/bin/ldconfig"
chmod +x "$scratch/bin/sudo" "$scratch/bin/ldconfig"

pages='README.md docs/TUNING.md docs/BENCHMARK.md docs/GAME.md docs/DATABASE.md'
# shellcheck disable=SC2086 # pages are several words
awk -v folder="$scratch/clone/" -v commands="$scratch/commands" '
FNR == 1 { name = "" }
/^```/ && inside { inside = 0; next }
/^```c$/ {
	if (!name) { print FILENAME ":" FNR ": no name for this code"; exit 1 }
	inside = 1; to = folder name; print name; next
}
/^```sh$/ { inside = 1; to = commands; next }
/^```/ { inside = 1; to = "/dev/null"; next }
inside { print > to; next }
match($0, /`[a-z]+\.c`/) { name = substr($0, RSTART + 1, RLENGTH - 2) }
' $pages > "$scratch/programs" || fail "$(cat "$scratch/programs")"
[ -s "$scratch/commands" ] || fail 'README.md has no commands in ```sh'

# MAKEFLAGS acts like arguments of each make. O is removed from the environment,
# where the calling make may have put it, because the commands expect build/.
cd "$scratch/clone"
env -u MFLAGS -u MAKELEVEL -u O MAKEFLAGS="PREFIX=$stage" \
	PATH="$scratch/bin:$stage/bin:$PATH" \
	PKG_CONFIG_PATH="$stage/lib/pkgconfig" \
	LD_LIBRARY_PATH="$stage/lib" SELFMON_EVENTS=none \
	sh -eux "$scratch/commands" > "$scratch/log" 2>&1 ||
	{ tail -n 20 "$scratch/log" >&2; fail 'its commands fail'; }
for program in hello alone; do
	[ "$(grep -cE '^(round|  add|  print) +100 ' "$scratch/log")" = 6 ] ||
		fail "$program prints no report: $(tail -n 30 "$scratch/log")"
done
# says COUNT REGEX: fails unless COUNT lines of the output match
says()
{
	[ "$(grep -cE "$2" "$scratch/log")" = "$1" ] ||
		fail "not $1 lines '$2' in: $(tail -n 90 "$scratch/log")"
}
says 1 '^sum +10 '
says 2 '^(loop|memchr) +real-time, ns '
says 1 '^load level +120 '
says 1 '^frame +119 '
says 1 '^frame: 119 frames$'
says 3 '^20000 queries, median [0-9]+ ns, '
says 2 '^query +60000 '
while read -r program; do
	# shellcheck disable=SC2046 # pkg-config prints words
	$CC -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror "$program" -o program \
		$(PKG_CONFIG_PATH=$stage/lib/pkgconfig pkg-config --cflags \
		--libs selfmon) || fail "$program does not compile"
	LD_LIBRARY_PATH=$stage/lib SELFMON_OUTPUT=none ./program \
		> "$scratch/out" || fail "$program: status $?"
done < "$scratch/programs"
sed '1,/\*\//d' examples/hello.c | cmp - hello.c ||
	fail 'hello.c is not examples/hello.c'

# ---- figures ---------------------------------------------------------------

# Prints the second column of the table of costs, such as "26.3 KiB, 2038 B".
cd "$OLDPWD"
sed -n '/^## Cost/,/^## API/s/^| [^|]* | \([0-9][^|]*\) |.*/\1/p' README.md |
	sed 's/, /\n/g' > "$scratch/figures"
[ -s "$scratch/figures" ] || fail 'README.md has no table of costs'
while read -r number unit; do
	grep -qE " $number +$unit " bench/RESULTS.md ||
		fail "$number $unit is not in bench/RESULTS.md"
done < "$scratch/figures"
printf 'readme: %s commands, %s programs, as they stand\n' \
	"$(wc -l < "$scratch/commands")" "$(wc -l < "$scratch/programs")"
