/* SPDX-License-Identifier: MIT */
/*
 * Time: converts timestamp counter ticks to nanoseconds.
 *
 * The sources, best first; every report names the source in use:
 *   perf page      mult and shift from the page of a software event
 *   CPUID 15H      the crystal's frequency and the ratio, Intel
 *   hypervisor     CPUID 40000010H, TSC frequency in kHz
 *   calibrated     measured against CLOCK_MONOTONIC_RAW
 *   clock_gettime  used if the timestamp counter is not steady: not invariant,
 *                  or marked unstable by the kernel
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_CLOCK_H
#define SELFMON_CLOCK_H


SELFMON_C_BEGIN

enum selfmon_clock_source {
	SELFMON_CLOCK_NONE = 0,      /* not chosen yet */
	SELFMON_CLOCK_PERF_PAGE,
	SELFMON_CLOCK_CPUID,
	SELFMON_CLOCK_HYPERVISOR,
	SELFMON_CLOCK_CALIBRATED,
	SELFMON_CLOCK_GETTIME
};

/*
 * A conversion: ns = (ticks * mult) >> shift, in 128 bits. ticks come from
 * selfmon_arch_timestamp(), or for SELFMON_CLOCK_GETTIME from CLOCK_MONOTONIC
 * in nanoseconds.
 */
struct selfmon_clock {
	enum selfmon_clock_source source;
	uint32_t shift;
	uint64_t mult;
	uint64_t hz;          /* ticks per second */
	uint32_t error_ppm;   /* known error of mult; 0: exact by definition */
	uint32_t reserved;
};

/*
 * Returns the process's clock, which is chosen at the first call. A calibrated
 * clock is measured over the time since the library was first used in this
 * process, so a later first call has a smaller error; error_ppm states the
 * error. If the error would exceed 1000 ppm, waits for at most 1 ms. Always
 * succeeds. The clock never changes, and a forked child has the same clock.
 * Thread-safe; not async-signal-safe.
 */
SELFMON_API const struct selfmon_clock *selfmon_clock(void);

/* Returns "perf page", "CPUID 15H", ...; never NULL. */
SELFMON_API const char *
selfmon_clock_source_name(enum selfmon_clock_source source);

/*
 * Returns the current time in ticks of the process's clock. Within a thread the
 * time never decreases. Async-signal-safe once the library has been used in the
 * process.
 */
SELFMON_API uint64_t selfmon_clock_ticks(void);

/*
 * Converts ticks to nanoseconds, rounded down. The product cannot overflow. The
 * result is wrong only if it is 2^64 ns (584 years) or more.
 */
#ifndef SELFMON_DISABLE
SELFMON_INLINE uint64_t selfmon_clock_ns(const struct selfmon_clock *clock,
					 uint64_t ticks)
{
	__extension__ typedef unsigned __int128 selfmon_impl_u128;

	return (uint64_t)(((selfmon_impl_u128)ticks * clock->mult) >>
			  clock->shift);
}
#endif

/* Resources used by the calling thread since it started. */
struct selfmon_thread_usage {
	uint64_t cpu_ns;    /* CPU time */
	uint64_t preempted; /* involuntary context switches */
	uint64_t blocked;   /* voluntary context switches */
};

/*
 * Fills *usage with two system calls; needs no privilege and no PMU. Values
 * that the kernel refuses to return (a seccomp filter) are 0. Thread-safe and
 * async-signal-safe.
 */
SELFMON_API void selfmon_thread_usage(struct selfmon_thread_usage *usage);

SELFMON_C_END

#endif
