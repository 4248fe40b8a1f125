# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: a PC under QEMU with qemu/arch_perfmon.c, 4 general and 3 fixed
# counters.
#
# width=BITS  of the counters (48)
# skid=N      instructions from an overflow to its interrupt (0)
# pmu=off     a machine without counters

rig_architecture=amd64
rig_qemu=qemu-x86
rig_defaults="sysctl.kernel.perf_event_paranoid=2"

# rig_setting NAME VALUE: returns false if the rig has no such setting
rig_setting()
{
	case $1 in
	width) export PERFMON_WIDTH="$2" ;;
	skid) export PERFMON_SKID="$2" ;;
	pmu) x86_pmu=$2 ;;
	*) return 1 ;;
	esac
}

# rig_boot CPUS ARGUMENT...: runs QEMU with the rig's arguments, followed by
# these arguments. Linux uses architectural counters on this CPU model. The
# instruction count is the clock of all devices, so that runs can be repeated
# exactly.
rig_boot()
{
	x86_cpu=qemu64,vendor=GenuineIntel,family=6,model=6,stepping=3,level=13
	smp=$1
	shift
	exec "$qemu/qemu-x86_64" -M pc -accel tcg -icount shift=0,sleep=off \
		-smp "$smp" -cpu "$x86_cpu,pmu=${x86_pmu:-on},-svm,-hypervisor" \
		-nodefaults -no-user-config -net none "$@"
}

rig_kernel_arguments="console=ttyS0 nmi_watchdog=0 tsc=reliable \
mitigations=off nokaslr"
