/* SPDX-License-Identifier: MIT */
#include "store/self.h"

struct selfmon_thread selfmon_thread_nobody = {
	.mode = SELFMON_MODE_NOT_READY
};

/*
 * The state of a thread whose own state is not usable: it is being made, the
 * thread holds the process lock, or there is no memory. A signal handler in
 * this thread finds that the thread is busy. All threads may share this state,
 * since only its mode is used.
 */
static struct selfmon_thread stand_in = { .mode = SELFMON_MODE_BUSY };
static uint64_t unready;

__thread struct selfmon_thread *selfmon_thread_pointer SELFMON_TLS_MODEL =
	&selfmon_thread_nobody;

struct selfmon_thread *selfmon_thread_swap(struct selfmon_thread *thread)
{
	struct selfmon_thread *const before = selfmon_thread_pointer;

	selfmon_thread_pointer = thread;
	return before;
}

struct selfmon_thread *selfmon_thread_hide(void)
{
	return selfmon_thread_swap(&stand_in);
}

bool selfmon_thread_is_hidden(void)
{
	return selfmon_thread_pointer == &stand_in;
}

void selfmon_thread_count_unready(void)
{
	__atomic_add_fetch(&unready, 1, __ATOMIC_RELAXED);
}

uint64_t selfmon_thread_unready(void)
{
	return selfmon_load_once(&unready);
}

void selfmon_thread_forked(void)
{
	selfmon_store_once(&unready, 0);
}
