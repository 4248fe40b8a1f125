#!/bin/sh
# SPDX-License-Identifier: MIT
# boot.sh RIG KERNEL PROGRAMS SETTINGS COMMAND: boots a guest once, with its
# console on stdout.
#
# PROGRAMS is a folder of static programs. COMMAND is one of them with its
# arguments, or empty for a shell. SETTINGS has the format of the column
# "settings" in scenarios.txt. The script exits with 124 if the guest has made
# no progress. QEMU's own status has no meaning.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

rig=$1
kernel=$2
programs=$3
settings=$4
command=$5
. "$here/rig-$rig.sh"

qemu=$("$here/get.sh" "$rig_qemu")
linux=$("$here/get.sh" linux "$rig_architecture" "$kernel")
busybox=$("$here/get.sh" busybox "$rig_architecture")

work=$(mktemp -d "${TMPDIR:-/tmp}/selfmon-vm.XXXXXX")
guest=
trap '[ -z "$guest" ] || kill "$guest" 2> /dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cpus=1
silence=300
arguments="$rig_kernel_arguments quiet panic=-1 rdinit=/init"
mkdir -p "$work/root/bin" "$work/root/tests"
: > "$work/scenario"

say_in_guest()
{
	printf '%s\n' "$1" >> "$work/scenario"
}

# setting WORD: applies one word of SETTINGS
setting()
{
	value=${1#*=}
	case $1 in
	cpus=*) cpus=$value ;;
	silence=*) silence=$value ;;
	long) ;;
	perf)
		perf=$("$here/get.sh" perf "$rig_architecture" "$kernel")
		cp -r "$perf/root/." "$work/root"
		;;
	exact) say_in_guest "export SELFMON_HW_EXACT=1" ;;
	sysctl.*=*)
		name=${1#sysctl.}
		say_in_guest "sysctl_is ${name%%=*} $value"
		;;
	env.*=*) say_in_guest "export ${1#env.}" ;;
	+*) arguments="$arguments ${1#+}" ;;
	*=*) rig_setting "${1%%=*}" "$value" ||
		die "rig $rig has no setting '$1'" ;;
	*) die "rig $rig has no setting '$1'" ;;
	esac
}

# The hardware tests may change the guest's settings. The other programs print
# no report.
case $command in
hw | hw\ *) say_in_guest "export SELFMON_HW_GUEST=1" ;;
*) say_in_guest "export SELFMON_OUTPUT=none" ;;
esac
say_in_guest "export TEST_PROGRESS=1"
# The long form of tests/kernel is meant for real machines.
case ${TEST_FORM:-},$command in
long,hw | long,hw\ *) say_in_guest "export TEST_FORM=long" ;;
long,*) say_in_guest "export TEST_FORM=full" ;;
esac
for word in $rig_defaults $settings; do
	setting "$word"
done
say_in_guest "${command:+run }${command:-run_shell}"

# Adds the guest's other files, and makes one archive of all files.
install -m 755 "$busybox/busybox" "$work/root/bin/busybox"
install -m 755 "$here/init" "$work/root/init"
cp "$work/scenario" "$work/root/scenario"
cp "$programs"/* "$work/root/tests/"
(cd "$work/root" && find . | cpio -o -H newc --quiet) > "$work/initrd"

# Each boot has the same date and the same random numbers.
set -- "$cpus" -m 512 -display none -no-reboot -kernel "$linux/vmlinux" \
	-initrd "$work/initrd" -append "$arguments" -seed 1 \
	-rtc base=2026-01-01,clock=vm
if [ -z "$command" ]; then
	(rig_boot "$@" -serial mon:stdio)
	exit
fi

# The boot is stopped if no line arrives between two checks, which are $silence
# seconds apart. Even a slow machine prints the name of each test that begins.
# Lines of the kernel, which begin with "[", do not count, because a hanging
# guest may print them forever.
console=$work/console
: > "$console"
(rig_boot "$@" -monitor none -serial chardev:console \
	-chardev "file,id=console,path=$console") < /dev/null &
guest=$!
seen=-1
status=0
until timeout "$silence" tail -s 0.2 --pid="$guest" -f /dev/null; do
	lines=$(grep -avc '^\[' "$console" || :)
	if [ "$lines" = "$seen" ]; then
		status=124
		kill "$guest"
	fi
	seen=$lines
done
wait "$guest" || :
guest=
cat "$console"
exit $status
