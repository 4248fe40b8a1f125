/* SPDX-License-Identifier: MIT */
/* The complete counter set; its public head comes first. */
#ifndef SELFMON_COUNTERS_SET_H
#define SELFMON_COUNTERS_SET_H

#include <sys/types.h>

#include <selfmon/counters.h>

/* State of an event's page, seen while the event was on the PMU. */
enum selfmon_page_shows {
	SELFMON_PAGE_UNSEEN = 0, /* the event was off the PMU at each look */
	SELFMON_PAGE_USABLE,     /* a readable register */
	SELFMON_PAGE_SHARE,      /* a share of slots: PERF_METRICS */
	SELFMON_PAGE_REFUSED     /* no register, or no user reads */
};

/* One requested event and its state. */
struct selfmon_member {
	struct selfmon_event event;
	struct selfmon_failure failure; /* error 0: it is counted */
	const struct selfmon_page *page;
	struct selfmon_failure unmapped; /* error 0: its page is mapped */
	int fd_plus_1;                  /* 0: none, as in wiped memory */
	bool gone;                      /* the descriptor was closed and
					   reused */
	uint64_t id;                    /* of the event; 0: unknown */
	uint64_t looked;                /* last check in ticks; see group.c */
	uint32_t column;                /* its position before any was
					   dropped */
	enum selfmon_group group;       /* the set's group, not a {} */
	enum selfmon_page_shows shows;  /* see selfmon_group_look() */
	uint8_t shift;                  /* USABLE: 64 - width of the register */
	bool kernel;
	bool paged; /* keeps a page instead of a descriptor */
	bool final; /* failed before all groups were opened again */
	bool idle;  /* for cores that the thread never runs on: not open */
	bool roams; /* the thread may run on cores that do not count it */
	uint8_t core; /* its core type; see event/cores.h */
};

/*
 * Contents of a set's pages when the sum of their locks was `locks`. While the
 * sum is unchanged the first events are on these counters, and the rest is
 * valid too. Kept separately since the fast path of a visit reads nothing else;
 * see struct selfmon_visit.
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
	uint64_t trusted_ticks;       /* how long a descriptor is not checked
					 again, at a visit's end */
	pid_t pid;                    /* of the opener; 0 in wiped memory */
	uint32_t asked;               /* number of members, including dropped
					 ones */
	const char *why_syscall;      /* why there are no user reads; else
					 NULL */
	struct selfmon_failure left_out; /* members of @sets left out; error 0:
					    none */
	struct selfmon_threads *threads; /* see threads.h; NULL: counts the
					    opener only */
	/*
	 * Replace the pages after a fault: the leader's, and the others'; see
	 * guard.c.
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
 * Returns the sum of the first pages' locks. Locks only grow, by two at a time.
 * If two sums are equal, no lock changed in between, unless all locks together
 * changed exactly 2^31 times.
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

/* Tolerance above the bound per tick: reads overlap. */
#define SELFMON_POSSIBLE_SLACK 4096

/*
 * Groups rotate on the PMU within a few rotations of about 4 ms of the thread's
 * time (kernel kernel/events/core.c, perf_rotate_context), unless pinned events
 * hold it. The library waits for a group that long, or for that many reads if
 * time does not advance.
 */
#define SELFMON_TURN_NS 40000000u
#define SELFMON_TURN_READS 1000000

#endif
