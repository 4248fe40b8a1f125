/* SPDX-License-Identifier: MIT */
/*
 * The process's part of regions: its threads, its event set, what happened in
 * it, and what was set. For region/ itself and for the report above it.
 */
#ifndef SELFMON_REGION_PROCESS_H
#define SELFMON_REGION_PROCESS_H

#include <pthread.h>

#include "region/state.h"

#define SELFMON_NOTES_MAX 8
#define SELFMON_SPEC_MAX 4096
#define SELFMON_OUTPUT_MAX 4096

/* Kept: what was set, by the program and by the environment over it. */
struct selfmon_config {
	const char *events; /* less than SELFMON_SPEC_MAX bytes */
	const char *output; /* less than SELFMON_OUTPUT_MAX; "": no report */
	const char *live;   /* less than SELFMON_OUTPUT_MAX; "": no live file */
	bool enable;
	bool fence;
	bool strict;
	bool guard;
	bool threads;       /* an output has the option "threads" */
	uint32_t every;
	selfmon_message_fn message;
	void *context;
	size_t notes;   /* messages that nobody has been told yet */
	char (*note)[SELFMON_MESSAGE_SIZE]; /* SELFMON_NOTES_MAX */
};

/* How the events of the process were decided; see events.c. */
enum selfmon_choice {
	SELFMON_CHOICE_NONE = 0,    /* not decided yet */
	SELFMON_CHOICE_LIST,        /* as asked for */
	SELFMON_CHOICE_AUTO,        /* auto: those of the list */
	SELFMON_CHOICE_TIME,        /* time alone, as asked for */
	SELFMON_CHOICE_NO_USER_READ, /* auto: time alone, failure says why */
	SELFMON_CHOICE_SLOW_READ,   /* auto: time alone, read_ns says why */
	SELFMON_CHOICE_FAILED       /* the list cannot be opened: failure */
};

/*
 * A column: one event of the process's set. Columns that count come first, in
 * the order in which the set has their values: so statistics have a place for
 * each value, and those that no thread counts need no look at all.
 */
struct selfmon_column {
	char name[SELFMON_EVENT_NAME_SIZE];
	size_t position;
	uint32_t place;                 /* in a report: the order asked for */
	enum selfmon_group group;       /* what it is counted together with */
	enum selfmon_verdict verdict;   /* the best of its values */
	bool kernel;
	struct selfmon_failure failure; /* of the first thread's opening */
};

/* How a thread that meets a limit goes on: the steps down. */
enum selfmon_step_down {
	SELFMON_LIMITED_SLOW, /* all values, by system call */
	SELFMON_LIMITED_LESS, /* some of them */
	SELFMON_LIMITED_TIME, /* time alone */
	SELFMON_LIMITED_COUNT
};

struct selfmon_limited {
	uint64_t threads;
	struct selfmon_failure failure; /* of the first of them */
};

/* For threads that ended without a word; see gone.c. */
struct selfmon_looks {
	uint64_t attached; /* threads that had a state at the last look ... */
	uint64_t found;    /* ... and how many were alive at it */
	bool told;
};

/* Wiped: one a process. */
struct selfmon_process {
	pthread_mutex_t lock;
	pthread_mutex_t report_lock; /* one report at a time; taken first */
	uint32_t ready;
	int32_t pid;
	struct selfmon_thread *threads; /* newest first; never freed */
	struct selfmon_thread *idle;    /* of these, those that nobody has */
	enum selfmon_choice choice;
	char events[SELFMON_SPEC_MAX];  /* what threads open; may be "" */
	uint32_t columns;
	uint32_t counted;               /* of these, they come first */
	struct selfmon_column column[SELFMON_MAX_COUNTERS];
	struct selfmon_failure failure;
	struct selfmon_failure left_out; /* of the list's @sets; or error 0 */
	const char *why_syscall;        /* hardware events by read(2): why */
	uint32_t calls;                 /* read(2) a visit, both its ends */
	const char *uneven;             /* counters not read alike: why */
	uint64_t read_ns;               /* one user read, on average */
	uint64_t start_ticks;           /* 0: switched off so far */
	uint64_t start_cpu_ns;          /* CPU time of all threads then */
	uint64_t attached;              /* threads that had a state */
	uint64_t alive, alive_max;      /* gone, and not found yet, too */
	struct selfmon_looks looks;
	struct selfmon_limited limited[SELFMON_LIMITED_COUNT];
	uint64_t refused;               /* threads without memory */
	uint64_t stale;                 /* leaves of visits long gone */
	uint32_t leaving;               /* threads at their end, right now */
	uint64_t torn;                  /* updates that were cancelled */
	bool forked;                    /* this process is a child */
	bool unwiped;                   /* a child finds all its parent's */
	struct selfmon_live *live;      /* NULL: not begun */
};

