#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header compiles alone and twice, as C and as C++, without a
# warning; together they declare each function that they name; and the library
# compiles without its Makefile. Compilers that are not installed are named and skipped.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla -Werror'
compiled=0

# compile LANGUAGE STANDARD COMPILER HEADER [FLAG]
compile()
{
	printf '#include "%s"\n#include "%s"\nextern int some_declaration;\n' \
		"$4" "$4" > "$scratch/twice.$1"
	# shellcheck disable=SC2086 # warnings are several words
	"$3" -std="$2" $warnings $strict ${5:+"$5"} -Iinclude -c "$scratch/twice.$1" \
		-o "$scratch/twice.o" || {
		printf 'headers: %s as %s by %s\n' "$4" "$2" "$3" >&2
		exit 1
	}
	compiled=$((compiled + 1))
}

# declares COMPILER: the headers together declare each function they name
declares()
{
	{
		for header in include/*.h include/selfmon/*.h; do
			printf '#include "%s"\n' "${header#include/}"
		done
		printf 'void names(void);\nvoid names(void)\n{\n'
		cat include/*.h include/selfmon/*.h |
			grep -oE '\<selfmon_[a-z0-9_]+\(' | tr -d '(' |
			sort -u | sed 's/.*/#ifndef &\n(void)\&&;\n#endif/'
		printf '}\n'
	} > "$scratch/names.c"
	"$1" -std=c11 -Werror -Iinclude -fsyntax-only "$scratch/names.c" || {
		printf 'headers: a function is named and not declared\n' >&2
		exit 1
	}
}

for compiler in gcc clang g++ clang++; do
	case $compiler in
	*++) language=cc standards='c++11 c++17 c++20'
		strict='-Wold-style-cast -Wzero-as-null-pointer-constant' ;;
	*) language=c standards='c11 c17' strict= ;;
	esac
	[ $compiler != g++ ] || strict="$strict -Wuseless-cast"
	if ! command -v $compiler > /dev/null; then
		printf 'headers: skipped for %s: not installed\n' $compiler
		continue
	fi
	for header in include/*.h include/selfmon/*.h; do
		for standard in $standards; do
			compile $language "$standard" $compiler "${header#include/}"
			compile $language "$standard" $compiler \
				"${header#include/}" -DSELFMON_DISABLE
		done
	done
	[ $language = cc ] || { declares $compiler; continue; }
	for standard in c++17 c++20; do
		for flag in -DSELFMON_DISABLE -fno-exceptions; do
			compile cc $standard $compiler selfmon.hpp "$flag"
		done
	done
done

same=$(printf '%s\n' libselfmon/*/*.c | sed 's|.*/||' | sort | uniq -d)
if [ -n "$same" ]; then
	printf 'headers: two objects would have one name: %s\n' "$same" >&2
	exit 1
fi
for compiler in gcc clang; do
	command -v $compiler > /dev/null || continue
	$compiler -std=c11 -Iinclude -Ilibselfmon examples/hello.c \
		libselfmon/*/*.c -pthread -o "$scratch/hello"
	"$scratch/hello" > /dev/null 2>&1
done
printf 'headers: compiled %d times without a warning, the library by hand\n' \
	$compiled
