#!/bin/sh
# SPDX-License-Identifier: MIT
# boot.sh RIG KERNEL PROGRAMS SETTINGS COMMAND: one boot, console on stdout.
#
# PROGRAMS is a folder of static programs, COMMAND one of them with its
# arguments, or empty for a shell. SETTINGS are scenarios.txt's. Exits with
# 124 when the time is up; QEMU's own status says nothing about the guest.
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
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cpus=1
limit=900
arguments="$rig_kernel_arguments quiet panic=-1 rdinit=/init"
: > "$work/scenario"

guest()
{
	printf '%s\n' "$1" >> "$work/scenario"
}

# setting WORD
setting()
{
	value=${1#*=}
	case $1 in
	cpus=*) cpus=$value ;;
	limit=*) limit=$value ;;
	exact) guest "export SELFMON_HW_EXACT=1" ;;
	sysctl.*=*)
		name=${1#sysctl.}
		guest "sysctl_is ${name%%=*} $value"
		;;
	env.*=*) guest "export ${1#env.}" ;;
	+*) arguments="$arguments ${1#+}" ;;
	*=*) rig_setting "${1%%=*}" "$value" ||
		die "rig $rig has no setting '$1'" ;;
	*) die "rig $rig has no setting '$1'" ;;
	esac
}

# The hardware tests are told where they are; others need not say anything.
case $command in
hw | hw\ *) guest "export SELFMON_HW_GUEST=1" ;;
*) guest "export SELFMON_OUTPUT=none" ;;
esac
for word in $rig_defaults $settings; do
	setting "$word"
done
guest "${command:+run }${command:-run_shell}"

# The guest's files, as one archive
mkdir -p "$work/root/bin" "$work/root/tests"
install -m 755 "$busybox/busybox" "$work/root/bin/busybox"
install -m 755 "$here/init" "$work/root/init"
cp "$work/scenario" "$work/root/scenario"
cp "$programs"/* "$work/root/tests/"
(cd "$work/root" && find . | cpio -o -H newc --quiet) > "$work/initrd"

# The same day and the same random numbers at each boot
set -- "$cpus" -m 512 -display none -no-reboot -kernel "$linux/vmlinux" \
	-initrd "$work/initrd" -append "$arguments" -seed 1 \
	-rtc base=2026-01-01,clock=vm
if [ -n "$command" ]; then
	limiter="timeout --foreground -k 5 $limit"
	rig_boot "$@" -monitor none -serial chardev:console \
		-chardev file,id=console,path=/dev/stdout < /dev/null
else
	limiter=
	rig_boot "$@" -serial mon:stdio
fi
