/* SPDX-License-Identifier: MIT */
/*
 * Counter sets: events of the calling thread, or of several threads, that are
 * opened together, read together, and subtracted with a verdict for each value.
 *
 *	struct selfmon_counters *set;
 *	struct selfmon_snapshot a, b;
 *	struct selfmon_delta d;
 *
 *	selfmon_counters_open("cycles,instructions", 0, &set, NULL);
 *	selfmon_counters_begin(set, &a);
 *	work();
 *	selfmon_counters_end(set, &b);
 *	selfmon_counters_delta(set, &a, &b, &d);
 *
 * Order of members: hardware events, events that only read(2) can read, events
 * of further groups, events that could not be opened. selfmon_counters_info()
 * names member i; value i of a delta belongs to it. Counters run from open to
 * close; nothing is enabled, disabled or reset in between.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_COUNTERS_H
#define SELFMON_COUNTERS_H

#include "clock.h"
#include "error.h"
#include "event.h"
#ifndef SELFMON_DISABLE
#include "page.h"
#endif

SELFMON_C_BEGIN

/* How a value was obtained. */
enum selfmon_verdict {
	SELFMON_NOT_COUNTED = 0, /* no value */
	SELFMON_EXACT, /* read in user space, on the PMU all the time */
	SELFMON_SYSCALL,         /* by read(2), always on the PMU */
	SELFMON_SCALED           /* extrapolated from the time on the PMU */
};

/*
 * Returns "not counted", "exact", "syscall" or "scaled". For any other value,
 * returns a text too: never NULL.
 */
SELFMON_API const char *selfmon_verdict_name(enum selfmon_verdict verdict);

/* ---- snapshots ----------------------------------------------------------- */

/* Flags of struct selfmon_snapshot. */
#define SELFMON_SNAPSHOT_SLOW 0x01u      /* hardware members by read(2) */
#define SELFMON_SNAPSHOT_LOST_USER 0x02u /* hardware members have no value */
#define SELFMON_SNAPSHOT_LOST_REST 0x04u /* other members have no value */
#define SELFMON_SNAPSHOT_LOST 0x06u

/*
 * Maximum number of further groups. Hardware events that do not fit into one
 * group with the first ones go into further groups, which alternate on the PMU.
 */
#define SELFMON_MORE_GROUPS 3

/*
 * The time for which a group was enabled, and how much of it the group was off
 * the PMU.
 */
struct selfmon_share {
	uint64_t enabled_ns;
	uint64_t off_ns;
};

/*
 * The values of a set at one time. For a set without events, a struct in which
 * all fields except ticks are 0 is a valid snapshot.
 */
struct selfmon_snapshot {
	uint64_t ticks;      /* selfmon_arch_timestamp(), or see clock.h */
	uint64_t value[SELFMON_MAX_COUNTERS];
	uint32_t cpu;        /* CPU number; UINT32_MAX: unknown */
	uint32_t lock;       /* lock of the leader's page */
	uint64_t off_ns;     /* leader's time enabled minus its time running */
	uint64_t enabled_ns; /* leader's time enabled: counters/estimate.c */
	uint32_t flags;
	uint32_t moved;      /* lock changes seen while reading */
	struct selfmon_share more[SELFMON_MORE_GROUPS]; /* further groups */
};

/* Flags of struct selfmon_counters; private. */
#define SELFMON_IMPL_SET_REST 0x01u    /* some members need read(2) */
#define SELFMON_IMPL_SET_FENCE 0x02u   /* fence before each snapshot */
#define SELFMON_IMPL_SET_CLOCK 0x04u   /* timestamps by clock_gettime */
#define SELFMON_IMPL_SET_SYSCALL 0x08u /* hardware members by read(2) */
#define SELFMON_IMPL_SET_SLOW 0x0fu /* if any of these is set: no inline read */
#define SELFMON_IMPL_SET_PAGE_CLOCK 0x10u /* page times can be extrapolated */
#define SELFMON_IMPL_SET_STRICT 0x20u  /* scaled values are refused */
#define SELFMON_IMPL_SET_UNWIPED 0x40u /* fork() does not wipe the set */
#define SELFMON_IMPL_SET_TAKEN 0x80u   /* a read faulted: read(2) is used */
#define SELFMON_IMPL_SET_CORES 0x100u /* cores of several types: no estimates */
#define SELFMON_IMPL_SET_AWHILE 0x200u /* SET_SYSCALL is temporary */
#define SELFMON_IMPL_SET_THREADS 0x400u /* counts several threads */

