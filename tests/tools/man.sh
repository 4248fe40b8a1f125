#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the man pages: they are well formed, each exported function has one,
# their examples compile both measured and with SELFMON_DISABLE, and their
# structs are those of the headers.
# Usage: man.sh COMPILE SHARED STATIC COMPILE-CXX; the first and the last
# contain their flags.
set -eu
cd "$(dirname "$0")/../.."
compile=$1
shared=$2
link=$3
compile_cxx=$4
bad=0

complain() {
	echo "check-man: $*"
	bad=1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

texts=$(grep -L '^\.so ' man/*.[0-9])

if command -v mandoc > /dev/null; then
	# shellcheck disable=SC2086 # a list of files without blanks
	mandoc -Tlint $texts || complain "the pages above are not well formed"
elif ! command -v man > /dev/null; then
	echo "check-man: lint skipped: neither mandoc nor man is installed"
fi

# Pages are formatted as ASCII, because awk may count bytes. Lines that are too
# long are usually in an example after a table: the table's tab stops are still
# set in the example.
if command -v man > /dev/null && command -v col > /dev/null; then
	for page in $texts; do
		LC_ALL=C MANWIDTH=80 man --warnings -l "$page" \
			2> "$work/warnings" | col -bx |
			awk 'length($0) > 80 { wide = 1 } END { exit wide }' ||
			complain "$page: lines wider than 80 columns"
		[ ! -s "$work/warnings" ] ||
			complain "$page: $(cat "$work/warnings")"
	done
fi

# The names in a page's NAME section.
names_of() {
	sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$1" | grep -v '^\.SH' | tr '\n' ' ' |
		sed 's/ \\-.*//' | tr -d ','
}

pages=0
for page in man/*.[0-9]; do
	name=${page#man/}
	target=$(sed -n 's|^\.so man[0-9]/|man/|p' "$page")
	pages=$((pages + 1))
	[ -f "${target:-$page}" ] || { complain "$page: no $target"; continue; }
	case " $(names_of "${target:-$page}") " in
	*" ${name%.*} "*) ;;
	*) complain "$page: not a NAME of ${target:-$page}" ;;
	esac
done

functions=0
for name in $(nm -D --defined-only "$shared" |
	sed -n 's/.* T \(selfmon_[a-z_0-9]*\).*/\1/p' | grep -v '^selfmon_impl_')
do
	functions=$((functions + 1))
	[ -f "man/$name.3" ] || complain "$name has no page"
done
[ "$functions" -gt 0 ] || complain "no function is exported by $shared"

# work/PAGE.N is the N-th text between .EX and .EE, without escapes.
examples_of() {
	awk -v to="$work/$(basename "$1")" '
	/^\.EX/ { n++; inside = 1; next }
	/^\.EE/ { inside = 0 }
	inside {
		gsub(/\\&/, "")
		gsub(/\\-/, "-")
		gsub(/\\e/, "\\")
		print > (to "." n)
	}' "$1"
}

# Removes comments, merges blanks, and ends a line at each "};".
plain() {
	cat "$@" | tr '\n\t' '  ' | sed 's|/\*[^*]*\**\([^/*][^*]*\*\)*/||g' |
		tr -s ' ' | sed 's/}; */};\n/g'
}

# compiles TEXT [OPTION]: compiles and links the text; with an option, only
# compiles it. There is no debug information, so that linking takes half the
# time.
compiles() {
	language=c
	with=$compile
	if grep -q 'selfmon.*\.hpp' "$1"; then
		language=c++
		with=$compile_cxx
	fi
	to="-x none $link -Wl,-s"
	[ -z "$2" ] || to="$2 -S"
	# shellcheck disable=SC2086 # all are lists of words
	$with -Werror -g0 -x $language "$1" $to -o "$work/out"
}

# Each set of events has a row in selfmon-events(7), and is named in README.
sets=$(sed -n 's/^\t{ "\(@[a-z]*\)".*/\1/p' libselfmon/event/sets.c)
[ -n "$sets" ] || complain "no set found in libselfmon/event/sets.c"
for name in $sets; do
	grep -q "^$name	" man/selfmon-events.7 ||
		complain "man/selfmon-events.7: no row for $name"
	grep -qF "\`$name\`" README.md || complain "README.md does not mention $name"
done

plain include/*.h include/selfmon/*.h > "$work/headers"
programs=0
structs=0
for page in $texts; do
	examples_of "$page"
done
for text in "$work"/*.[0-9].[0-9]*; do
	if grep -q 'main(' "$text"; then
		programs=$((programs + 1))
		for off in "" -DSELFMON_DISABLE; do
			case $off$(cat "$text") in
			-D*selfmon_bench.h*) continue ;;
			esac
			compiles "$text" "$off" ||
				complain "${text##*/} $off does not compile"
		done
	elif grep -q '^struct' "$text"; then
		plain "$text" | grep '};' > "$work/structs"
		while read -r struct; do
			structs=$((structs + 1))
			grep -qF -- "$struct" "$work/headers" ||
				complain "${text##*/}: not in the headers:" \
					"$struct"
		done < "$work/structs"
	fi
done
[ "$programs" -gt 0 ] && [ "$structs" -gt 0 ] || complain "no examples found"
[ "$bad" = 0 ] && echo "check-man: $pages pages, $functions functions," \
	"$programs programs, $structs structs"
exit "$bad"
