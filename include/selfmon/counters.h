/* SPDX-License-Identifier: MIT */
/*
 * A counter set: events of the calling thread, or of several threads, opened
 * together, read together and subtracted with a verdict.
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
 * Members of a set are ordered: hardware events first, then events that only
 * read(2) serves, then those of further groups, then those that could not be
 * opened. selfmon_counters_info()
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
	SELFMON_NOT_COUNTED = 0, /* there is no number */
	SELFMON_EXACT,           /* user read, on the PMU all the time */
	SELFMON_SYSCALL,         /* read(2), on the PMU all the time */
	SELFMON_SCALED           /* estimated from the time on the PMU */
};

/* "not counted", "exact", "syscall", "scaled". Never NULL. */
SELFMON_API const char *selfmon_verdict_name(enum selfmon_verdict verdict);

/* ---- snapshots ----------------------------------------------------------- */

/* Flags of struct selfmon_snapshot. */
#define SELFMON_SNAPSHOT_SLOW 0x01u      /* hardware members by read(2) */
#define SELFMON_SNAPSHOT_LOST_USER 0x02u /* hardware members: no value */
#define SELFMON_SNAPSHOT_LOST_REST 0x04u /* other members: no value */
#define SELFMON_SNAPSHOT_LOST 0x06u

/*
 * Hardware events that do not fit into one group with the first ones go into
 * further groups, which take turns on the PMU. So many of them at most.
 */
#define SELFMON_MORE_GROUPS 3

/* Time in which a group was enabled, and the part of it off the PMU. */
struct selfmon_share {
	uint64_t enabled_ns;
	uint64_t off_ns;
};

/*
 * The values of a set at one moment. All zero but ticks is a valid snapshot
 * of a set without members.
 */
struct selfmon_snapshot {
	uint64_t ticks;      /* selfmon_arch_timestamp(), or see clock.h */
	uint64_t value[SELFMON_MAX_COUNTERS];
	uint32_t cpu;        /* where; UINT32_MAX: not known */
	uint32_t lock;       /* of the leader's page */
	uint64_t off_ns;     /* leader: time enabled less time running */
	uint64_t enabled_ns; /* leader: time enabled; see counters/delta.c */
	uint32_t flags;
	uint32_t moved;      /* how often a lock moved while reading */
	struct selfmon_share more[SELFMON_MORE_GROUPS]; /* those there are */
};

/* Flags of struct selfmon_counters; private. */
#define SELFMON_IMPL_SET_REST 0x01u    /* members that need read(2) */
#define SELFMON_IMPL_SET_FENCE 0x02u   /* fence before each snapshot */
#define SELFMON_IMPL_SET_CLOCK 0x04u   /* timestamps by clock_gettime */
#define SELFMON_IMPL_SET_SYSCALL 0x08u /* hardware members by read(2) */
#define SELFMON_IMPL_SET_SLOW 0x0fu    /* any of these: not inline */
#define SELFMON_IMPL_SET_PAGE_CLOCK 0x10u /* page times can be brought up */
#define SELFMON_IMPL_SET_STRICT 0x20u  /* scaled values are refused */
#define SELFMON_IMPL_SET_UNWIPED 0x40u /* a forked child finds it as it is */
#define SELFMON_IMPL_SET_TAKEN 0x80u   /* a user read faulted: no more */
#define SELFMON_IMPL_SET_CORES 0x100u  /* cores of several types: no scaling */
#define SELFMON_IMPL_SET_AWHILE 0x200u /* SYSCALL is not for good */
#define SELFMON_IMPL_SET_THREADS 0x400u /* counts several threads */

/*
 * What the inline path needs. The memory is wiped in a forked child (or the
 * flags forbid the inline path, on kernels that cannot wipe), which then
 * finds no owner and takes the slow path instead of a page it does not have.
 */
