/* SPDX-License-Identifier: MIT */
/*
 * The process's state: its threads, its event set, its counts. Wiped: a forked
 * child finds zeros.
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
	SELFMON_CHOICE_NO_USER_READ, /* auto: time alone; see failure */
	SELFMON_CHOICE_SLOW_READ,   /* auto: time alone; see read_ns */
	SELFMON_CHOICE_FAILED       /* the list cannot be opened; see failure */
};

/*
 * A column: one event of the process's set. Columns that count come first, in
 * the order of the set's values. So statistics have a place for each value, and
 * code that visits values skips the columns that no thread counts.
 */
struct selfmon_column {
	char name[SELFMON_EVENT_NAME_SIZE];
	size_t position;
	uint32_t place;   /* position in a report: the order requested */
	enum selfmon_group group;       /* events counted together */
	enum selfmon_verdict verdict;   /* the best of its values */
	bool kernel;
	struct selfmon_failure failure; /* of the first thread's opening */
};

/* How a thread that meets a limit continues: the steps down. */
enum selfmon_step_down {
	SELFMON_LIMITED_SLOW, /* all values, by system call */
	SELFMON_LIMITED_LESS, /* some of them */
	SELFMON_LIMITED_TIME, /* time alone */
	SELFMON_LIMITED_OFF_CPU, /* as it does, without its switches */
	SELFMON_LIMITED_SAMPLES, /* likewise, without samples */
	SELFMON_LIMITED_COUNT
};

struct selfmon_limited {
	uint64_t threads;
	struct selfmon_failure failure; /* of the first of them */
};

/* Wiped: one a process. */
struct selfmon_process {
	pthread_mutex_t lock;
	pthread_mutex_t report_lock; /* one report at a time; taken first */
	uint32_t ready;
	int32_t pid;
	struct selfmon_thread *threads; /* newest first; never freed */
	struct selfmon_thread *idle;    /* those without an owner */
	struct selfmon_fiber *fibers;   /* destroyed ones */
	uint32_t states;		/* numbers given to states */
	enum selfmon_choice choice;
	char events[SELFMON_SPEC_MAX];  /* what threads open; may be "" */
	uint32_t columns;
	uint32_t counted;   /* columns that count: the first ones */
	struct selfmon_column column[SELFMON_MAX_COUNTERS];
	struct selfmon_failure failure;
	struct selfmon_failure left_out; /* of @sets; error 0: none */
	const char *why_syscall;   /* why hardware events are read by read(2) */
	uint32_t calls;                 /* read(2) calls per visit, both ends */
	const char *uneven;             /* why counters take the slow path */
	uint64_t read_ns;               /* one user read, on average */
	uint64_t start_ticks;           /* 0: switched off so far */
	uint64_t start_cpu_ns;   /* CPU time of all threads at that moment */
	uint64_t attached;              /* threads that had a state */
	uint64_t alive, alive_max;      /* include threads that ended unseen */
	struct selfmon_limited limited[SELFMON_LIMITED_COUNT];
	uint64_t refused;               /* threads without memory */
	uint64_t stale;        /* leaves of closed or other threads' visits */
	uint32_t stack_bytes;		/* of all threads' samples */
	bool sampling_chosen;
	struct selfmon_sampling sampling;
	uint32_t leaving;               /* threads in the key's destructor */
	bool forked;                    /* this process is a child */
	bool unwiped;   /* the kernel cannot wipe a child's memory */
	struct selfmon_live *live;      /* NULL: not begun */
	/* Regions with their slowest visits: store/slowest.h. */
	struct selfmon_slowest *slowest;
	uint32_t slow_regions;
	pthread_mutex_t slow_lock; /* of their visits; no other is taken then */
};

/* Returns the process's state, made if need be; NULL: no memory. */
struct selfmon_process *selfmon_process(void);
/* Returns the state if it was made, else NULL. */
struct selfmon_process *selfmon_process_made(void);
/* Returns true if any region or span was visited. Makes no state. */
bool selfmon_process_visited(void);
/* Ends the library: no state is made any more, and regions are off. */
void selfmon_process_end(void);
bool selfmon_process_has_ended(void);
/* Starts the clock if it has not started; under the process lock. */
void selfmon_process_begin(struct selfmon_process *process);
/* Returns true while a thread runs the key's destructor. */
bool selfmon_process_leaving(void);

#endif
