/* SPDX-License-Identifier: MIT */
/* The complete counter set. It begins with its public head. */
#ifndef SELFMON_COUNTERS_SET_H
#define SELFMON_COUNTERS_SET_H

#include <sys/types.h>

#include <selfmon/counters.h>

/* What the page of an event allows, as seen while the event was on the PMU. */
enum selfmon_page_shows {
	/* Not known: at each look the event was off the PMU. */
	SELFMON_PAGE_UNSEEN = 0,
	SELFMON_PAGE_USABLE,     /* a readable register */
	/* The register holds a share of slots: PERF_METRICS. */
	SELFMON_PAGE_SHARE,
	SELFMON_PAGE_REFUSED /* there is no register, or user reads are off */
};

/* One requested event and its state. */
struct selfmon_member {
	struct selfmon_event event;
	struct selfmon_failure failure; /* error 0: the event is counted */
	const struct selfmon_page *page;
	struct selfmon_failure unmapped; /* error 0: the page is mapped */
	int fd_plus_1; /* 0: no descriptor, as in wiped memory */
	bool gone; /* the program closed it and reused the number */
	uint64_t id; /* the kernel's id of the event; 0: unknown */
	/* Ticks of the last check of the descriptor; see group.c. */
	uint64_t looked;
	uint32_t column; /* position before any member was dropped */
	enum selfmon_group group; /* the set's group of the member; not a {} */
	enum selfmon_page_shows shows;  /* see selfmon_group_look() */
	uint8_t shift; /* if USABLE: 64 - width of the register */
	bool kernel;
	bool paged; /* keeps its page instead of its descriptor */
	/* Failed before all groups were opened again: not tried again. */
	bool final;
	bool idle;  /* not open: for cores on which the thread never runs */
	/* The thread may run on cores that do not count the event. */
	bool roams;
	uint8_t core; /* type of cores that count it; see event/cores.h */
};

/*
 * The contents of a set's pages when the sum of their locks was `locks`. While
 * the sum is unchanged, the first events are on these counters, and the rest is
 * valid too. This is a struct of its own since the fast path of a visit reads
 * nothing else of the pages; see struct selfmon_visit.
 */
#define SELFMON_PAGE_CACHE_COUNTERS 4
struct selfmon_page_cache {
	uint32_t locks; /* odd: nothing is known */
	uint32_t counter[SELFMON_PAGE_CACHE_COUNTERS];
};
#define SELFMON_LOCKS_UNKNOWN 1

struct selfmon_page_cache_rest {
	uint32_t counter[SELFMON_MAX_COUNTERS - SELFMON_PAGE_CACHE_COUNTERS];
	uint64_t offset[SELFMON_MAX_COUNTERS];
};

struct selfmon_set {
	struct selfmon_counters head; /* must be first: the public part */
	uint64_t trusted_ticks;       /* at a visit's end, how long a check
				       * of the descriptor stays valid */
	pid_t pid; /* process that opened the set; 0 in wiped memory */
	uint32_t asked; /* number of members, including dropped ones */
	const char *why_syscall;      /* why there are no user reads, or NULL */
	struct selfmon_failure left_out; /* why members of @sets were left
					  * out; error 0: none were */
	struct selfmon_threads *threads; /* see threads.h; NULL: counts only
					  * the thread that opened it */
	/*
	 * These replace the pages after a fault: one the leader's page, the
	 * other one all others; see guard.c.
	 */
	struct selfmon_page taken, taken_too;
	struct selfmon_member member[SELFMON_MAX_COUNTERS];
};

static inline struct selfmon_set *
selfmon_set_of(const struct selfmon_counters *counters)
{
	return (struct selfmon_set *)(uintptr_t)counters;
}

/*
 * Returns the sum of the locks of the first pages. Locks only grow, by two at a
 * time. If two sums are equal, no lock changed in between, unless the locks
 * together changed exactly 2^31 times.
 */
SELFMON_ALWAYS_INLINE uint32_t
selfmon_set_locks(const struct selfmon_counters *head, unsigned int count)
{
	const struct selfmon_page *page = selfmon_load_once(&head->page[0]);
	uint32_t sum = selfmon_load_once(&page->lock);
	unsigned int i;

#pragma GCC unroll 8
	for (i = 1; i < count; i++) {
		page = selfmon_load_once(&head->page[i]);
		sum = selfmon_arch_plus(sum, &page->lock);
	}
	return sum;
}

/* Counts may exceed the bound per tick by this much, since reads overlap. */
#define SELFMON_POSSIBLE_SLACK 4096

/*
 * A group gets onto the PMU within a few rotations of about 4 ms of the
 * thread's time (kernel kernel/events/core.c, perf_rotate_context), unless
 * pinned events hold the PMU. The library waits for a group for this time, or
 * for as many reads if the time does not advance.
 */
#define SELFMON_TURN_NS 40000000u
#define SELFMON_TURN_READS 1000000

#endif