/* process.c: NULL only where there is no memory. */
struct selfmon_process *selfmon_process(void);
/* Was any region visited in this process? Makes nothing. */
bool selfmon_process_visited(void);
void selfmon_process_lock(struct selfmon_process *process);
void selfmon_process_unlock(struct selfmon_process *process);
void selfmon_process_unlock_as(struct selfmon_process *process,
			       struct selfmon_thread *thread);
/* Something is to be measured; under the process lock. */
void selfmon_process_begin(struct selfmon_process *process);
/* Returns true while a thread runs the key's destructor. */
bool selfmon_process_leaving(void);

/* thread.c: the calling thread's state, made if need be; NULL: none. */
struct selfmon_thread *selfmon_thread_attach(void);
/*
 * A new state that belongs to no thread; under the process lock. seen: reports
 * have it, and so has the live file.
 */
struct selfmon_thread *selfmon_thread_make(bool seen);
/*
 * owner.c: a state for the calling thread, which has it from now on: a new one,
 * or one that a thread which ended has left. NULL: no memory. Under the lock.
 */
struct selfmon_thread *selfmon_thread_own(struct selfmon_process *process);
/* Its thread has ended. Under the lock. */
void selfmon_thread_disown(struct selfmon_process *process,
			   struct selfmon_thread *thread);
/* The name that a thread which is alive has now. Under the lock. */
void selfmon_thread_look_up_name(const struct selfmon_process *process,
				 struct selfmon_thread *thread);
/* Room for more open visits; false: there are SELFMON_DEPTH_MAX. */
bool selfmon_thread_deepen(struct selfmon_thread *thread);
/* Gives the calling thread another state; returns the one it had. */
struct selfmon_thread *selfmon_thread_swap(struct selfmon_thread *thread);
/* Gives it one that is busy for ever. */
struct selfmon_thread *selfmon_thread_hide(void);
/* Visits of threads without a state of their own that were not measured. */
uint64_t selfmon_thread_unready(void);
/* One more: selfmon_thread_attach() gave its thread none. */
void selfmon_thread_refused(void);
/* In a forked child: none so far. */
void selfmon_thread_forked(void);
/* How a thread with this state goes through enter and leave. */
uint32_t selfmon_thread_mode(const struct selfmon_thread *thread);

/* Its state is the next one's; the calling thread goes on with that given. */
void selfmon_thread_end(struct selfmon_process *process,
			struct selfmon_thread *thread,
			struct selfmon_thread *after);

/*
 * gone.c: ends threads that are gone and have not ended here, if it is time to
 * look for them.
 */
void selfmon_gone_find(struct selfmon_process *process);
/* No thread of this process can say that it ends. */
void selfmon_gone_tell(struct selfmon_process *process);

/* No thread's end calls in here any more. */
void selfmon_thread_forget(void);
/* The calling thread has no state from now on; its events are closed. */
void selfmon_thread_close(void);

/* config.c */
struct selfmon_config *selfmon_config(void);
void selfmon_config_note(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void selfmon_config_environment(void);
/*
 * Before anything is made: true if the environment has now switched regions
 * off, and that is all that they cost. Of the other variables nothing is read.
 */
bool selfmon_config_switches_off(void);

/*
 * events.c: has what names in the list of events need loaded (platform/pfm.c),
 * once, before the process lock is taken: a constructor that visits a region
 * waits for that lock with the loader's in its hands.
 */
void selfmon_events_foresee(void);
/*
 * Decides what the process counts, with the calling thread's set as the first
 * (under the process lock), and opens the same for later threads.
 */
void selfmon_events_choose(struct selfmon_process *process,
			   struct selfmon_thread *thread);
void selfmon_events_open(struct selfmon_process *process,
			 struct selfmon_thread *thread);
/* Why there is nothing but time, or not all of a set; "" where all is there. */
void selfmon_events_reason(const struct selfmon_process *process, char *text,
			   size_t size);

/* slow.c: why visits do not take the fast path; "" where they do. */
void selfmon_slow_path(const struct selfmon_process *process, char *text,
		       size_t size);

/* name.c: regions by id, from 1; NULL beyond the last. */
struct selfmon_region {
	struct selfmon_site site; /* first: a handle is entered like a site */
	uint64_t hash;
	size_t length;            /* of the name */
};
uint32_t selfmon_name_register(const char *name, const char *file,
			       uint32_t line);
const struct selfmon_region *selfmon_name_of(uint32_t id);

#endif
