/* SPDX-License-Identifier: MIT */
/* The complete counter set. Its first member is the public head. */
#ifndef SELFMON_COUNTERS_SET_H
#define SELFMON_COUNTERS_SET_H

#include <sys/types.h>

#include <selfmon/counters.h>

/* Whether an event's page permits user reads, when the event is on the PMU. */
enum selfmon_page_shows {
	/* Not known: the event was off the PMU at each inspection. */
	SELFMON_PAGE_UNSEEN = 0,
	SELFMON_PAGE_USABLE,     /* a readable register */
	/* The register is Intel's PERF_METRICS; see user_read.c. */
	SELFMON_PAGE_SHARE,
	SELFMON_PAGE_REFUSED /* there is no register, or user reads are off */
};

struct selfmon_member {
	struct selfmon_event event;
	struct selfmon_failure failure; /* error is 0 if the event is counted */
	const struct selfmon_page *page;
	struct selfmon_failure unmapped; /* error is 0 if the page is mapped */
	int fd_plus_1; /* 0: no descriptor, as in memory wiped by fork() */
	bool gone; /* the program closed the descriptor */
	uint64_t id; /* the kernel's id of the event; 0: unknown */
	/* Ticks of the last check of the descriptor; see group.c. */
	uint64_t looked;
	uint32_t column; /* index among the members before any was dropped */
	/* The group that counts the member; not the user's {}. */
	enum selfmon_group group;
	enum selfmon_page_shows shows;
	uint8_t shift; /* 64 - width of the register, if shows is USABLE */
	bool kernel;
	bool paged; /* its page must be mapped; see wants_page() in group.c */
	/* Failed, and is not tried again in other groups or later. */
	bool final;
	bool idle;  /* not opened: the thread never runs on these cores */
	/* The thread may run on cores that do not count the event. */
	bool roams;
	uint8_t core; /* type of the cores that count it; see event/cores.h */
};

/*
 * The contents of a set's pages when the sum of their locks was `locks`. While
 * the sum is unchanged, the cached counter numbers and offsets are valid. The
 * fast path of a visit reads only struct selfmon_page_cache. The rarely used
 * part is in struct selfmon_page_cache_rest, away from this fast path; see
 * struct selfmon_visit.
 */
#define SELFMON_PAGE_CACHE_COUNTERS 4
struct selfmon_page_cache {
	uint32_t locks; /* odd: the cache is empty */
	uint32_t counter[SELFMON_PAGE_CACHE_COUNTERS];
};
#define SELFMON_LOCKS_UNKNOWN 1

struct selfmon_page_cache_rest {
	uint32_t counter[SELFMON_MAX_COUNTERS - SELFMON_PAGE_CACHE_COUNTERS];
	uint64_t offset[SELFMON_MAX_COUNTERS];
};

struct selfmon_set {
	struct selfmon_counters head; /* must be first: the public part */
	/*
	 * The end of a visit does not check the descriptor again if the last
	 * check is less than this many ticks old. See snapshot.c.
	 */
	uint64_t trusted_ticks;
	pid_t pid; /* process that opened the set; 0 in wiped memory */
	uint32_t asked; /* number of members, including dropped ones */
	const char *why_syscall;      /* why there are no user reads, or NULL */
	/*
	 * Why events of a set such as @cache were left out. `error` is 0 if
	 * none was.
	 */
	struct selfmon_failure left_out;
	/* For sets of several threads (threads.h), else NULL. */
	struct selfmon_threads *threads;
	/*
	 * The guard replaces the pages by these after a fault: the leader's
	 * page by the first, all others by the second; see guard.c.
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
 * Returns the sum of the locks of the first `count` pages. Each lock only
 * increases, by two at a time. If two sums are equal, no lock changed in
 * between, except if there were exactly 2^31 changes.
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

/*
 * Number of events that are tolerated above the limit of events per tick. The
 * counters are read before the first timestamp and after the second, so they
 * count for longer than the time between the timestamps.
 */
#define SELFMON_POSSIBLE_SLACK 4096

/*
 * Limits of the wait until a group is on the PMU: the group's time enabled in
 * ns, and the number of reads in case this time does not advance. A group gets
 * onto the PMU within a few rotations of about 4 ms of the thread's time
 * (kernel kernel/events/core.c, perf_rotate_context), unless pinned events hold
 * the PMU.
 */
#define SELFMON_TURN_NS 40000000u
#define SELFMON_TURN_READS 1000000

#endif