struct selfmon_counters {
	void *owner;          /* selfmon_arch_thread_pointer() of the opener */
	const uint32_t *cpu;  /* the CPU it runs on: a word of its rseq area */
	uint32_t flags;
	uint16_t hardware_count; /* value[0 .. hardware_count) */
	uint16_t count;          /* all values */
	uint8_t shift[SELFMON_MAX_COUNTERS]; /* 64 - pmc_width */
	const struct selfmon_page *page[SELFMON_MAX_COUNTERS];
	uint32_t time_mult;      /* of the page clock */
	uint32_t time_shift;
	uint64_t rotation_ns;    /* perf_event_mux_interval_ms */
	uint64_t sign;           /* highest bit of all registers; 0: differs */
	uint32_t max_per_tick;   /* events a tick that are possible */
	uint8_t more;            /* further groups, behind all other members */
	uint8_t more_count[SELFMON_MORE_GROUPS]; /* their members */
	uint64_t time_cycles;    /* a moment before all snapshots, in ticks */
	uint64_t time_unused;    /* bits that ticks do not have */
	uint16_t rest;           /* the kernel's events; 0: none, or .more */
	uint16_t lapses;         /* deltas lost for want of a page clock */
	uint32_t quiet;          /* deltas by read(2) since, on the PMU */
};

#ifndef SELFMON_DISABLE

SELFMON_API void selfmon_impl_snapshot_slow(const struct selfmon_counters *set,
					    struct selfmon_snapshot *snapshot,
					    bool end);

/*
 * All hardware members in user space: each checked by its own page's lock, a
 * sibling's overflow moving only that, and all of them with the timestamp by
 * the leader's, which moves at every deschedule, migration and reprogramming.
 * A member that had to be read again is some instructions younger than the
 * others: then all are.
 * The leader is looked up again for that: the guard puts another page in its
 * place, and in the others', when a counter read has faulted.
 * The timestamp is innermost and the order mirrored at the end, so that what
 * the reads themselves cost falls outside of the region as far as it can.
 */
SELFMON_ALWAYS_INLINE enum selfmon_page_try
selfmon_impl_snapshot_try(const struct selfmon_counters *set,
			  struct selfmon_snapshot *snapshot, bool end)
{
	const struct selfmon_page *leader = selfmon_load_once(&set->page[0]);
	const unsigned int count = set->hardware_count;
	uint64_t enabled;
	unsigned int i;

	snapshot->lock = selfmon_load_once(&leader->lock);
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	if (end)
		snapshot->ticks = selfmon_arch_timestamp();
	for (i = 0; i < count; i++) {
		const unsigned int k = end ? count - 1 - i : i;
		enum selfmon_page_try member;
		uint64_t offset, raw;

		member = selfmon_page_try(set->page[k], set, &offset, &raw);
		if (selfmon_unlikely(member != SELFMON_PAGE_READ))
			return member;
		snapshot->value[k] =
			offset + selfmon_page_extend(raw, set->shift[k]);
	}
	enabled = selfmon_load_once(&leader->time_enabled);
	snapshot->off_ns = enabled - selfmon_load_once(&leader->time_running);
	snapshot->enabled_ns = enabled + selfmon_load_once(&leader->time_offset);
	snapshot->cpu = selfmon_load_once(set->cpu);
	if (!end) /* as one word: region/foreign.c may be looking */
		selfmon_store_once(&snapshot->ticks, selfmon_arch_timestamp());
	selfmon_compiler_fence(); /* as in selfmon_page_try() */
	leader = selfmon_load_once(&set->page[0]);
	return selfmon_likely(selfmon_arch_is(&leader->lock, snapshot->lock))
		       ? SELFMON_PAGE_READ
		       : SELFMON_PAGE_MOVED;
}

/* Tries until no lock moves: a member read again is younger than the others. */
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
 * The values now, at the start of what is measured.
 *
 * In user space, without a system call, if the calling thread opened the set
 * and all its members are hardware events with user reads; otherwise one
 * read(2) for each of the set's groups. From another thread than the
 * opener's always read(2). Never fails: what has no value is marked in
 * flags, and selfmon_counters_delta() gives it no number.
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

/* The same at the end of what is measured, in mirrored order. */
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
#define SELFMON_DELTA_DISTURBED 0x01u  /* the leader's lock moved between */
#define SELFMON_DELTA_MIGRATED 0x02u   /* ended on another CPU */
#define SELFMON_DELTA_SLOW 0x04u       /* hardware members by read(2) */
#define SELFMON_DELTA_REPAIRED 0x08u   /* 2^width added to a value */
#define SELFMON_DELTA_IMPOSSIBLE 0x10u /* a value left out: cannot be */
#define SELFMON_DELTA_SCALED 0x20u     /* hardware values are estimates */
#define SELFMON_DELTA_REFUSED 0x40u    /* off the PMU too long: left out */
#define SELFMON_DELTA_LOST 0x80u       /* a snapshot had no values */
#define SELFMON_DELTA_MORE_SCALED 0x100u /* estimates in further groups */

