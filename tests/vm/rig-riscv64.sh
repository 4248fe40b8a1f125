# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: QEMU's virt machine with RISC-V's counters, which OpenSBI controls.
#
# cpu=MODEL   (rv64,sscofpmf=on,smcntrpmf=on: exact counts of user mode only)
# pmu-mask=N  the mask of programmable counters (0x8: one counter)
# icount=off  as on arm64

rig_architecture=riscv64
rig_qemu=qemu
rig_defaults="sysctl.kernel.perf_event_paranoid=2"
rig_kernel_arguments="console=ttyS0"

rig_setting()
{
	case $1 in
	cpu) riscv64_cpu=$2 ;;
	pmu-mask) riscv64_mask=,pmu-mask=$2 ;;
	icount) riscv64_icount=$2 ;;
	*) return 1 ;;
	esac
}

rig_boot()
{
	smp=$1
	shift
	cpu=${riscv64_cpu:-rv64,sscofpmf=on,smcntrpmf=on}${riscv64_mask:-}
	[ "${riscv64_icount:-on}" = off ] ||
		set -- -icount shift=0,sleep=off "$@"
	exec "$qemu/qemu-riscv64" -M virt -cpu "$cpu" -smp "$smp" \
		-nodefaults -nic none "$@"
}
