/* SPDX-License-Identifier: MIT */
/* Keeps cancellation of the calling thread off for a while. */
#ifndef SELFMON_PLATFORM_CANCEL_H
#define SELFMON_PLATFORM_CANCEL_H

#include <pthread.h>

struct selfmon_cancel {
	int state, type;
};

/*
 * The type as well: a SIGCANCEL that is under way when the state changes is
 * taken nevertheless by glibc's handler if cancellation is asynchronous (nptl
 * sigcancel_handler; seen on 2.36).
 */
static inline void selfmon_cancel_off(struct selfmon_cancel *before)
{
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before->type);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->state);
}

/* May not return. */
static inline void selfmon_cancel_restore(const struct selfmon_cancel *before)
{
	pthread_setcancelstate(before->state, NULL);
	if (before->type != PTHREAD_CANCEL_DEFERRED)
		pthread_setcanceltype(before->type, NULL);
}

#endif