/*
 * State of the inline fast path. A forked child must not take the fast path,
 * since the events' pages are not mapped in the child. In the child the set is
 * wiped and has no owner, so the child takes the slow path. Kernels before 4.14
 * cannot wipe memory; with them, SELFMON_IMPL_SET_SYSCALL disables the fast
 * path in the parent, too.
 */
struct selfmon_counters {
	void *owner; /* thread pointer of the thread that opened the set */
	/* CPU number in the rseq area of the thread that opened the set. */
	const uint32_t *cpu;
	uint32_t flags;
	uint16_t hardware_count; /* number of hardware values; they are first */
	uint16_t count;          /* number of all values */
	uint8_t shift[SELFMON_MAX_COUNTERS]; /* 64 - pmc_width */
	const struct selfmon_page *page[SELFMON_MAX_COUNTERS];
	uint32_t time_mult;      /* of the page clock */
	uint32_t time_shift;
	uint64_t rotation_ns;    /* perf_event_mux_interval_ms, in ns */
	uint64_t sign; /* top bit of the registers; 0 if their widths differ */
	uint32_t max_per_tick;   /* highest possible event rate, per tick */
	/* Number of further groups, at the end of the set. */
	uint8_t more;
	uint8_t more_count[SELFMON_MORE_GROUPS]; /* sizes of these groups */
	uint64_t time_cycles;    /* a time before all snapshots, in ticks */
	uint64_t time_unused;    /* mask of the high bits that ticks lack */
	/* Number of events that need no PMU counter; 0 if more > 0. */
	uint16_t rest;
	uint16_t lapses; /* deltas lost because there is no page clock */
	/*
	 * Number of deltas by read(2), with the group on the PMU, since the
	 * last lost one.
	 */
	uint32_t quiet;
};

#ifndef SELFMON_DISABLE

SELFMON_API void selfmon_impl_snapshot_slow(const struct selfmon_counters *set,
					    struct selfmon_snapshot *snapshot,
					    bool end);

/* The three parts of selfmon_impl_snapshot_try(). */
SELFMON_ALWAYS_INLINE const struct selfmon_page *
selfmon_impl_snapshot_begin(const struct selfmon_counters *set,
			    struct selfmon_snapshot *snapshot, bool end)
{
	const struct selfmon_page *const leader =
		selfmon_load_once(&set->page[0]);

	snapshot->lock = selfmon_load_once(&leader->lock);
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	if (end)
		snapshot->ticks = selfmon_arch_timestamp();
	return leader;
}

SELFMON_ALWAYS_INLINE enum selfmon_page_try
selfmon_impl_snapshot_member(const struct selfmon_counters *set,
			     struct selfmon_snapshot *snapshot, unsigned int k)
{
	enum selfmon_page_try member;
	uint64_t offset, raw;

	member = selfmon_page_try(set->page[k], set, &offset, &raw);
	if (selfmon_likely(member == SELFMON_PAGE_READ))
		snapshot->value[k] =
			offset + selfmon_page_extend(raw, set->shift[k]);
	return member;
}

SELFMON_ALWAYS_INLINE enum selfmon_page_try
selfmon_impl_snapshot_end(const struct selfmon_counters *set,
			  const struct selfmon_page *leader,
			  struct selfmon_snapshot *snapshot, bool end)
{
	const uint64_t enabled = selfmon_load_once(&leader->time_enabled);

