/* SPDX-License-Identifier: MIT */
/*
 * The state of the process: its threads, its events, its counts. It is in
 * memory that is wiped in a forked child.
 */
#ifndef SELFMON_STORE_PROCESS_H
#define SELFMON_STORE_PROCESS_H

#include <pthread.h>

#include "store/config.h"
#include "store/sampling.h"
#include "store/state.h"

/* How the events of the process were chosen; see session/events.c. */
enum selfmon_choice {
	SELFMON_CHOICE_NONE = 0,    /* not decided yet */
	SELFMON_CHOICE_LIST,        /* as requested */
	/* The events in AUTO_EVENTS, session/events.c. */
	SELFMON_CHOICE_AUTO,
	SELFMON_CHOICE_TIME,        /* time alone, as requested */
	/* Auto: time alone because of `failure`. */
	SELFMON_CHOICE_NO_USER_READ,
	SELFMON_CHOICE_SLOW_READ, /* auto: time alone because of read_ns */
	/* The requested list cannot be opened because of `failure`. */
	SELFMON_CHOICE_FAILED
};

/*
 * A column: one requested event. Columns that are counted come first, in the
 * order in which the set returns their values, so value i belongs to column i.
 * Loops over values then skip the columns that are not counted.
 */
struct selfmon_column {
	char name[SELFMON_EVENT_NAME_SIZE];
	size_t position;
	uint32_t place; /* index in a report, in the order of the request */
	enum selfmon_group group;       /* in which the event is counted */
	/* The best verdict that values can have. */
	enum selfmon_verdict verdict;
	bool kernel;
	/* Why the first thread could not open the event. */
	struct selfmon_failure failure;
};

/* How a thread measures after it reached a limit, such as RLIMIT_NOFILE. */
enum selfmon_step_down {
	SELFMON_LIMITED_SLOW, /* reads all values by system call */
	SELFMON_LIMITED_LESS, /* counts only some of the events */
	SELFMON_LIMITED_TIME, /* time alone */
	/* Measures everything but context switches. */
	SELFMON_LIMITED_OFF_CPU,
	SELFMON_LIMITED_SAMPLES, /* measures everything but samples */
	SELFMON_LIMITED_COUNT
};

struct selfmon_limited {
	uint64_t threads;
	struct selfmon_failure failure; /* of the first thread at this limit */
};

struct selfmon_process {
	pthread_mutex_t lock;
	/*
	 * Held while a report is made: only one report is made at a time. Taken
	 * before `lock`.
	 */
	pthread_mutex_t report_lock;
	uint32_t ready;
	int32_t pid;
	/* Newest first; states are never freed. */
	struct selfmon_thread *threads;
	struct selfmon_thread *idle;    /* states without an owner */
	struct selfmon_fiber *fibers;   /* destroyed ones */
	uint32_t states;		/* number of states so far */
	enum selfmon_choice choice;
	/* The list of events that threads open; may be "". */
	char events[SELFMON_SPEC_MAX];
	uint32_t columns;
	/* Number of columns that are counted, which are the first ones. */
	uint32_t counted;
	struct selfmon_column column[SELFMON_MAX_COUNTERS];
	struct selfmon_failure failure;
	/*
	 * Why events of a set such as @cache were left out. `error` is 0 if no
	 * event was left out.
	 */
	struct selfmon_failure left_out;
	/* Why hardware events are read by read(2), or NULL. */
	const char *why_syscall;
	/* Number of read(2) calls per visit, at both ends together. */
	uint32_t calls;
	/* Why visits take the slow path though all reads are in user space. */
	const char *uneven;
	uint64_t read_ns; /* duration of a user read, in the fastest round */
	/*
	 * Time when this state was made, if regions were on then. Otherwise the
	 * time when the first thread got its state; 0 before that.
	 */
	uint64_t start_ticks;
	uint64_t start_cpu_ns;   /* CPU time of all threads at start_ticks */
	uint64_t attached; /* number of threads that got a state so far */
	/*
	 * Number of threads that have a state, and its maximum. Both include
	 * threads that exited without running destructors.
	 */
	uint64_t alive, alive_max;
	struct selfmon_limited limited[SELFMON_LIMITED_COUNT];
	/* Threads without a state, for lack of memory. */
	uint64_t refused;
	/*
	 * Number of leaves whose visit was already closed, belonged to another
	 * thread, or began before fork(2). Includes ends of detached spans that
	 * began before fork(2).
	 */
	uint64_t stale;
	uint32_t stack_bytes;		/* bytes of all threads' call stacks */
	/*
	 * Locked memory of all rings in bytes, and its limit (0: not computed
	 * yet). See session/ring_room.c.
	 */
	uint64_t ring_bytes, ring_bytes_max;
	bool sampling_chosen;
	struct selfmon_sampling sampling;
	/* number of threads that run thread_exit(), session/thread.c */
	uint32_t leaving;
	bool forked;
	bool unwiped;   /* the kernel cannot wipe memory in a child */
	struct selfmon_live *live;      /* NULL: not begun */
	/* The regions whose slowest visits are stored: store/slowest.h. */
	struct selfmon_slowest *slowest;
	uint32_t slow_regions;
	uint64_t slow_serial; /* serial number of the newest stored visit */
	/* Slow visits of the current interval have larger serial numbers. */
	uint64_t slow_begin;
	/*
	 * Visits that began before this time, in ticks, may lack parts that the
	 * current interval would list.
	 */
	uint64_t slow_since;
	/* The limits of regions; NULL: none so far. See store/watch.h. */
	struct selfmon_watch **watch;
	/*
	 * Protects the slowest visits and the limits; its holder takes no other
	 * lock.
	 */
	pthread_mutex_t slow_lock;
	/*
	 * Futex on which the trace's writer waits. 1: a visit has triggered the
	 * trace, or the writer must end.
	 */
	uint32_t triggered;
};

/*
 * Returns the state of the process, and makes it at the first call. Returns
 * NULL if out of memory, or if the library ended before the first call.
 */
struct selfmon_process *selfmon_process(void);
/* Returns the state of the process if it was made, else NULL. */
struct selfmon_process *selfmon_process_made(void);
/*
 * Returns true if any thread has got a state, as at its first visit or by
 * selfmon_thread_prepare(). Does not make the state of the process.
 */
bool selfmon_process_visited(void);
/* Ends the library: no state is made any more, and regions are switched off. */
void selfmon_process_end(void);
bool selfmon_process_has_ended(void);
/* Starts the clock, unless it is started. The caller holds the process lock. */
void selfmon_process_begin(struct selfmon_process *process);
bool selfmon_process_leaving(void);

#endif
