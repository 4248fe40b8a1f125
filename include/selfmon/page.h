/* SPDX-License-Identifier: MIT */
/*
 * The heart: one read of one user page.
 *
 * The kernel maps a page for each event. In it: which hardware counter holds
 * the event just now (index), what to add to the register (offset), how wide
 * the register is, and a sequence word (lock) which moves when any of these
 * does. A read is: lock, index, offset, counter, lock again; if the lock
 * moved, once more.
 *
 * Why this is enough. The page is changed by the kernel on the CPU that runs
 * the event's thread: by a context switch or by an interrupt, both of which
 * happen between two of our instructions, never beside them. So there is no
 * second CPU to be ordered against and the fences below bind the compiler
 * only; their partner is perf_event_update_userpage() (kernel/events/core.c),
 * which steps the lock before and after its stores. One case breaks that
 * rule: another thread may make the kernel update the page from its own CPU
 * (IOC_RESET; mmap on riscv64). Then an odd lock could stay odd, so an odd
 * lock is never waited out and the loop is bounded.
 *
 * What the result is. offset + sign-extended register is a 64-bit count, but
 * one that may be 2^width too small until the event is next scheduled. Only the
 * difference of two counts is a number of events, of any size up to 2^64:
 * selfmon_page_delta() repairs it where the later count was too small. Where
 * the earlier one was, the difference is 2^width too large, which
 * selfmon_counters_delta() recognises by the time between the two.
 *
 * What it is not. index 0 means "no counter just now" and nothing more: on
 * arm64, and for software events, the event may be counting and the page be
 * stale. The caller takes the slow path, read(2).
 *
 * Only the thread that opened the event may read it so: another thread would
 * read its own CPU's register.
 */
#ifndef SELFMON_PAGE_H
#define SELFMON_PAGE_H

#include "arch.h"
#include "compiler.h"

SELFMON_C_BEGIN

/*
 * Our own layout of struct perf_event_mmap_page, since installed headers may
 * be older than the kernel. Checked against <linux/perf_event.h> where it
 * knows the member (libselfmon/counters/page.c). All members that a read
 * needs lie in the first cache line.
 */
struct selfmon_page {
	uint32_t version;         /* 0 on every kernel: says nothing */
	uint32_t compat_version;  /* likewise */
	uint32_t lock;
	uint32_t index;           /* counter + 1, 0: none just now */
	int64_t offset;           /* add to the sign-extended register */
	uint64_t time_enabled;    /* ns of thread time, at the last update */
	uint64_t time_running;    /* the part of it on the PMU */
	uint64_t capabilities;    /* SELFMON_PAGE_CAP_* */
	uint16_t pmc_width;       /* bits of the register; 0 without a PMU */
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;            /* of what the kernel fills in */
	uint32_t reserved;
	uint64_t time_cycles;     /* with CAP_TIME_SHORT, size >= 96 */
	uint64_t time_mask;
};

/*
 * Bits of capabilities as the kernel numbers them on little-endian machines.
 * Kernels 3.4 to 3.11 used bit 0 for two meanings at once; 3.12 left it 0 and
 * set bit 1 for ever to say so (commit fa7315871046).
 */
#define SELFMON_PAGE_CAP_BIT0 (UINT64_C(1) << 0)
#define SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED (UINT64_C(1) << 1)
#define SELFMON_PAGE_CAP_USER_RDPMC (UINT64_C(1) << 2)
#define SELFMON_PAGE_CAP_USER_TIME (UINT64_C(1) << 3)
#define SELFMON_PAGE_CAP_USER_TIME_ZERO (UINT64_C(1) << 4)
#define SELFMON_PAGE_CAP_USER_TIME_SHORT (UINT64_C(1) << 5)

/* index - 1 of Intel's PERF_METRICS: packed fractions, not a counter. */
#define SELFMON_PAGE_PERF_METRICS (UINT32_C(1) << 29)

/* How often a read is tried before the slow path is taken. */
#define SELFMON_PAGE_TRIES 64

/*
 * The instruction that reads a counter. A test may define it before it
 * includes this header, to drive the loop below with a model of a PMU.
 */
#ifndef SELFMON_READ_COUNTER
#define SELFMON_READ_COUNTER(counter, set)                                     \
	selfmon_arch_read_counter(counter, set)
#define SELFMON_READ_COUNTERS SELFMON_ARCH_COUNTERS
#endif
/* The numbers it takes: below this. */
#ifndef SELFMON_READ_COUNTERS
#define SELFMON_READ_COUNTERS UINT32_MAX
#endif