/* One value and its verdict; count is 0 and no number if not counted. */
struct selfmon_value {
	uint64_t count;
	enum selfmon_verdict verdict;
	uint32_t more; /* 1 + its further group; 0: it is in none */
};

struct selfmon_delta {
	uint64_t ticks;      /* elapsed; selfmon_clock_ns() makes it ns */
	uint64_t enabled_ns; /* 0 if always on the PMU, else thread time ... */
	uint64_t off_ns;     /* ... and the part of it off the PMU */
	uint32_t flags;
	uint32_t moved;      /* lock moves in both snapshots */
	struct selfmon_value value[SELFMON_MAX_COUNTERS];
	struct selfmon_share more[SELFMON_MORE_GROUPS]; /* 0: no estimates */
	/*
	 * Time enabled and off the PMU, where that is not 0, whatever became of
	 * the values: of the first group, and of the further ones together.
	 */
	struct selfmon_share all[2];
};

/*
 * b - a with a verdict for each value, both taken from this set. A value that
 * cannot be (read in user space: more than 16 events a ns), that was off the
 * PMU for more than half of the time, or for more than 1 % of a delta shorter
 * than one rotation of perf_event_mux_interval_ms, is SELFMON_NOT_COUNTED.
 * Of a set with further groups, which has the PMU to share with itself, it is
 * more than 100 - 50/n % with n groups: on it for less than half its share.
 * To be called by the thread that opened the set. Async-signal-safe.
 */
SELFMON_API void selfmon_counters_delta(struct selfmon_counters *set,
					const struct selfmon_snapshot *a,
					const struct selfmon_snapshot *b,
					struct selfmon_delta *delta);

/*
 * How far from the truth value i of a delta may be: 0 unless it is scaled.
 *
 * Of a scaled value all that fell into the time off the PMU is guessed, from
 * what was counted on it; that part, count * off_ns / enabled_ns, is uncertain
 * as a whole. Hence count less this was really counted, and the truth is at
 * least that; it is at most count and this as long as events came no more than
 * twice as often off the PMU as on it.
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
#define SELFMON_COUNTERS_STRICT 0x1u  /* all events or none; no scaling */
#define SELFMON_COUNTERS_FENCE 0x2u   /* serialise before each snapshot */
#define SELFMON_COUNTERS_SYSCALL 0x4u /* never read in user space */
/*
 * Read in user space where that is unsafe too: on riscv64, whose kernel may
 * take a counter away in the middle of a read, which raises SIGILL. Without
 * this flag sets there are read by read(2). For programs where no thread
 * closes a set while another reads one, on machines where nobody else counts.
 */
#define SELFMON_COUNTERS_UNGUARDED 0x8u
/*
 * Installs the guard, once in the process, for all its sets; see
 * selfmon_guard_check(). On riscv64 the set is then read in user space.
 */
#define SELFMON_COUNTERS_GUARD 0x10u
/*
 * Drops hardware events that do not fit into one group with the first ones, in
 * place of reading them by system call and in turns. Implied by STRICT.
 */
#define SELFMON_COUNTERS_ONE_GROUP 0x20u
/*
 * Count several threads, for benchmarks of parallel code. Values are sums over
 * threads, ended ones included, and so are the times on and off the PMU. Each
 * snapshot takes one read(2) for each event and each thread that the set was
 * opened for: no verdict is better than SELFMON_SYSCALL.
 *
 * INHERIT counts the calling thread, the threads that it starts from now on,
 * and those that they start. Threads that ran before are not counted, even if
 * they do the work: the workers of a pool, for one.
 *
 * PROCESS counts all threads that the process has now, a pool's included, and
 * those that they start from now on. It takes one descriptor for each event and
 * thread; all sets together take at most half of RLIMIT_NOFILE. Open it while
 * no other thread starts threads: one that is being created at that moment may
 * be missed. Idle workers that poll for work are counted as well.
 *
 * Processes that these threads fork are not counted. Before Linux 5.13 they
 * are, and selfmon_counter_info.why_syscall says so.
 */
#define SELFMON_COUNTERS_INHERIT 0x40u
#define SELFMON_COUNTERS_PROCESS 0x80u

