#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD [NAME...]: checks that a test fails if a defence is removed.
#
# Each NAME.patch in this folder removes one defence of the library. Its head
# has three lines. "Kills:" names the suites of the hardware tests that must
# fail with the patch, or, as selftest:CHECK, rows of selfmon selftest --quick
# --perf. "Where: RIG NAME" is the scenario of tests/vm/scenarios.txt. "What:"
# says what the patch changes. All mutants of a scenario run in one boot, after
# the unchanged library has passed the same suites there. The script fails
# unless every mutant is killed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)

. "$here/common.sh"

# build RIG TO KILLS: builds the hardware tests of the patched tree as one
# static program, the file TO. If KILLS begins with selftest:, builds selfmon
# instead.
build()
{
	program=hw/run
	case $3 in selftest:*) program=vm/selfmon ;; esac
	case $1 in
	x86-64) architecture='' strip=strip ;;
	arm64) architecture=arm64 strip=aarch64-linux-gnu-strip ;;
	riscv64) architecture=riscv64 strip=riscv64-linux-gnu-strip ;;
	*) die "there is no rig '$1'" ;;
	esac
	make -s -j "$(nproc)" -C "$work/tree" ARCH=$architecture CPUID=0 \
		O="build/$1" "build/$1/$program" > "$work/build.log" 2>&1 ||
		return 1
	mkdir -p "$(dirname "$2")"
	$strip -o "$2" "$work/tree/build/$1/$program"
}

# mutate NAME: builds the mutant, or prints why it cannot be built
mutate()
{
	rig=$(head_of Where "$1" | cut -d ' ' -f 1)
	place=$(head_of Where "$1" | tr ' ' '_')
	apply "$1" || return 0
	if build "$rig" "$work/$place/$1" "$(head_of Kills "$1")"; then
		echo "$1 $(head_of Kills "$1")" >> "$work/$place.list"
	else
		no_longer_builds "$1"
	fi
	take_back "$1"
}

# The guest's program runs the unchanged library, then each mutant.
write_guest_script()
{
	cat << 'END'
#!/bin/busybox sh
cd /tests
# rows NAME CHECK...: returns 1 if one of these checks fails, 127 if no check
# passes
rows()
{
	timeout 300 "./$1" selftest --quick --perf > /tmp/log 2>&1
	shift
	for check; do
		grep -q "^fail  *${check#selftest:} " /tmp/log && return 1
	done
	grep -q '^pass' /tmp/log || return 127
}
while read -r name suites; do
	case $suites in
	selftest:*) rows "$name" $suites ;;
	*) timeout 100 "./$name" $suites > /tmp/log 2>&1 ;;
	esac
	echo "MUTANT $name $?"
	[ "$name" != unchanged ] || cat /tmp/log
done < list
END
}

# run_scenario PLACE: PLACE is RIG_NAME
run_scenario()
{
	rig=${1%%_*}
	name=${1#*_}
	line=$(awk -F ' *[|] *' -v rig="$rig" -v name="$name" \
		'$1 == rig && $3 == name { print $2 "|" $4; exit }' \
		"$source/tests/vm/scenarios.txt")
	[ -n "$line" ] || die "scenarios.txt has no '$rig' scenario '$name'"
	suites=$(cut -d ' ' -f 2- "$work/$1.list" | tr ' ' '\n' | sort -u |
		tr '\n' ' ')
	build "$rig" "$work/$1/unchanged" "$suites" || die "the library does not build"
	{ echo "unchanged $suites"; cat "$work/$1.list"; } > "$work/$1/list"
	write_guest_script > "$work/$1/all"
	chmod +x "$work/$1/all"
	"$source/tests/vm/boot.sh" "$rig" "${line%%|*}" "$work/$1" \
		"${line#*|} silence=600 env.SELFMON_HW_GUEST=1" all > "$work/$1.log" 2>&1 || true
	tr -d '\r' < "$work/$1.log" > "$work/$1.text"
	grep -q '^MUTANT unchanged 0$' "$work/$1.text" || {
		cat "$work/$1.text" >&2
		die "$rig $name: the unchanged library fails there"
	}
	while read -r mutant suites; do
		verdict "$1" "$mutant" "$suites"
	done < "$work/$1.list"
}

# verdict PLACE NAME SUITES
verdict()
{
	status=$(sed -n "s/^MUTANT $2 //p" "$work/$1.text")
	what=$(head_of What "$2")
	case $status in
	0) result SURVIVED "$2" "$3: $what" ;;
	2 | 126 | 127 | '') result lost "$2" "$3 did not run: see $work/$1.log" ;;
	*) result killed "$2" "$3: $what" ;;
	esac
}

work=$(mkdir -p "$1" && cd "$1" && pwd)/mutants
shift
make_tree
: > "$work/results"
[ $# -gt 0 ] || set -- "$here"/*.patch
for mutant; do
	mutant=$(basename "$mutant" .patch)
	[ -r "$here/$mutant.patch" ] || die "there is no mutant '$mutant'"
	mutate "$mutant"
done
for list in "$work"/*.list; do
	[ ! -e "$list" ] || run_scenario "$(basename "$list" .list)"
done
awk '{ n[$1]++ } END {
	printf "%d killed, %d survived, %d stale, %d lost\n", n["killed"],
		n["SURVIVED"], n["stale"], n["lost"]
	exit n["killed"] != NR || NR == 0
}' "$work/results"
