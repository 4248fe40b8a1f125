#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the public headers. Each header compiles alone and when included twice,
# as C and as C++, without a warning: the headers of include/ by each standard,
# those that they include by the oldest. Together the headers declare each
# function that they name. A program can compile the library without its
# Makefile, next to a file with SELFMON_DISABLE. With SELFMON_DISABLE the headers
# define each function, and compile for Windows and macOS. Compilers that are not
# installed are named and skipped: headers.sh BUILD-DIRECTORY
#
# ccache can keep the objects: the folder is the same in each run, and most
# checks compile one file with -c.
set -eu
scratch=$1/tests/programs/headers
rm -rf "$scratch"
mkdir -p "$scratch"
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

# declares COMPILER: checks that the headers declare each function they name
declares()
{
	{
		for header in include/*.h include/selfmon/*.h; do
			printf '#include "%s"\n' "${header#include/}"
		done
		printf 'void names(void);\nvoid names(void)\n{\n'
		cat include/*.h include/selfmon/*.h |
			sed 's/selfmon_impl_disabled(//' | # only with SELFMON_DISABLE
			grep -oE '\<selfmon_[a-z0-9_]+\(' | tr -d '(' |
			sort -u | grep -v '_inlined$' | # on some machines
			sed 's/.*/#ifndef &\n(void)\&&;\n#endif/'
		printf '}\n'
	} > "$scratch/names.c"
	"$1" -std=c11 -Werror -Iinclude -fsyntax-only "$scratch/names.c" || {
		printf 'headers: a function is named and not declared\n' >&2
		exit 1
	}
}

# defines COMPILER: checks that with SELFMON_DISABLE each function that man/
# names is an inline one
defines()
{
	{
		printf '#include <selfmon.h>\nvoid names(void);\n'
		printf 'void names(void)\n{\n'
		for page in man/selfmon_*.3; do
			name=${page#man/}
			printf '%s\n' "${name%.3}"
		done | grep -v '^selfmon_bench\|[.]' |
			sed 's/.*/#ifndef &\n(void)\&&;\n#endif/'
		printf '}\nint main(void)\n{\nnames();\nreturn 0;\n}\n'
	} > "$scratch/defined.c"
	"$1" -std=c11 -Werror -DSELFMON_DISABLE -Iinclude "$scratch/defined.c" \
		-o "$scratch/defined" || {
		printf 'headers: compiled off, a function is not defined\n' >&2
		exit 1
	}
}

# foreign LANGUAGE FLAG... FILE: compiles FILE with clang, for another system
foreign()
{
	language=$1
	shift
	# shellcheck disable=SC2086 # warnings are several words
	clang -x "$language" -std="${language}11" $warnings -nostdlibinc \
		-isystem tests/programs/headers -Iinclude -c "$@" \
		-o "$scratch/foreign.o"
}

# elsewhere FLAG...: checks the headers and some examples for the system that
# the flags name: they compile with SELFMON_DISABLE, and without it each header
# gives exactly one error, which names SELFMON_DISABLE
elsewhere()
{
	for header in $everywhere; do
		printf '#include "%s"\n#include "%s"\nextern int some;\n' \
			"$header" "$header" > "$scratch/twice.h"
		for language in c c++; do
			foreign $language "$@" -DSELFMON_DISABLE "$scratch/twice.h" || {
				printf 'headers: %s as %s11 with %s\n' "$header" \
					$language "$*" >&2
				exit 1
			}
			compiled=$((compiled + 1))
			[ "$header" != selfmon/version.h ] || continue
			foreign $language "$@" "$scratch/twice.h" \
				2> "$scratch/errors" || true
			errors=$(grep -E ' (error|warning): ' "$scratch/errors")
			case $errors in
			*' error: "libselfmon needs Linux and gcc or clang; '*) ;;
			*) errors= ;;
			esac
			[ "$(printf '%s\n' "$errors" | grep -c .)" = 1 ] || {
				cat "$scratch/errors" >&2
				printf 'headers: not one clear error\n' >&2
				exit 1
			}
		done
	done
	for language in c c++; do
		foreign $language "$@" -DSELFMON_DISABLE tests/programs/headers/uses.c
	done
	for example in hello branches harness textstats; do
		foreign c "$@" -DSELFMON_DISABLE examples/$example.c
	done
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
		case $header in include/selfmon/*) standards=${standards%% *} ;; esac
		for standard in $standards; do
			compile $language "$standard" $compiler "${header#include/}"
			# A benchmark cannot be compiled with SELFMON_DISABLE.
			case $header in *bench*) continue ;; esac
			compile $language "$standard" $compiler \
				"${header#include/}" -DSELFMON_DISABLE
		done
	done
	if printf '#include <selfmon_bench.h>' | $compiler -Iinclude -x c \
		-DSELFMON_DISABLE -fsyntax-only - 2> "$scratch/errors" ||
		! grep -q 'error: .*do not define SELFMON_DISABLE' \
			"$scratch/errors"; then
		printf 'headers: a benchmark compiles with SELFMON_DISABLE\n' >&2
		exit 1
	fi
	[ $language = cc ] ||
		{ declares $compiler; defines $compiler; continue; }
	for standard in c++17 c++20; do
		for flag in -DSELFMON_DISABLE -fno-exceptions; do
			compile cc $standard $compiler selfmon.hpp "$flag"
		done
	done
done

# Leaves out the headers that only measuring code includes.
everywhere=$(for header in include/selfmon.h include/selfmon/*.h; do
	case $header in
	*/bench_* | */arch.h | */page.h) ;;
	*) printf '%s\n' "${header#include/}" ;;
	esac
done)
if command -v clang > /dev/null; then
	elsewhere --target=x86_64-pc-windows-msvc
	elsewhere --target=x86_64-apple-darwin
else
	printf 'headers: skipped for Windows and macOS: clang is not installed\n'
fi

same=$(printf '%s\n' libselfmon/*/*.c | sed 's|.*/||' | sort | uniq -d)
if [ -n "$same" ]; then
	printf 'headers: two objects would have one name: %s\n' "$same" >&2
	exit 1
fi
for compiler in gcc clang; do
	command -v $compiler > /dev/null || continue
	rm -rf "$scratch/hand"
	mkdir "$scratch/hand"
	$compiler -std=c11 -Iinclude -DSELFMON_DISABLE -c tests/programs/headers/uses.c \
		-o "$scratch/hand/uses.o"
	for source in tests/programs/headers/mixed.c libselfmon/*/*.c; do
		object=${source##*/}
		$compiler -std=c11 -Iinclude -Ilibselfmon -pthread -c "$source" \
			-o "$scratch/hand/${object%.c}.o"
	done
	$compiler "$scratch"/hand/*.o -pthread -o "$scratch/mixed"
	SELFMON_OUTPUT=none "$scratch/mixed" || {
		printf 'headers: measured and compiled off do not mix\n' >&2
		exit 1
	}
done
printf 'headers: compiled %d times without a warning, the library by hand\n' \
	$compiled