/*
 * Opens a set for the calling thread, or as flags say for several; user mode
 * only unless an event says :k or happens in kernel mode only.
 *
 * spec:    see event.h; NULL or "" is a set that measures time alone
 * flags:   SELFMON_COUNTERS_*
 * set:     receives the set; NULL on failure
 * failure: may be NULL; receives what went wrong, also where 0 or more events
 *          were opened but some were dropped (the first dropped one), or
 *          members of a set left out (see event.h)
 *
 * An event that cannot be opened is dropped, with its reason kept for
 * selfmon_counters_info(); members of a {} group are dropped together. Hardware
 * events that the PMU does not take together with the ones before, as trying
 * tells, make further groups, at most SELFMON_MORE_GROUPS: the kernel gives all
 * of them turns, and those of the further ones are read by read(2). Where
 * cores are of several types, each has a group: read by read(2), unless the
 * thread is pinned to one type (and stays so while it reads), never scaled.
 * Where others hold the counters, 40 ms of the thread's time go by before it is
 * said that a group never runs.
 *
 * Returns the number of events that count, or
 *   -EINVAL  a flag that is not known
 *   what selfmon_events_parse() returns
 *   -ENOMEM  no memory for the set
 *   under PROCESS and INHERIT, where the events of one thread cannot be opened:
 *   -EMFILE (descriptors), or any error of perf_event_open(2)
 *   under PROCESS, -EAGAIN (other threads kept starting threads), -ESRCH
 *   (/proc belongs to another PID namespace), or the error of opening
 *   /proc/self/task
 *   any error of perf_event_open(2), read(2) or ioctl(2) on an event, -EINVAL
 *   (:u on what happens in the kernel), -ECANCELED (its {} group was dropped)
 *   or -EBUSY (the group never runs), under STRICT only
 * Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_counters_open(const char *spec, unsigned int flags,
				      struct selfmon_counters **set,
				      struct selfmon_failure *failure);

/*
 * Gives back descriptors, maps and memory. NULL is accepted. No thread may be
 * reading the set. In a forked child it frees the memory only.
 */
SELFMON_API void selfmon_counters_close(struct selfmon_counters *set);

/*
 * User reads may be taken away while a program runs: by rdpmc in sysfs, by
 * kernel.perf_user_access, on riscv64 by much else. Then the instruction that
 * reads a counter faults, and the program is killed. The guard is a handler
 * for that signal (SIGSEGV on x86-64, SIGILL on arm64 and riscv64). Where the
 * fault is that of a counter read of a set it steps over the instruction; the
 * set is read by read(2) from then on, the snapshot being taken included, so
 * that no number is lost. All other signals go to the handler it replaced.
 *
 * Is it in its place? 0, or
 *   -ENOENT  it was never asked for
 *   -ESRCH   the program has set another handler since, which may or may not
 *            pass faults on
 *   -ENOSYS  nothing is read in user space on this machine
 * Thread-safe and async-signal-safe.
 */
SELFMON_API int selfmon_guard_check(void);

/* Events of one group are on the PMU together, and off it. */
enum selfmon_group {
	SELFMON_GROUP_NONE = 0, /* not counted */
	SELFMON_GROUP_FIRST,    /* hardware events */
	SELFMON_GROUP_KERNEL,   /* events that take no counter of the PMU's */
	SELFMON_GROUP_MORE      /* the first further group; + 1: the second */
};

/* What is known of member i of a set. */
struct selfmon_counter_info {
	size_t size;                 /* sizeof of this struct, by the caller */
	const char *name;            /* as in the specification */
	size_t position;             /* where in the specification */
	enum selfmon_verdict verdict; /* the best its values can have */
	bool kernel;                 /* kernel mode is counted as well */
	const struct selfmon_failure *failure; /* why not counted, or NULL */
	const char *unit;            /* of its values: "ns", or "": a count */
	enum selfmon_group group;    /* what it is counted together with */
	const char *why_syscall;     /* why not read in user space; NULL if it
					is, or for an event of the kernel's */
};

/*
 * Describes member i, of all that were asked for; pointers in it live as long
 * as the set. Set info->size first. 0, -EINVAL (size), -ENOENT (no member i)
 * or -ESRCH (the set belongs to the process this one was forked from).
 */
SELFMON_API int selfmon_counters_info(const struct selfmon_counters *set,
				      size_t i,
				      struct selfmon_counter_info *info);

SELFMON_C_END

#endif