	snapshot->off_ns = enabled - selfmon_load_once(&leader->time_running);
	snapshot->enabled_ns =
		enabled + selfmon_load_once(&leader->time_offset);
	snapshot->cpu = selfmon_load_once(set->cpu);
	if (!end) /* one store: the reader of a live file may load ticks */
		selfmon_store_once(&snapshot->ticks, selfmon_arch_timestamp());
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	leader = selfmon_load_once(&set->page[0]);
	return selfmon_likely(selfmon_arch_is(&leader->lock, snapshot->lock))
		       ? SELFMON_PAGE_READ
		       : SELFMON_PAGE_MOVED;
}

/*
 * Reads all hardware members in user space. A read of a member is valid if the
 * lock of its own page did not change, because an overflow of its counter
 * changes only that lock. All reads and the timestamp are valid if the leader's
 * lock did not change: it changes at every context switch, migration and
 * reprogramming. If one read is invalid, all are repeated; otherwise its value
 * would be some instructions younger than the others.
 *
 * The last check loads the leader's page pointer again: after a read that
 * faulted, the guard has replaced the pages.
 *
 * The timestamp is read innermost, and the order is reversed at the end, so
 * that most of the time of the reads is outside of the region.
 */
SELFMON_ALWAYS_INLINE enum selfmon_page_try
selfmon_impl_snapshot_try(const struct selfmon_counters *set,
			  struct selfmon_snapshot *snapshot, bool end)
{
	const struct selfmon_page *const leader =
		selfmon_impl_snapshot_begin(set, snapshot, end);
	const unsigned int count = set->hardware_count;
	unsigned int i;

	for (i = 0; i < count; i++) {
		const enum selfmon_page_try member =
			selfmon_impl_snapshot_member(set, snapshot,
						     end ? count - 1 - i : i);

		if (selfmon_unlikely(member != SELFMON_PAGE_READ))
			return member;
	}
	return selfmon_impl_snapshot_end(set, leader, snapshot, end);
}

/*
 * Reads all hardware members, and retries until no lock changes meanwhile, at
 * most SELFMON_PAGE_TRIES times. Returns false if read(2) is needed.
 */
SELFMON_ALWAYS_INLINE bool
selfmon_impl_snapshot_user(const struct selfmon_counters *set,
			   struct selfmon_snapshot *snapshot, bool end)
{
	uint32_t moved;

	for (moved = 0; moved < SELFMON_PAGE_TRIES; moved++) {
		switch (selfmon_impl_snapshot_try(set, snapshot, end)) {
		case SELFMON_PAGE_READ:
			snapshot->flags = 0;
			snapshot->moved = moved;
			return true;
		case SELFMON_PAGE_MOVED:
			break;
		case SELFMON_PAGE_NONE:
			return false;
		}
	}
	return false;
}

/*
 * Takes a snapshot at the start of the measured code.
 *
 * Reads the first group of hardware events in user space, without a system
 * call, if the calling thread opened the set and the events allow user reads.
 * Makes one read(2) for each other group of the set. A thread that did not open
 * the set uses read(2) for all groups. A set that counts several threads takes
 * one read(2) for each event and thread. Never fails: missing values are marked
 * in flags, and selfmon_counters_delta() reports them as not counted.
 * Async-signal-safe.
 */
SELFMON_INLINE void selfmon_counters_begin(const struct selfmon_counters *set,
					   struct selfmon_snapshot *snapshot)
{
	if (selfmon_unlikely((set->flags & SELFMON_IMPL_SET_SLOW) ||
			     set->owner != selfmon_arch_thread_pointer() ||
			     !selfmon_impl_snapshot_user(set, snapshot, false)))
		selfmon_impl_snapshot_slow(set, snapshot, false);
}

/* Takes a snapshot at the end of the measured code, in reverse order. */
SELFMON_INLINE void selfmon_counters_end(const struct selfmon_counters *set,
					 struct selfmon_snapshot *snapshot)
{
	if (selfmon_unlikely((set->flags & SELFMON_IMPL_SET_SLOW) ||
			     set->owner != selfmon_arch_thread_pointer() ||
			     !selfmon_impl_snapshot_user(set, snapshot, true)))
		selfmon_impl_snapshot_slow(set, snapshot, true);
}

