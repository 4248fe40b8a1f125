#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh check PROGRAMS RIG...: boots the scenarios of these rigs and prints a
# verdict.
# run.sh shell PROGRAMS RIG: starts a shell in the rig's first scenario.
#
# PROGRAMS has a folder of static programs for each rig. VM_SCENARIO=TEXT
# selects the scenarios whose "RIG KERNEL NAME" contains TEXT. Scenarios marked
# as long are booted only with VM_SCENARIO or TEST_FORM=long. VM_KEEP=1 keeps the
# consoles' logs. VM_AGAIN=1 boots failed scenarios once more, and reports both
# results. VM_JOBS=N boots N scenarios at once. VM_TABLE=FILE replaces
# scenarios.txt.
# VM_UNMADE=skip leaves out the scenarios of a machine that cannot be fetched or
# built, and names them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
. "$here/verdict.sh"
table=${VM_TABLE:-$here/scenarios.txt}

# scenarios_of RIG...: prints the selected lines of the table
scenarios_of()
{
	for rig; do
		[ -r "$here/rig-$rig.sh" ] || die "there is no rig '$rig'"
		awk -F ' *[|] *' -v OFS='|' -v rig="$rig" \
			-v want="${VM_SCENARIO:-}" -v form="${TEST_FORM:-}" '
			$4 ~ /(^| )long( |$)/ && form != "long" && !want { next }
			$1 == rig && index($1 " " $2 " " $3, want) {
				$1 = $1 # removes the spaces around each |
				print
			}' "$table"
	done
}

# things_of: prints the parts that get.sh must make for the scenarios on stdin.
# In reverse alphabetical order, parts that take longest to make come first.
things_of()
{
	while IFS='|' read -r rig kernel name settings rest; do
		(
			. "$here/rig-$rig.sh"
			echo "$rig_qemu"
			echo "linux $rig_architecture $kernel"
			echo "busybox $rig_architecture"
			case " $settings " in
			*" perf "*) echo "perf $rig_architecture $kernel" ;;
			esac
		)
	done | sort -ru
}

# judge: boots the scenario that $rig, $kernel, $settings and $command describe,
# and writes $file.log and $file.verdict
judge()
{
	began=$(date +%s)
	status=0
	"$here/boot.sh" "$rig" "$kernel" "$programs/$rig" "$settings" \
		"$command" > "$file.log" 2>&1 || status=$?
	verdict "$title" $(($(date +%s) - began)) "$status" "$file.log" \
		> "$file.verdict"
}

# scenario LINE: boots the scenario, and prints all its output at once, so that
# the outputs of parallel scenarios do not mix
scenario()
{
	IFS='|' read -r rig kernel name settings command << END
$1
END
	title="$rig $kernel $name"
	file=$logs/$(printf '%s' "$title" | tr ' ' '_')
	judge
	if [ -n "${VM_AGAIN:-}" ] &&
		! grep -q '^counts [0-9]* 0 ' "$file.verdict"; then
		flock "$logs/lock" sed '$d; s/^/first boot: /' "$file.verdict"
		echo "$title" >> "$logs/again"
		judge
	fi
	flock "$logs/lock" sed '$d' "$file.verdict"
	[ -z "${VM_KEEP:-}" ] || echo "    log: $file.log"
}

total()
{
	[ ! -e "$logs/again" ] || sed 's/^/booted a second time: /' "$logs/again"
	cat "$logs"/*.verdict | awk '
		$1 == "counts" { passed += $2; failed += $3; skipped += $4 }
		END {
			printf "%d passed, %d failed, %d skipped\n",
				passed, failed, skipped
			exit failed > 0 || passed == 0
		}'
}

# without_unmade: removes the scenarios that need a part listed in $logs/unmade.
# Fails if VM_UNMADE is not skip.
without_unmade()
{
	[ "${VM_UNMADE:-}" = skip ] ||
		die "a machine could not be made ready: see above"
	mv "$logs/scenarios" "$logs/wanted"
	while read -r line; do
		if printf '%s\n' "$line" | things_of |
			grep -qFxf "$logs/unmade"; then
			printf 'NOT BOOTED: %s: no machine\n' "$line"
		else
			printf '%s\n' "$line" >> "$logs/scenarios"
		fi
	done < "$logs/wanted"
	[ -s "$logs/scenarios" ] || die "no machine could be made ready"
}

check()
{
	scenarios_of "$@" > "$logs/scenarios"
	[ -s "$logs/scenarios" ] ||
		die "no scenario of $* matches '${VM_SCENARIO:-}'"
	things_of < "$logs/scenarios" |
		xargs -P 3 -I '{}' sh -c "'$here/get.sh' {} > /dev/null ||
			echo '{}' >> '$logs/unmade'"
	[ ! -e "$logs/unmade" ] || without_unmade
	tr '\n' '\0' < "$logs/scenarios" | xargs -0 -n 1 \
		-P "${VM_JOBS:-$(nproc)}" "$0" scenario "$programs" "$logs" ||
		die "a scenario could not be run: see above"
	[ "$(cat "$logs"/*.verdict | grep -c '^counts')" = \
		"$(wc -l < "$logs/scenarios")" ] ||
		die "a scenario has no verdict: are two of the same name?"
	total
}

shell()
{
	scenarios_of "$1" | head -n 1 | {
		IFS='|' read -r rig kernel name settings command
		step "$rig, kernel $kernel, as in scenario $name"
		"$here/boot.sh" "$rig" "$kernel" "$programs/$rig" \
			"$settings" "" < /dev/tty
	}
}

[ $# -ge 3 ] || die "usage: run.sh check|shell PROGRAMS RIG..."
action=$1
programs=$2
shift 2
case $action in
scenario)
	logs=$1
	scenario "$2"
	;;
check)
	for pair in cpio:cpio timeout:coreutils awk:mawk xargs:findutils; do
		need "${pair%:*}" "${pair#*:}"
	done
	logs=$(mktemp -d "${TMPDIR:-/tmp}/check-vm.XXXXXX")
	trap '[ -n "${VM_KEEP:-}" ] || rm -rf "$logs"' EXIT
	trap 'exit 130' INT TERM
	check "$@"
	;;
shell) shell "$1" ;;
*) die "'$action' is neither check nor shell" ;;
esac
