/* SPDX-License-Identifier: MIT */
/*
 * Reads one counter through its event's user page.
 *
 * The kernel maps a page for each event. The page has the number of the
 * hardware counter on which the event is now (index), the number to add to the
 * register (offset), and the register's width. A sequence count (lock) changes
 * with them. A read loads lock, index and offset, reads the counter, and loads
 * lock again. The read is retried if the lock changed.
 *
 * Ordering. The kernel changes the page on the CPU that runs the event's
 * thread, at a context switch or in an interrupt. Both happen between two
 * instructions of this thread. No other CPU is involved, so the fences below
 * only restrict the compiler. They pair with perf_event_update_userpage()
 * (kernel/events/core.c), which increments the lock before and after its
 * stores. There is one exception: another thread can make the kernel update the
 * page from another CPU (IOC_RESET; mmap on riscv64). An odd lock could then
 * stay odd. So the code never waits for an even lock, and the loop has a limit.
 *
 * Result. offset + sign-extended register is a 64-bit count. If the kernel
 * updates the page of a running event without setting a new period (IOC_RESET,
 * throttling), the count is 2^width too small until the kernel sets the next
 * period: at the next overflow, or when the event is next scheduled. Only the
 * difference of two counts is a number of events, of any size up to 2^64. If
 * the later count
 * was too small, selfmon_page_delta() repairs the difference. If the earlier
 * count was too small, the difference is 2^width too large, which
 * selfmon_counters_delta() detects by the time between the two counts.
 *
 * index 0 only means "no counter now". On arm64, and for software events, the
 * event may be counting while the page is stale. So if index is 0, the caller
 * takes the slow path, which uses read(2).
 *
 * Only the thread that opened the event may read it this way: another thread
 * would read the register of its own CPU.
 */
#ifndef SELFMON_PAGE_H
#define SELFMON_PAGE_H

#include "arch.h"
#include "compiler.h"

SELFMON_C_BEGIN

/*
 * Layout of struct perf_event_mmap_page, defined here because installed headers
 * may be older than the kernel. libselfmon/counters/page.c checks it against
 * <linux/perf_event.h>, for the members that both have. All members that a read
 * needs are in the first cache line.
 */
struct selfmon_page {
	uint32_t version;         /* 0 on every kernel, so not useful */
	uint32_t compat_version;  /* also 0 on every kernel */
	uint32_t lock;
	uint32_t index;           /* counter + 1; 0: no counter now */
	/* To be added to the sign-extended register. */
	int64_t offset;
	/* For how long the event was enabled, in ns, at the last update. */
	uint64_t time_enabled;
	/* The part of time_enabled that was on the PMU. */
	uint64_t time_running;
	uint64_t capabilities;    /* SELFMON_PAGE_CAP_* */
	uint16_t pmc_width; /* width of the register in bits, or 0 */
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size; /* size of the part that the kernel fills in */
	uint32_t reserved;
	uint64_t time_cycles;     /* valid with CAP_TIME_SHORT and size >= 96 */
	uint64_t time_mask;
};

/*
 * Bits of capabilities, as the kernel numbers them on little-endian machines.
 * Kernels 3.4 to 3.11 used bit 0 with two meanings. Since 3.12 bit 0 is always
 * 0, and bit 1 is always 1 to show this (commit fa7315871046).
 */
#define SELFMON_PAGE_CAP_BIT0 (UINT64_C(1) << 0)
#define SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED (UINT64_C(1) << 1)
#define SELFMON_PAGE_CAP_USER_RDPMC (UINT64_C(1) << 2)
#define SELFMON_PAGE_CAP_USER_TIME (UINT64_C(1) << 3)
#define SELFMON_PAGE_CAP_USER_TIME_ZERO (UINT64_C(1) << 4)
#define SELFMON_PAGE_CAP_USER_TIME_SHORT (UINT64_C(1) << 5)

/*
 * index - 1 of Intel's PERF_METRICS, a register with packed fractions instead
 * of a count.
 */
#define SELFMON_PAGE_PERF_METRICS (UINT32_C(1) << 29)

/* Number of attempts before a read takes the slow path. */
#define SELFMON_PAGE_TRIES 64

/*
 * The instruction that reads a counter. A test may define it before it includes
 * this header, to run the code below with a model of a PMU.
 */
#ifndef SELFMON_READ_COUNTER
#define SELFMON_READ_COUNTER(counter, set)                                     \
	selfmon_arch_read_counter(counter, set)
#define SELFMON_READ_COUNTERS SELFMON_ARCH_COUNTERS
#endif
/* All counter numbers are below SELFMON_READ_COUNTERS. */
#ifndef SELFMON_READ_COUNTERS
#define SELFMON_READ_COUNTERS UINT32_MAX
#endif

/*
 * Returns raw sign-extended from its low 64 - shift bits; shift = 64 - width.
 */
SELFMON_ALWAYS_INLINE uint64_t selfmon_page_extend(uint64_t raw,
						   unsigned int shift)
{
	return (uint64_t)((int64_t)(raw << shift) >> shift);
}

/*
 * Returns true if the event has a readable counter now. On most machines the
 * index alone shows this. On some, the capability bit must be set as well, and
 * one number in the range is not a counter.
 */