#endif /* SELFMON_DISABLE */

/* ---- deltas -------------------------------------------------------------- */

/* Flags of struct selfmon_delta. */
/* The lock of the leader's page changed between the snapshots. */
#define SELFMON_DELTA_DISTURBED 0x01u
#define SELFMON_DELTA_MIGRATED 0x02u   /* ended on another CPU */
#define SELFMON_DELTA_SLOW 0x04u       /* hardware members by read(2) */
#define SELFMON_DELTA_REPAIRED 0x08u   /* 2^width added to a value */
#define SELFMON_DELTA_IMPOSSIBLE 0x10u /* impossible values were left out */
#define SELFMON_DELTA_SCALED 0x20u     /* hardware values are estimates */
#define SELFMON_DELTA_REFUSED 0x40u    /* off the PMU for too long; no values */
#define SELFMON_DELTA_LOST 0x80u       /* a snapshot lacks some values */
#define SELFMON_DELTA_MORE_SCALED 0x100u /* further groups: estimates */

/*
 * One value and its verdict. If the verdict is SELFMON_NOT_COUNTED, count is 0
 * and invalid.
 */
struct selfmon_value {
	uint64_t count;
	enum selfmon_verdict verdict;
	uint32_t more; /* 0, or 1 + the index of its further group */
};

struct selfmon_delta {
	uint64_t ticks;      /* elapsed time; convert with selfmon_clock_ns() */
	/*
	 * Time for which the first group was enabled. 0 if it was on the PMU
	 * all the time, or if its times are unknown.
	 */
	uint64_t enabled_ns;
	uint64_t off_ns;     /* part of enabled_ns that was off the PMU */
	uint32_t flags;
	uint32_t moved;      /* lock changes in both snapshots */
	struct selfmon_value value[SELFMON_MAX_COUNTERS];
	struct selfmon_share more[SELFMON_MORE_GROUPS]; /* 0: no estimates */
	/*
	 * Times of the first group [0] and of all further groups [1]: enabled,
	 * and off the PMU. Set even if values are refused. [0] is 0 if the
	 * group was on the PMU all the time, or if its times are unknown.
	 */
	struct selfmon_share all[2];
};

/*
 * Sets *delta to b - a with a verdict for each value. Both snapshots must be of
 * this set. These values are SELFMON_NOT_COUNTED:
 *   - impossible ones: negative, or more than 16 events per ns plus 4096
 *     events; values that read(2) returned for both snapshots have no such
 *     maximum. The limit per ns is higher if the clock's rate was not known
 *     when the set was opened
 *   - off the PMU for more than half of the time
 *   - off the PMU for more than 1 % of a delta that is shorter than one
 *     rotation (perf_event_mux_interval_ms)
 *   - off the PMU for any time, under STRICT, or if the events' pages have no
 *     clock and the values were read in user space
 *   - off the PMU for any time, if a page clock of less than 64 bits wrapped
 *   - missing in one of the snapshots
 * With n groups, the kernel rotates them: each group can be on the PMU for 1/n
 * of the time. A value is then left out if its group had less than half of this
 * share: if it was off the PMU for more than 100 - 50/n %. On CPUs with several
 * core types other rules apply, see selfmon_counters_open(). Call this function
 * on the thread that opened the set. Async-signal-safe.
 */
SELFMON_API void selfmon_counters_delta(struct selfmon_counters *set,
					const struct selfmon_snapshot *a,
					const struct selfmon_snapshot *b,
					struct selfmon_delta *delta);

/*
 * Returns how far value i of a delta may be from the true count; 0 unless
 * scaled.
 *
 * A scaled value extrapolates from the time on the PMU to the time off it. The
 * result of this function is the extrapolated part, count * off_ns /
 * enabled_ns, rounded down, plus 1. The true count is at least count minus the
 * result, which was really counted. The true count is at most count plus the
 * result, provided that the events were at most twice as frequent off the PMU
 * as on it.
 */
