/* SPDX-License-Identifier: MIT */
/*
 * Opens the events of several threads. An inherited event cannot be mapped
 * unless it is bound to a CPU (kernel kernel/events/core.c, perf_mmap), so each
 * one is read by read(2). The kernel returns the sum over the thread, the
 * threads that it started since the event was opened, and their descendants,
 * including ended ones.
 *
 * Events are scheduled in groups, but read one by one. Linux before 4.13
 * refuses to read a whole group of inherited events (EINVAL). On later kernels
 * a group read is not atomic with the exit of a thread: it fails (ECHILD), or
 * misses that thread's counts of all members but the leader. Observed on 6.18;
 * see docs/DESIGN.md.
 */
#include "counters/threads.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/attr_fallback.h"
#include "counters/fd_table.h"
#include "counters/group.h"
#include "event/probe_event.h"
#include "platform/directory.h"
#include "platform/escape.h"
#include "platform/kernel.h"
#include "platform/perf_open.h"

#define TASKS "/proc/self/task"
/*
 * If the list of threads changes while events are opened, they are opened
 * again, at most this many times.
 */
#define TRIES 16

/* ---- which threads ------------------------------------------------------- */

static bool next_tid(struct selfmon_directory *tasks, pid_t *tid)
{
	char name[16];

	if (!selfmon_directory_next(tasks, name, sizeof(name)))
		return false;
	*tid = (pid_t)strtol(name, NULL, 10);
	return true;
}

static int count_tasks(void)
{
	struct selfmon_directory tasks;
	int error = selfmon_directory_open(TASKS, &tasks);
	int count = 0;
	pid_t tid;

	if (error)
		return error;
	while (next_tid(&tasks, &tid))
		count++;
	selfmon_directory_close(&tasks);
	return count;
}

/*
 * Lists the threads, with the caller last. Returns -EAGAIN if there are now
 * more threads than fit. Returns -ESRCH if the caller is not in the list: /proc
 * and perf_event_open(2) then use different PID namespaces.
 */
static int list_tasks(struct selfmon_threads *threads)
{
	const pid_t own = selfmon_kernel_tid();
	struct selfmon_directory tasks;
	int error = selfmon_directory_open(TASKS, &tasks);
	bool found = false;
	pid_t tid;

	if (error)
		return error;
	while (next_tid(&tasks, &tid)) {
		if (tid == own)
			found = true;
		else if (threads->count + 1 < threads->room)
			threads->thread[threads->count++].tid = tid;
		else
			error = -EAGAIN;
	}
	selfmon_directory_close(&tasks);
	threads->thread[threads->count++].tid = own;
	return found ? error : -ESRCH;
}

static bool is_listed_task(const struct selfmon_threads *threads, pid_t tid)
{
	uint32_t i;

	for (i = 0; i < threads->count; i++)
		if (threads->thread[i].tid == tid)
			return true;
	return false;
}

/*
 * Returns -EAGAIN if a thread was started meanwhile. Such a thread may or may
 * not have inherited events from its creator, so all events must be opened
 * again.
 */
static int check_tasks(const struct selfmon_threads *threads)
{
	struct selfmon_directory tasks;
	int error = selfmon_directory_open(TASKS, &tasks);
	pid_t tid;

	while (!error && next_tid(&tasks, &tid))
		if (!is_listed_task(threads, tid))
			error = -EAGAIN;
	selfmon_directory_close(&tasks);
	return error;
}

/* ---- opening ------------------------------------------------------------- */

/*
 * Opens an inherited event. Kernels before 5.13 refuse inherit_thread (EINVAL).
 * There the event also counts forked processes.
 */
static int open_inherited(struct selfmon_threads *threads,
			  const struct perf_event_attr *asked,
			  const struct selfmon_event *event, pid_t tid,
			  int group)
{
	struct perf_event_attr attr = *asked;
	int fd = selfmon_kernel_perf_open_thread(&attr, event->config3, tid,
						 group, false);

	if (fd != -EINVAL)
		return fd;
	attr = *asked;
	fd = selfmon_kernel_perf_open_thread(&attr, event->config3, tid, group,
					     true);
	if (fd >= 0)
		threads->processes = true;
	return fd;
}

/*
 * Like open_event() in group.c, but requests neither user reads nor group
 * reads.
 */
static int open_task_event(struct selfmon_threads *threads,
			   struct selfmon_member *member, pid_t tid, int group)
{
	char path[SELFMON_EVENT_NAME_SIZE];
	const bool probe = selfmon_probe_event_path(&member->event, path);
	struct selfmon_attr_fallback attempt;
	struct perf_event_attr attr;
	int error = 0, fd;

	selfmon_attr_fallback_first(&attempt, &member->event, 0);
	do {
		selfmon_attr_fallback_attr(&attempt, &member->event, &attr);
		if (probe) /* uprobe_path, <linux/perf_event.h> */
			attr.config1 = (uintptr_t)path;
		attr.read_format = PERF_FORMAT_ID |
				   PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING;
		fd = open_inherited(threads, &attr, &member->event, tid, group);
		if (!attempt.both_modes)
			error = fd;
	} while (fd < 0 &&
		 selfmon_attr_fallback_next(&attempt, &member->event, fd));
	if (fd >= 0 && attempt.both_modes)
		member->kernel = true;
	return fd < 0 ? error : fd;
}

static void close_events(struct selfmon_task *task)
{
	size_t i;

	for (i = SELFMON_MAX_COUNTERS; i-- > 0;) {
		struct selfmon_task_event *const event = &task->event[i];

		if (event->fd_plus_1)
			selfmon_fd_table_close(event->fd_plus_1 - 1, event->id);
		event->fd_plus_1 = 0;
	}
}

