# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: QEMU's virt machine with Arm's PMUv3, a cycle counter and 6 others.
#
# cpu=MODEL   (max: 64-bit counters; cortex-a57: 32-bit ones)
# icount=off  the processors run at the same time, in real time, so there are
#             races; cycles are the only hardware event

rig_architecture=arm64
rig_qemu=qemu
rig_defaults="sysctl.kernel.perf_event_paranoid=2
	sysctl.kernel.perf_user_access=1"
rig_kernel_arguments="console=ttyAMA0"

rig_setting()
{
	case $1 in
	cpu) arm64_cpu=$2 ;;
	icount) arm64_icount=$2 ;;
	*) return 1 ;;
	esac
}

rig_boot()
{
	smp=$1
	shift
	arm64_cpu=${arm64_cpu:-max}
	# Selects an algorithm of pointer authentication that QEMU emulates
	# fast.
	[ "$arm64_cpu" != max ] || arm64_cpu=max,pauth-impdef=on
	[ "${arm64_icount:-on}" = off ] || set -- -icount shift=0,sleep=off "$@"
	exec "$qemu/qemu-aarch64" -M virt,dtb-randomness=off \
		-cpu "$arm64_cpu" -smp "$smp" -nodefaults -nic none "$@"
}