#ifndef SELFMON_DISABLE
SELFMON_INLINE uint64_t
selfmon_delta_uncertainty(const struct selfmon_delta *delta, size_t i)
{
	__extension__ typedef unsigned __int128 selfmon_impl_u128;

	const uint32_t more = delta->value[i].more;
	const uint64_t off = more ? delta->more[more - 1].off_ns
				  : delta->off_ns;
	const uint64_t enabled = more ? delta->more[more - 1].enabled_ns
				      : delta->enabled_ns;

	if (delta->value[i].verdict != SELFMON_SCALED)
		return 0;
	return (uint64_t)((selfmon_impl_u128)delta->value[i].count * off /
			  enabled) + 1;
}
#endif

/* ---- opening ------------------------------------------------------------- */

/* Flags of selfmon_counters_open(). */
#define SELFMON_COUNTERS_STRICT 0x1u  /* all events or none; no estimates */
#define SELFMON_COUNTERS_FENCE 0x2u   /* serialise before each snapshot */
#define SELFMON_COUNTERS_SYSCALL 0x4u /* never read in user space */
/*
 * Reads in user space even on machines where that is unsafe. The riscv64 kernel
 * may take a counter away during a read, which raises SIGILL; without this
 * flag, sets there are read by read(2). Use it only if no thread closes a set
 * while another one reads a set, and no other program on the machine counts.
 */
#define SELFMON_COUNTERS_UNGUARDED 0x8u
/*
 * Installs the guard, once for all sets of the process; see
 * selfmon_guard_check(). On riscv64 the set is then read in user
 * space, until a read faults.
 */
#define SELFMON_COUNTERS_GUARD 0x10u
/*
 * Drops hardware events that do not fit into one group with the first ones.
 * Without this flag, further groups count them. STRICT implies this flag.
 */
#define SELFMON_COUNTERS_ONE_GROUP 0x20u
/*
 * Count several threads, for benchmarks of parallel code. Values and times on
 * and off the PMU are sums over threads, including ended ones. Each snapshot
 * takes one read(2) for each event and each thread that the set was opened for.
 * The best possible verdict is SELFMON_SYSCALL.
 *
 * INHERIT counts the calling thread, the threads that it starts from now on,
 * and their descendants. Threads that run already are not counted, even if they
 * do the work, as the workers of a pool do.
 *
 * PROCESS counts all current threads of the process, including those of a pool,
 * and all threads that these start from now on. It takes one descriptor for
 * each event and thread; all sets together take at most half of RLIMIT_NOFILE.
 * Open the set while no other thread starts threads: a thread that is created
 * at that time may be missed. Idle workers that poll for work are counted, too.
 *
 * Processes that these threads fork are counted only before Linux 5.13;
 * selfmon_counter_info.why_syscall then says so.
 */
#define SELFMON_COUNTERS_INHERIT 0x40u
#define SELFMON_COUNTERS_PROCESS 0x80u

