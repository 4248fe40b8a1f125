#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the machine code of one inline read, made by each installed compiler:
# at most 45 instructions, exactly one RDPMC, no call, at least three loads
# before the RDPMC, and one more load of the lock after it. Also checks the
# guard's marks, and two reads of the thread pointer.
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

# Reduces each instruction to mnemonic and operands, and drops padding. The
# second load of the lock has no known offset, since gcc keeps the address of
# the lock in a register. So at least one load is required between rdpmc and the
# next branch.
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

# At any optimisation level, the guard's mark follows each RDPMC.
cat > "$work/guarded.c" <<'END'
#include <selfmon.h>
static struct selfmon_counters *set;
static struct selfmon_snapshot a, b;
int main(void)
{
	selfmon_counters_open("cycles", 0, &set, NULL);
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	return 0;
}
END
mark='nopl   0x53466d01('
judge_marks() {
	objdump -d --no-show-raw-insn "$1" | awk -v mark="$mark" -v what="$2" '
	/\trdpmc/ { reads++; expected = 1; next }
	expected { expected = 0; marked += index($0, mark) > 0 }
	END {
		printf "check-codegen: %s: %d of %d reads are marked\n", what,
		       marked, reads
		exit reads == 0 || reads != marked
	}'
}

# A coroutine may continue on another thread between the two snapshots of a set.
# So each snapshot must read the thread pointer, and the compiler must not reuse
# the first value.
cat > "$work/ends.c" <<'END'
#include <selfmon/arch.h>
bool moved(void (*yield)(void));
bool moved(void (*yield)(void))
{
	const void *const before = selfmon_arch_thread_pointer();

	yield();
	return before != selfmon_arch_thread_pointer();
}
END

judge_ends() {
	asked=$(objdump -d --no-show-raw-insn "$1" | grep -c '%fs:0x0')
	[ "$asked" -ge 2 ] && return
	echo "check-codegen: $2: the thread is asked for $asked time(s)"
	return 1
}

seen=0
bad=0
for cc in gcc clang; do
	command -v $cc > /dev/null || continue
	seen=$((seen + 1))
	$cc -std=c11 -O2 -fcf-protection=none -Iinclude -c "$work/read.c" \
		-o "$work/$cc.o"
	judge "$work/$cc.o" "$cc" || bad=1
	for flags in -O0 -O2 '-O3 -fPIC' '-Os -flto' '-O2 -x c++'; do
		# shellcheck disable=SC2086 # several words
		$cc $flags -Iinclude -c "$work/guarded.c" -o "$work/$cc.o"
		case $flags in *lto*)
			$cc $flags -nostdlib -r -flinker-output=nolto-rel \
				"$work/$cc.o" -o "$work/$cc.lto" 2> /dev/null ||
				continue # not every compiler can
			mv "$work/$cc.lto" "$work/$cc.o" ;;
		esac
		judge_marks "$work/$cc.o" "$cc $flags" || bad=1
	done
	$cc -std=c11 -O2 -fcf-protection=none -Iinclude -c "$work/ends.c" \
		-o "$work/$cc.o"
	judge_ends "$work/$cc.o" "$cc" || bad=1
done
[ "$seen" -gt 0 ] || skip "neither gcc nor clang is installed"
exit "$bad"
