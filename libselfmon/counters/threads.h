/* SPDX-License-Identifier: MIT */
/*
 * Sets that count several threads: SELFMON_COUNTERS_INHERIT and _PROCESS. Each
 * event is opened once for each thread, and threads started later inherit it.
 * Each event of a thread is read by a read(2) of its own. Values are sums over
 * the threads.
 */
#ifndef SELFMON_COUNTERS_THREADS_H
#define SELFMON_COUNTERS_THREADS_H

#include "counters/set.h"

#define SELFMON_COUNTERS_SEVERAL                                               \
	(SELFMON_COUNTERS_INHERIT | SELFMON_COUNTERS_PROCESS)

/* An event of one thread, with members as in struct selfmon_member. */
struct selfmon_task_event {
	int fd_plus_1;
	bool gone;
	uint64_t id;
	uint64_t looked;
};

struct selfmon_task {
	pid_t tid;
	bool ended; /* the thread exited before its events were opened */
	struct selfmon_task_event event[SELFMON_MAX_COUNTERS];
};

/* The threads of a set. The calling thread is the last one. */
struct selfmon_threads {
	size_t size; /* size of this memory in bytes */
	uint32_t room, count;
	bool all;       /* all threads of the process: PROCESS */
	bool processes; /* forked processes are counted, too */
	struct selfmon_task thread[];
};

/*
 * Replaces the events of a set, which count the calling thread, by inherited
 * events in the same order and groups. The new events count the calling thread
 * and threads that it starts (INHERIT), or every thread of the process
 * (PROCESS). Returns 0, or -errno with the reason in *failure. After an error
 * no event is open.
 */
int selfmon_threads_open(struct selfmon_set *set, unsigned int flags,
			 struct selfmon_failure *failure);

const char *selfmon_threads_why(const struct selfmon_set *set);

void selfmon_threads_close(struct selfmon_set *set);

#endif