/*
 * Opens a set for the calling thread, or for several threads depending on
 * flags. Events count in user mode only, unless they have :k, happen only in
 * kernel mode, or have a PMU that cannot exclude kernel mode. task-clock and
 * cpu-clock run in both modes. selfmon_counter_info.kernel is true if kernel
 * mode is counted.
 *
 * spec:    see event.h; NULL or "" is a set that measures only time
 * flags:   SELFMON_COUNTERS_*
 * set:     receives the set; NULL on failure
 * failure: may be NULL; receives the error. On success it is filled in if
 *          events were dropped (with the first of them), or if members of an
 *          @set were left out (see event.h)
 *
 * Events that cannot be opened are dropped; selfmon_counters_info() has the
 * reason. Members of a {} group are dropped together.
 *
 * Hardware events that do not fit on the PMU with the earlier ones form further
 * groups, at most SELFMON_MORE_GROUPS. The library finds out by trying whether
 * events fit. The kernel rotates all groups, and further groups are read by
 * read(2).
 *
 * If the CPU has several core types, each type has a group. These groups are
 * read by read(2), unless the thread is pinned to one type and stays pinned.
 * They are never scaled: the counts are valid only if the groups' times on the
 * PMU add up to the thread's time.
 *
 * If other programs use the counters, opening takes 40 ms of the thread's time
 * before a group is reported as never running.
 *
 * Returns the number of events that count, or
 *   -EINVAL  an unknown flag
 *   what selfmon_events_parse() returns
 *   -ENOMEM  no memory for the set
 *   under PROCESS and INHERIT, if the events of one thread cannot be opened:
 *   -EMFILE (descriptors), or any error of perf_event_open(2)
 *   under PROCESS, -EAGAIN (other threads kept starting threads), -ESRCH
 *   (/proc belongs to another PID namespace), or the error of opening
 *   /proc/self/task
 *   under STRICT only: any error of perf_event_open(2), read(2) or ioctl(2) on
 *   an event, -EINVAL (:u on an event that happens in the kernel), -ECANCELED
 *   (its {} group was dropped), -EBUSY (the group never runs), or -E2BIG
 *   (members of an @set were left out)
 * Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_counters_open(const char *spec, unsigned int flags,
				      struct selfmon_counters **set,
				      struct selfmon_failure *failure);

/*
 * Closes a set and frees its descriptors, mappings and memory. NULL is allowed.
 * No thread may be reading the set. In a forked child only the memory is freed.
 */
SELFMON_API void selfmon_counters_close(struct selfmon_counters *set);

/*
 * Returns whether the guard is installed: 0, or
 *   -ENOENT  the guard was never requested, or no set has been opened with it
 *   -ESRCH   the program has since installed another handler, which may or may
 *            not pass faults on
 *   -ENOSYS  this machine has no user reads
 *
 * User reads may be disabled while a program runs: by rdpmc in sysfs, by
 * kernel.perf_user_access, and on riscv64 for many reasons. The instruction
 * that reads a counter then faults, and the program is killed. The guard is a
 * handler of that signal (SIGSEGV on x86-64, SIGILL on arm64 and riscv64). If a
 * counter read of a set faults, the guard skips the instruction. The set is
 * read by read(2) from then on, including the snapshot in progress, so no value
 * is lost. All other signals go to the handler that was installed before.
 * Thread-safe and async-signal-safe.
 */
SELFMON_API int selfmon_guard_check(void);

/*
 * The group that counts an event. At any time, either all events of a group are
 * on the PMU, or none.
 */
enum selfmon_group {
	SELFMON_GROUP_NONE = 0, /* not counted */
	SELFMON_GROUP_FIRST,    /* hardware events */
	SELFMON_GROUP_KERNEL,   /* events that use no counter of the PMU */
	SELFMON_GROUP_MORE      /* first further group; + 1: second, ... */
};

/* Description of member i of a set. */
struct selfmon_counter_info {
	size_t size; /* set by the caller: sizeof of this struct */
	const char *name;            /* as in the specification */
	size_t position;             /* offset in the specification, in bytes */
	/* The best verdict that the event's values can have. */
	enum selfmon_verdict verdict;
	bool kernel;                 /* kernel mode is counted */
	const struct selfmon_failure *failure; /* why not counted, or NULL */
	const char *unit; /* unit of its values: "ns", or "" for counts */
	enum selfmon_group group;    /* the group in which it is counted */
	/*
	 * Why the event is read by system call. NULL for events that are read
	 * in user space or not counted, and for software events, except in a
	 * set that counts several threads.
	 */
	const char *why_syscall;
};

/*
 * Describes member i; i counts all requested events. Set info->size first.
 * Pointers in *info are valid as long as the set. Returns 0, -EINVAL (size),
 * -ENOENT (no member i) or -ESRCH (the set was opened before this process was
 * forked).
 */
SELFMON_API int selfmon_counters_info(const struct selfmon_counters *set,
				      size_t i,
				      struct selfmon_counter_info *info);

SELFMON_C_END

#endif
