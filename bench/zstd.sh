#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the instructions of zstd without regions, with regions compiled off,
# with regions switched off, and with regions that measure only time. One build
# has regions around each block. Another also has a region around each sequence,
# which is too short for a region.
#
#	bench/zstd.sh BUILD ZSTD
#
# BUILD has libselfmon.so. ZSTD is the source of zstd 1.5.4 (on Debian: apt-get
# source libzstd), which is copied. The program compresses and decompresses its
# own sources.

set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
zstd=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat "$zstd"/lib/*/*.[ch] > "$work/text"

# scope COPY FILE FUNCTION...: adds a region at the start of each function
scope()
{
	file=$work/$1/lib/$2
	shift 2
	for function; do
		awk -v function_name="$function" '
			NR == 1 { print "#include <selfmon.h>" }
			{ print }
			index($0, function_name "(") && !/;/ { found = 1 }
			found && /^{/ {
				print "SELFMON_SCOPE(\"" function_name "\");"
				found = 0
			}' "$file" > "$work/scoped"
		mv "$work/scoped" "$file"
	done
}

# build COPY NAME CPPFLAGS LDFLAGS
build()
{
	make -s -C "$work/$1/programs" zstd-nomt CFLAGS=-O2 BACKTRACE=0 \
		HAVE_LZMA=0 HAVE_ZLIB=0 CPPFLAGS="-I$here/include $3" \
		LDFLAGS="$4" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
	mv "$work/$1/programs/zstd" "$work/$2"
	rm -rf "$work/$1/programs/obj"
}

# count PROGRAM ENABLE ARGUMENT...
count()
{
	program=$work/$1
	enable=$2
	shift 2
	SELFMON_ENABLE=$enable SELFMON_EVENTS=none SELFMON_OUTPUT=none \
		valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$program" -q -c "$@" 2>&1 > "$work/out" |
		awk '/Collected :/ { print $NF }'
}

cp -r "$zstd" "$work/plain"
cp -r "$zstd" "$work/block"
scope block compress/zstd_compress.c ZSTD_buildSeqStore \
	ZSTD_entropyCompressSeqStore
scope block compress/zstd_double_fast.c ZSTD_compressBlock_doubleFast
scope block decompress/zstd_decompress_block.c ZSTD_decodeLiteralsBlock \
	ZSTD_decodeSeqHeaders ZSTD_decompressSequences \
	ZSTD_decompressSequencesSplitLitBuffer ZSTD_decompressBlock_internal
cp -r "$work/block" "$work/sequence"
scope sequence compress/zstd_compress_internal.h ZSTD_storeSeq
link="-Wl,--no-as-needed -L$build -lselfmon -Wl,-rpath,$build"
build plain zstd-plain '' ''
build block zstd-off -DSELFMON_DISABLE ''
build block zstd-block '' "$link"
build sequence zstd-sequence '' "$link"

"$work/zstd-plain" -q -c "$work/text" > "$work/packed"
for file in text packed; do
	[ $file = text ] && way=-3 || way=-d
	base=$(count zstd-plain 1 "$way" "$work/$file")
	printf 'zstd %s, %d bytes: %d instructions\n' "$way" \
		"$(wc -c < "$work/$file")" "$base"
	for run in 'off 1 compiled off' 'block 0 blocks, switched off' \
		'block 1 blocks, time alone' \
		'sequence 0 sequences too, switched off' \
		'sequence 1 sequences too, time alone'; do
		program=${run%% *}
		run=${run#* }
		n=$(count "zstd-$program" "${run%% *}" "$way" "$work/$file")
		awk -v n="$n" -v base="$base" -v what="${run#* }" 'BEGIN {
			printf "  %-32s %+10d  %+6.2f %%\n", what, n - base,
				100 * (n / base - 1) }'
	done
done