SELFMON_ALWAYS_INLINE bool selfmon_page_owns(const struct selfmon_page *page,
					     uint32_t index)
{
	if (index - 1 >= SELFMON_READ_COUNTERS) /* 0, or too large */
		return false;
	if (!SELFMON_ARCH_CAPABILITY_VARIES)
		return true;
	return selfmon_load_once(&page->capabilities) &
		       SELFMON_PAGE_CAP_USER_RDPMC &&
	       index - 1 != SELFMON_ARCH_COUNTERS_HOLE;
}

/*
 * Returns true if the event of this page can be read in user space, and sets
 * *shift to 64 - pmc_width. The event must be on the PMU: otherwise the page
 * has no index. The result stays valid for the event's life. Only index may
 * change, and every read checks index. Async-signal-safe.
 */
SELFMON_INLINE bool selfmon_page_check(const struct selfmon_page *page,
				       unsigned int *shift)
{
	const uint64_t capabilities = selfmon_load_once(&page->capabilities);
	const unsigned int width = selfmon_load_once(&page->pmc_width);
	const uint32_t index = selfmon_load_once(&page->index);

	if (!SELFMON_ARCH_USER_READ)
		return false;
	/* Bit 1 is 0 on kernels before 3.12, whose bit 0 is unreliable. */
	if (!(capabilities & SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED) ||
	    !(capabilities & SELFMON_PAGE_CAP_USER_RDPMC))
		return false;
	/*
	 * A software clock event with samples may have the capability bit by
	 * accident, since its flags share a union with the timer. The width of
	 * such an event is 0.
	 */
	if (width < 1 || width > 64)
		return false;
	if (!selfmon_page_owns(page, index) ||
	    index - 1 == SELFMON_PAGE_PERF_METRICS)
		return false;
	*shift = 64 - width;
	return true;
}

/* Result of one attempt to read a page. */
enum selfmon_page_try {
	SELFMON_PAGE_READ,  /* raw and offset are valid */
	SELFMON_PAGE_MOVED, /* the lock changed during the read: retry */
	SELFMON_PAGE_NONE   /* no counter now */
};

/*
 * Makes one attempt. set is the counter set that the guard switches to read(2)
 * if this read faults, or NULL.
 */
SELFMON_ALWAYS_INLINE enum selfmon_page_try
selfmon_page_try(const struct selfmon_page *page, const void *set,
		 uint64_t *offset, uint64_t *raw)
{
	const uint32_t lock = selfmon_load_once(&page->lock);
	uint32_t index;

	selfmon_compiler_fence(); /* pairs with the 2nd barrier of
				     perf_event_update_userpage() */
	index = selfmon_load_once(&page->index);
	*offset = (uint64_t)selfmon_load_once(&page->offset);
	if (selfmon_unlikely(!selfmon_page_owns(page, index)))
		return SELFMON_PAGE_NONE;
	*raw = SELFMON_READ_COUNTER(index - 1, set);
	selfmon_compiler_fence(); /* pairs with the 1st barrier of
				     perf_event_update_userpage() */
	return selfmon_likely(selfmon_arch_is(&page->lock, lock))
		       ? SELFMON_PAGE_READ
		       : SELFMON_PAGE_MOVED;
}

/*
 * Reads one count in user space.
 *
 * page:  page of the calling thread's event, checked by selfmon_page_check()
 * shift: 64 - pmc_width, from selfmon_page_check()
 * value: receives the count; unchanged if the result is false
 * moved: incremented for each lock change during the read
 *
 * Returns true, or false if the caller must take the slow path: no counter now,
 * or the lock changed SELFMON_PAGE_TRIES times. Async-signal-safe; no system
 * call. The read belongs to no set, so the guard (see counters.h) does not
 * handle its faults.
 */
SELFMON_ALWAYS_INLINE bool selfmon_page_read(const struct selfmon_page *page,
					     unsigned int shift,
					     uint64_t *value, uint32_t *moved)
{
	int tries;

	for (tries = 0; tries < SELFMON_PAGE_TRIES; tries++) {
		uint64_t offset, raw;

		switch (selfmon_page_try(page, NULL, &offset, &raw)) {
		case SELFMON_PAGE_READ:
			*value = offset + selfmon_page_extend(raw, shift);
			return true;
		case SELFMON_PAGE_MOVED:
			(*moved)++;
			break;
		case SELFMON_PAGE_NONE:
			return false;
		}
	}
	return false;
}

/*
 * Returns the difference b - a of two counts of one event. If the difference is
 * negative and the register is narrower than 64 bits, adds 2^width and sets
 * *repaired. A difference is negative if count b is exactly 2^width too small:
 * x86_perf_event_update() and its equivalents compute offset from the
 * zero-extended register. The next x86_perf_event_set_period() corrects offset,
 * at the latest when the event is next scheduled.
 */
SELFMON_INLINE uint64_t selfmon_page_delta(uint64_t a, uint64_t b,
					   unsigned int shift, bool *repaired)
{
	uint64_t delta = b - a;

	*repaired = (int64_t)delta < 0 && shift > 0;
	if (selfmon_unlikely(*repaired))
		delta += UINT64_C(1) << (64 - shift);
	return delta;
}

SELFMON_C_END

#endif
