/* SPDX-License-Identifier: MIT */
/*
 * The state of the process: its threads, its set of events, its counts. In
 * wiped memory: a forked child finds zeros.
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
	SELFMON_CHOICE_AUTO,        /* auto: AUTO_EVENTS of session/events.c */
	SELFMON_CHOICE_TIME,        /* time alone, as requested */
	/* Automatic; time alone because of failure. */
	SELFMON_CHOICE_NO_USER_READ,
	SELFMON_CHOICE_SLOW_READ, /* automatic; time alone because of read_ns */
	/* The requested list cannot be opened: see failure. */
	SELFMON_CHOICE_FAILED
};

/*
 * A column: one event of the process's set. The columns that are counted come
 * first, in the order of the set's values. So statistics have a place for each
 * value, and loops over values skip the columns that no thread counts.
 */
struct selfmon_column {
	char name[SELFMON_EVENT_NAME_SIZE];
	size_t position;
	uint32_t place; /* position in a report, in the order of the request */
	enum selfmon_group group;       /* events counted together */
	enum selfmon_verdict verdict;   /* the best verdict of its values */
	bool kernel;
	/* Why the first thread could not open the event. */
	struct selfmon_failure failure;
};

/* How a thread that meets a limit continues. */
enum selfmon_step_down {
	SELFMON_LIMITED_SLOW, /* reads all values by system call */
	SELFMON_LIMITED_LESS, /* some of them */
	SELFMON_LIMITED_TIME, /* time alone */
	/* Measures as before, without context switches. */
	SELFMON_LIMITED_OFF_CPU,
	SELFMON_LIMITED_SAMPLES, /* likewise, without samples */
	SELFMON_LIMITED_COUNT
};

struct selfmon_limited {
	uint64_t threads;
	struct selfmon_failure failure; /* failure of the first such thread */
};

/* Wiped: one a process. */
struct selfmon_process {
	pthread_mutex_t lock;
	/* Allows one report at a time; taken before `lock`. */
	pthread_mutex_t report_lock;
	uint32_t ready;
	int32_t pid;
	struct selfmon_thread *threads; /* newest first; never freed */
	struct selfmon_thread *idle;    /* those without an owner */
	struct selfmon_fiber *fibers;   /* destroyed ones */
	uint32_t states;		/* numbers given to states */
	enum selfmon_choice choice;
	/* The list that threads open; may be "". */
	char events[SELFMON_SPEC_MAX];
	uint32_t columns;
	/* Number of columns that are counted: the first ones. */
	uint32_t counted;
	struct selfmon_column column[SELFMON_MAX_COUNTERS];
	struct selfmon_failure failure;
	/* Why a part of @sets was left out; error 0: none. */
	struct selfmon_failure left_out;
	/* Why hardware events are read by read(2), or NULL. */
	const char *why_syscall;
	uint32_t calls; /* read(2) calls per visit, at both ends together */
	const char *uneven; /* why visits with counters take the slow path */
	uint64_t read_ns; /* mean duration of a read in user space */
	uint64_t start_ticks; /* time of the first visit; 0: none so far */
	uint64_t start_cpu_ns;   /* CPU time of all threads at start_ticks */
	uint64_t attached; /* threads that have had a state so far */
	/* Both include threads whose end was not noticed. */
	uint64_t alive, alive_max;
	struct selfmon_limited limited[SELFMON_LIMITED_COUNT];
	uint64_t refused;               /* threads without memory */
	/* Leaves of visits that were closed or of another thread. */
	uint64_t stale;
	uint32_t stack_bytes;		/* of all threads' samples */
	bool sampling_chosen;
	struct selfmon_sampling sampling;
	uint32_t leaving; /* threads that run the key's destructor */
	bool forked;                    /* this process is a forked child */
	bool unwiped;   /* the kernel cannot wipe memory in a child */
	struct selfmon_live *live;      /* NULL: not begun */
	/* The regions whose slowest visits are kept: store/slowest.h. */
	struct selfmon_slowest *slowest;
	uint32_t slow_regions;
	uint64_t slow_serial; /* serial number of the visit kept last */
	uint64_t slow_begin;  /* the interval has the visits kept after it */
	/* The limits of regions; NULL: none so far. See store/watch.h. */
	struct selfmon_watch **watch;
	/*
	 * Protects the slowest visits and the limits; its holder takes no other
	 * lock.
	 */
	pthread_mutex_t slow_lock;
	/* 1: a visit has triggered the trace, and its writer is to look. */
	uint32_t triggered;
};

/*
 * Returns the state of the process, and makes it at the first call. Returns
 * NULL without memory.
 */
struct selfmon_process *selfmon_process(void);
/* Returns the state if it exists, else NULL. */
struct selfmon_process *selfmon_process_made(void);
/*
 * Returns true if the process visited any region or span. Does not make the
 * state.
 */
bool selfmon_process_visited(void);
/* Ends the library: no further state is made, and regions are off. */
void selfmon_process_end(void);
bool selfmon_process_has_ended(void);
/* Starts the clock unless it has started. The caller holds the process lock. */
void selfmon_process_begin(struct selfmon_process *process);
/* Returns true while any thread runs the key's destructor. */
bool selfmon_process_leaving(void);

#endif