static int refuse(struct selfmon_failure *failure, int error,
		  const char *message)
{
	memset(failure, 0, sizeof(*failure));
	failure->error = -error;
	failure->step = SELFMON_STEP_POLICY;
	snprintf(failure->message, sizeof(failure->message), "%s", message);
	return error;
}

static int fail_open(struct selfmon_failure *failure,
		     const struct selfmon_member *member, int error)
{
	failure->error = -error;
	failure->step = SELFMON_STEP_OPEN;
	failure->kernel_asked = member->kernel;
	return error;
}

static int open_one(struct selfmon_set *set, struct selfmon_task *task,
		    size_t i, int *group, struct selfmon_failure *failure)
{
	struct selfmon_member *const member = &set->member[i];
	struct selfmon_task_event *const event = &task->event[i];
	int fd;

	memset(failure, 0, sizeof(*failure));
	failure->position = member->event.position;
	selfmon_escape(SELFMON_FOR_TEXT, failure->event, sizeof(failure->event),
		       member->event.name);
	if (selfmon_fd_table_all_fds(failure))
		return -failure->error;
	if (i == 0 || member->group != set->member[i - 1].group)
		*group = -1;
	fd = open_task_event(set->threads, member, task->tid, *group);
	if (fd < 0)
		return fail_open(failure, member, fd);
	failure->error = 0;
	event->id = selfmon_fd_table_add(fd);
	event->fd_plus_1 = fd + 1;
	if (*group < 0)
		*group = fd;
	return 0;
}

/*
 * Opens one thread's events, in the planned groups. A thread that has exited
 * gets no events.
 */
static int open_thread(struct selfmon_set *set, struct selfmon_task *task,
		       struct selfmon_failure *failure)
{
	int group = -1, error = 0;
	size_t i;

	for (i = 0; i < set->head.count && !error; i++)
		error = open_one(set, task, i, &group, failure);
	if (error != -ESRCH)
		return error;
	close_events(task);
	task->ended = true;
	memset(failure, 0, sizeof(*failure));
	return 0;
}

static int map_threads(struct selfmon_set *set, size_t room)
{
	const size_t size = sizeof(*set->threads) +
			    room * sizeof(set->threads->thread[0]);
	void *memory = NULL;

	if (selfmon_kernel_map_memory(size, false, &memory))
		return -ENOMEM;
	if (selfmon_kernel_keep_from_child(memory, size)) {
		selfmon_kernel_unmap_memory(memory, size);
		return -ENOMEM;
	}
	set->threads = memory;
	set->threads->size = size;
	set->threads->room = (uint32_t)room;
	return 0;
}

static int list_all(struct selfmon_set *set)
{
	const int count = count_tasks();
	int error = count < 0 ? count : map_threads(set, (size_t)count);

	if (error)
		return error;
	set->threads->all = true;
	return list_tasks(set->threads);
}

static int list_own(struct selfmon_set *set)
{
	const int error = map_threads(set, 1);

	if (error)
		return error;
	set->threads->thread[0].tid = selfmon_kernel_tid();
	set->threads->count = 1;
	return 0;
}

static int fail_list(struct selfmon_failure *failure, int error)
{
	switch (error) {
	case -EAGAIN:
		return error;
	case -ENOMEM:
		return refuse(failure, error,
			      "no memory for the threads of a counter set");
	case -ESRCH:
		return refuse(failure, error,
			      TASKS " lists other threads: it belongs to "
			      "another PID namespace");
	default:
		return refuse(failure, error,
			      TASKS ", the list of threads, cannot be read");
	}
}

/*
 * Lists the threads and opens their events once. Returns -EAGAIN if threads
 * were started meanwhile.
 */
static int try_open(struct selfmon_set *set, bool all,
		    struct selfmon_failure *failure)
{
	int error = all ? list_all(set) : list_own(set);
	uint32_t i;

	if (error)
		return fail_list(failure, error);
	for (i = 0; i < set->threads->count; i++) {
		error = open_thread(set, &set->threads->thread[i], failure);
		if (error)
			return error;
	}
	error = all ? check_tasks(set->threads) : 0;
	return error ? fail_list(failure, error) : 0;
}

int selfmon_threads_open(struct selfmon_set *set, unsigned int flags,
			 struct selfmon_failure *failure)
{
	const bool all = flags & SELFMON_COUNTERS_PROCESS;
	int error, i;

	selfmon_group_release(set->member, set->asked);
	for (i = 0; i < TRIES; i++) {
		error = try_open(set, all, failure);
		if (!error)
			return 0;
		selfmon_threads_close(set);
		if (error != -EAGAIN)
			return error;
	}
	return refuse(failure, -EAGAIN,
		      "other threads kept starting threads while the set was "
		      "opened. Open the set before they start, or while they "
		      "wait");
}

void selfmon_threads_close(struct selfmon_set *set)
{
	struct selfmon_threads *const threads = set->threads;
	uint32_t i;

	set->threads = NULL;
	if (!threads)
		return;
	for (i = 0; i < threads->count; i++)
		close_events(&threads->thread[i]);
	selfmon_kernel_unmap_memory(threads, threads->size);
}

const char *selfmon_threads_why(const struct selfmon_set *set)
{
	if (set->threads->processes)
		return set->threads->all
			       ? "all threads of the process, and the "
				 "processes that it forks, are counted: "
				 "kernels before 5.13 cannot exclude processes"
			       : "threads and processes that the opening "
				 "thread starts are counted too: kernels "
				 "before 5.13 cannot exclude processes";
	return set->threads->all
		       ? "all threads of the process are counted, each by "
			 "system call"
		       : "threads that the opening thread starts are "
			 "counted too, which takes system calls";
}
