/* SPDX-License-Identifier: MIT */
/* The whole of a counter set, behind its public head. */
#ifndef SELFMON_COUNTERS_SET_H
#define SELFMON_COUNTERS_SET_H

#include <sys/types.h>

#include <selfmon/counters.h>

/* What an event's page showed while the event was on the PMU. */
enum selfmon_page_shows {
	SELFMON_PAGE_UNSEEN = 0, /* the event was off the PMU at each look */
	SELFMON_PAGE_USABLE,     /* a register that may be read */
	SELFMON_PAGE_SHARE,      /* a share of slots: PERF_METRICS */
	SELFMON_PAGE_REFUSED     /* no register, or no user reads */
};

/* One event as it was asked for and what became of it. */
struct selfmon_member {
	struct selfmon_event event;
	struct selfmon_failure failure; /* error 0: it counts */
	const struct selfmon_page *page;
	struct selfmon_failure unmapped; /* error 0: its page is mapped */
	int fd_plus_1;                  /* 0: none, as in wiped memory */
	bool gone;                      /* the descriptor is another's */
	uint64_t id;                    /* of the event; 0: not known */
	uint64_t looked;                /* when, in ticks; see group.c */
	uint32_t column;                /* its place before any was dropped */
	enum selfmon_group group;       /* of the set's, not a {} */
	enum selfmon_page_shows shows;  /* see selfmon_group_look() */
	uint8_t shift;                  /* USABLE: 64 - width of the register */
	bool kernel;
	bool paged; /* it is to have a page, not a descriptor */
	bool final; /* it has failed before all was opened anew */
	bool idle;  /* of cores that the thread never runs on: not open */
	bool roams; /* the thread may be on cores that do not count it */
	uint8_t core; /* which type's; see event/cores.h */
};

/*
 * What the pages of a set said when their locks had this sum. While they have
 * it the first events are on these counters, and the rest is so as well. Apart:
 * this is all that a usual visit looks at, see struct selfmon_open.
 */
#define SELFMON_KNOWN_COUNTERS 4
struct selfmon_known {
	uint32_t locks; /* odd: nothing is known */
	uint32_t counter[SELFMON_KNOWN_COUNTERS];
};
#define SELFMON_LOCKS_UNKNOWN 1

struct selfmon_known_rest {
	uint32_t counter[SELFMON_MAX_COUNTERS - SELFMON_KNOWN_COUNTERS];
	uint64_t offset[SELFMON_MAX_COUNTERS];
};

struct selfmon_set {
	struct selfmon_counters head; /* first: the public part */
	uint64_t trusted_ticks;       /* a descriptor, at a visit's end */
	pid_t pid;                    /* of the opener; 0 in wiped memory */
	uint32_t asked;               /* members, dropped ones included */
	const char *why_syscall;      /* no user reads: why; else NULL */
	struct selfmon_failure left_out; /* of @sets; error 0: nothing */
	struct selfmon_threads *threads; /* see threads.h; NULL: the opener */
	/* In the pages' place: the leader's, the others'; see guard.c. */
	struct selfmon_page taken, taken_too;
	struct selfmon_member member[SELFMON_MAX_COUNTERS];
};

/*
 * known.c: what the pages say now; times receives what a snapshot has of the
 * leader's. False: a member owns no counter, or the set is read by read(2).
 */
bool selfmon_set_keep(const struct selfmon_set *set,
		      struct selfmon_known *known,
		      struct selfmon_known_rest *rest,
		      struct selfmon_snapshot *times);

/* guard.c: ends a set's user reads, one in flight included. */
void selfmon_set_take(struct selfmon_counters *counters);
/* 0, or what selfmon_guard_check() says. */
int selfmon_guard_install(void);
/* How many sets the guard has taken out of user reads; in a child, none. */
uint64_t selfmon_guard_taken(void);
void selfmon_guard_forked(void);

static inline struct selfmon_set *
selfmon_set_of(const struct selfmon_counters *counters)
{
	return (struct selfmon_set *)(uintptr_t)counters;
}

/*
 * The locks of the first pages, added up. Locks only go up, two a time: where
 * two sums are the same no lock moved in between, unless all of them together
 * moved 2^31 times, exactly.
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

/* Events that may be counted beyond the bound a tick: reads overlap. */
#define SELFMON_POSSIBLE_SLACK 4096

/*
 * Opens, maps, enables and test-schedules a group out of the members in
 * [first, first + count), dropping those that cannot be, and moves the
 * dropped ones behind the others. Returns how many count.
 */
size_t selfmon_group_open(struct selfmon_member *member, size_t count);

/*
 * Drops the other members of each {} group of which one was dropped. True if
 * there were any: they may still be open.
 */
bool selfmon_group_drop_broken(struct selfmon_member *member, size_t count);

/*
 * plan.c: where cores are of several types, puts the first count members, which
 * are of cores' PMUs, in the order of types.
 */
void selfmon_plan_types(struct selfmon_set *set, size_t count);

/*
 * plan.c: opens all groups of a set that set_fill() has filled, hardware events
 * first, asked of them, and puts the members into their final order. The head's
 * counts are filled in.
 */
void selfmon_plan_open(struct selfmon_set *set, size_t asked,
		       unsigned int flags);

/* Drops a member that is not open. */
void selfmon_group_refuse(struct selfmon_member *member, int error,
			  const char *why);

/*
 * Groups take turns on the PMU within some rotations of 4 ms of the thread's
 * time or so (kernel kernel/events/core.c, perf_rotate_context), unless pinned
 * ones hold it. A group is waited for that long, or for so many reads where
 * time stands still.
 */
#define SELFMON_TURN_NS 40000000u
#define SELFMON_TURN_READS 1000000

/*
 * user_read.c: notes what the pages of an open group allow. A page shows that
 * only while its event is on the PMU, so this waits for the group's turn.
 */
void selfmon_group_look(struct selfmon_member *member, size_t count);

/* The first hardware member whose page is missing: why; or NULL. */
const struct selfmon_failure *selfmon_set_unmapped(const struct selfmon_set *set);

/* Gives back what members hold. */
void selfmon_group_release(struct selfmon_member *member, size_t count);

/* Of the kernel's clocks, whose values are ns? */
bool selfmon_event_is_clock(const struct selfmon_event *event);

/*
 * One group read(2) through the leader's descriptor, values in the order of
 * the members. 0, or -errno: -EIO for a pinned event in its error state.
 */
struct selfmon_group_read {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t leader; /* the kernel's number of its event */
	uint64_t value[SELFMON_MAX_COUNTERS];
};
int selfmon_group_read(int fd, size_t count, struct selfmon_group_read *out);

/*
 * The same of a leader, at this time, if its descriptor is still the event's:
 * foreign code may close all descriptors of the process, and open files of its
 * own that get their numbers, which must not be read. It is looked at where
 * it was not for so many ticks. -EBADF: it is another's.
 */
int selfmon_group_read_own(struct selfmon_member *leader, size_t count,
			   uint64_t ticks, uint64_t trusted,
			   struct selfmon_group_read *out);

/*
 * Prepares the hardware members of an open set for reads in user space; flags
 * are those of selfmon_counters_open(). NULL, or why they must not be.
 */
const char *selfmon_set_user_read(struct selfmon_set *set, unsigned int flags);

/*
 * What a user read of one member of this set costs, in ns. 0: not known, since
 * the set was off the PMU meanwhile. For sets with user reads.
 */
uint64_t selfmon_set_read_ns(const struct selfmon_counters *set);

#endif
