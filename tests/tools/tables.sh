#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the machine code of the tables of counter readers: entry i reads
# register i and nothing else. Then swaps entries 12 and 13: the check must
# fail. Machines whose compiler is not installed are named and skipped.
set -eu
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/read.c" <<'END'
#include <selfmon/arch.h>
uint64_t read_counter(uint32_t counter, const void *set);
uint64_t read_counter(uint32_t counter, const void *set)
{
	return selfmon_arch_read_counter(counter, set);
}
END

# judge OBJECT MACHINE STRIDE OBJDUMP: checks all entries
#
# The table begins after the branch into it. If STRIDE is 16, each entry begins
# with a landing pad.
judge() {
	"$4" -d --no-show-raw-insn -M no-aliases "$1" | awk -v machine="$2" \
		-v stride="$3" '
	function number(text,    i, n) {
		n = 0
		for (i = 1; i <= length(text); i++)
			n = n * 16 + index("0123456789abcdef", \
					   substr(text, i, 1)) - 1
		return n
	}
	function register(i) {
		if (machine == "arm64")
			return i == 31 ? "pmccntr_el0" : "pmevcntr" i "_el0"
		if (i == 1)
			return ""
		return i == 0 ? "cycle" : i == 2 ? "instret" : "hpmcounter" i
	}
	/^ *[0-9a-f]+:\t/ {
		at = $1
		sub(/:$/, "", at)
		at = number(at)
		if (row && $2 ~ /^(mrs|csrr)/) {
			split($0, part, /[\t ]*,[\t ]*/)
			name = part[2] # the source, after the target
			place = at - row - (stride == 16 ? 4 : 0)
			if (place % stride) {
				print "not at the place of an entry: " $0
				bad = 1
			}
			seen[place / stride] = name
			count++
		}
		if (!row && $2 ~ /^(br|jr|jalr)$/)
			row = at + 4
	}
	END {
		for (i = 0; i < 32; i++) {
			if (register(i) == "")
				continue
			expected++
			if (seen[i] == register(i))
				continue
			print "entry " i " reads \"" seen[i] "\", not " \
			      register(i)
			bad = 1
		}
		if (count != expected) {
			print count + 0 " registers are read, not " expected
			bad = 1
		}
		exit bad
	}'
}

# check MACHINE PREFIX STRIDE SWAP [FLAG]: compiles the table with FLAG and
# checks it, also after SWAP, a sed command that swaps entries 12 and 13
check() {
	machine=$1 prefix=$2-linux-gnu stride=$3 swap=$4 flag=${5-}
	if ! command -v "$prefix-gcc" > /dev/null; then
		echo "tables: $machine: skipped: install gcc-$prefix"
		return
	fi
	"$prefix-gcc" -std=c11 -O2 $flag -ffreestanding -Iinclude -S \
		"$work/read.c" -o "$work/read.s"
	"$prefix-gcc" -c "$work/read.s" -o "$work/read.o"
	judge "$work/read.o" "$machine" "$stride" "$prefix-objdump"
	sed "$swap" "$work/read.s" > "$work/swapped.s"
	"$prefix-gcc" -c "$work/swapped.s" -o "$work/swapped.o"
	if judge "$work/swapped.o" "$machine" "$stride" "$prefix-objdump" \
		> "$work/found"; then
		echo "tables: $machine: 12 and 13 swapped were not found"
		exit 1
	fi
	echo "tables: $machine${flag:+ $flag}: entry i reads register i;" \
		"$(grep -c '^entry 1[23] ' "$work/found") swapped ones found"
}

arm='s/pmevcntr12_/pmevcntrX_/; s/pmevcntr13_/pmevcntr12_/; s/pmevcntrX_/pmevcntr13_/'
check arm64 aarch64 8 "$arm"
check arm64 aarch64 16 "$arm" -mbranch-protection=standard
check riscv64 riscv64 8 \
	's/0xc00 + 12$/0xc00 + X/; s/0xc00 + 13$/0xc00 + 12/; s/0xc00 + X$/0xc00 + 13/'
