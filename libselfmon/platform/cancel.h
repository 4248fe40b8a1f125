/* SPDX-License-Identifier: MIT */
/* Disables cancellation of the calling thread for a while. */
#ifndef SELFMON_PLATFORM_CANCEL_H
#define SELFMON_PLATFORM_CANCEL_H

#include <pthread.h>

struct selfmon_cancel {
	int state, type;
};

/*
 * Sets the type first. With asynchronous cancellation, glibc's handler would
 * act on a SIGCANCEL that arrives while the state is being changed (nptl
 * sigcancel_handler; observed on 2.36).
 */
static inline void selfmon_cancel_off(struct selfmon_cancel *before)
{
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before->type);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->state);
}

/*
 * Does not return if the thread was cancelled meanwhile and its cancellation is
 * enabled and asynchronous.
 */
static inline void selfmon_cancel_restore(const struct selfmon_cancel *before)
{
	pthread_setcancelstate(before->state, NULL);
	if (before->type != PTHREAD_CANCEL_DEFERRED)
		pthread_setcanceltype(before->type, NULL);
}

#endif