/* The low 64 - shift bits of raw, sign-extended; shift = 64 - width. */
SELFMON_ALWAYS_INLINE uint64_t selfmon_page_extend(uint64_t raw,
						   unsigned int shift)
{
	return (uint64_t)((int64_t)(raw << shift) >> shift);
}

/*
 * Is there a counter to read? On most machines index alone says so; on some
 * the capability comes and goes with it, and a number in between is no
 * counter's.
 */
SELFMON_ALWAYS_INLINE bool selfmon_page_owns(const struct selfmon_page *page,
					     uint32_t index)
{
	if (index - 1 >= SELFMON_READ_COUNTERS) /* 0, or beyond the last */
		return false;
	if (!SELFMON_ARCH_CAPABILITY_VARIES)
		return true;
	return selfmon_load_once(&page->capabilities) &
		       SELFMON_PAGE_CAP_USER_RDPMC &&
	       index - 1 != SELFMON_ARCH_COUNTERS_HOLE;
}

/*
 * Returns true if an event with this page may be read in user space at all, and
 * sets *shift to 64 - pmc_width. The event must be on the PMU: off it, the page
 * has no index. The answer is constant for the event's life but for index,
 * which every read checks. Async-signal-safe.
 */
SELFMON_INLINE bool selfmon_page_check(const struct selfmon_page *page,
				       unsigned int *shift)
{
	const uint64_t capabilities = selfmon_load_once(&page->capabilities);
	const unsigned int width = selfmon_load_once(&page->pmc_width);
	const uint32_t index = selfmon_load_once(&page->index);

	if (!SELFMON_ARCH_USER_READ)
		return false;
	/* Bit 1 clear: a kernel before 3.12, whose bit 0 cannot be trusted. */
	if (!(capabilities & SELFMON_PAGE_CAP_BIT0_IS_DEPRECATED) ||
	    !(capabilities & SELFMON_PAGE_CAP_USER_RDPMC))
		return false;
	/*
	 * A software clock event that samples may show the capability by
	 * accident (its flags share a union with the timer); its width is 0.
	 */
	if (width < 1 || width > 64)
		return false;
	if (!selfmon_page_owns(page, index) ||
	    index - 1 == SELFMON_PAGE_PERF_METRICS)
		return false;
	*shift = 64 - width;
	return true;
}

/* What one try to read a page came to. */
enum selfmon_page_try {
	SELFMON_PAGE_READ,  /* a register and its offset */
	SELFMON_PAGE_MOVED, /* the lock moved meanwhile: try again */
	SELFMON_PAGE_NONE   /* no counter just now */
};

/* set: what the guard is to take out of user reads if this one faults. */
SELFMON_ALWAYS_INLINE enum selfmon_page_try
selfmon_page_try(const struct selfmon_page *page, const void *set,
		 uint64_t *offset, uint64_t *raw)
{
	const uint32_t lock = selfmon_load_once(&page->lock);
	uint32_t index;

	selfmon_compiler_fence(); /* perf_event_update_userpage: 2nd */
	index = selfmon_load_once(&page->index);
	*offset = (uint64_t)selfmon_load_once(&page->offset);
	if (selfmon_unlikely(!selfmon_page_owns(page, index)))
		return SELFMON_PAGE_NONE;
	*raw = SELFMON_READ_COUNTER(index - 1, set);
	selfmon_compiler_fence(); /* perf_event_update_userpage: 1st */
	return selfmon_likely(selfmon_arch_is(&page->lock, lock))
		       ? SELFMON_PAGE_READ
		       : SELFMON_PAGE_MOVED;
}

/*
 * One count, in user space.
 *
 * page:   of an event of the calling thread that passed selfmon_page_check()
 * shift:  64 - pmc_width, from selfmon_page_check()
 * value:  receives the count; untouched on false
 * moved:  += how often the lock had moved
 *
 * true, or false for: take the slow path (no counter just now, or the lock
 * moved SELFMON_PAGE_TRIES times). Async-signal-safe; no system call. Belongs
 * to no set: the guard (see counters.h) lets its faults pass.
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
 * Returns the difference of two counts of one event: b - a, and where that is
 * negative and the register narrower than 64 bits, + 2^width: the kernel
 * bases offset on the zero-extended register between an update and the next
 * set_period, which makes a count exactly 2^width too small until the event
 * is next scheduled (x86_perf_event_update() and its twins). Sets *repaired to
 * true if 2^width was added.
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
