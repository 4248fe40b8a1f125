#!/bin/sh
# SPDX-License-Identifier: MIT
# The machine code of one inline read, by each compiler there is: at most 45
# instructions, exactly one RDPMC, no call, three loads before it and the lock
# once more behind it.
set -eu
cd "$(dirname "$0")/../.."
limit=45

skip() {
	echo "check-codegen: skipped: $1"
	exit 0
}

[ "$(uname -m)" = x86_64 ] || skip "the budget is one of x86-64"
command -v objdump > /dev/null || skip "objdump is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/read.c" <<'END'
#include <selfmon/page.h>
bool read_page(const struct selfmon_page *page, unsigned int shift,
	       uint64_t *value, uint32_t *moved);
bool read_page(const struct selfmon_page *page, unsigned int shift,
	       uint64_t *value, uint32_t *moved)
{
	return selfmon_page_read(page, shift, value, moved);
}
END

# One line an instruction: mnemonic and operands, padding left out. Between
# rdpmc and the next branch the lock is loaded once more (gcc keeps its address
# in a register, so it cannot be told by its offset).
judge() {
	objdump -d --no-show-raw-insn "$1" | awk -v limit="$limit" -v cc="$2" '
	/^ *[0-9a-f]+:\t/ {
		sub(/^ *[0-9a-f]+:\t/, "")
		if (/^(nop|data16|cs nop|xchg +%ax,%ax|endbr64)/)
			next
		count++
		if (/^(mov|cmp)[a-z]* +(0x[0-9a-f]+)?\(%/ ||
		    /^cmp.*\(%[^)]*\)$/) {
			if (rdpmc)
				after += !branched
			else
				before++
		}
		branched = branched || (rdpmc && /^j/)
		if (/^rdpmc/)
			rdpmc++
		if (/^call/)
			calls++
	}
	END {
		printf "check-codegen: %s: %d instructions, %d rdpmc, " \
		       "%d calls\n", cc, count, rdpmc, calls
		if (count > limit)
			bad = "more than " limit " instructions"
		if (rdpmc != 1)
			bad = "not exactly one rdpmc"
		if (calls)
			bad = "a call"
		if (before < 3)
			bad = "not lock, index and offset before rdpmc"
		if (after < 1)
			bad = "the lock is not looked at after rdpmc"
		if (bad) {
			print "check-codegen: " cc ": " bad
			exit 1
		}
	}'
}

seen=0
bad=0
for cc in gcc clang; do
	command -v $cc > /dev/null || continue
	seen=$((seen + 1))
	$cc -std=c11 -O2 -fcf-protection=none -Iinclude -c "$work/read.c" \
		-o "$work/$cc.o"
	judge "$work/$cc.o" "$cc" || bad=1
done
[ "$seen" -gt 0 ] || skip "neither gcc nor clang is installed"
exit "$bad"
