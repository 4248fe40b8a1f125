/* SPDX-License-Identifier: MIT */
/* Jobs that run on their own stacks, switched by swapcontext(3). */
#ifndef TESTS_KERNEL_FIBERS_H
#define TESTS_KERNEL_FIBERS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <selfmon.h>

#include "sanitized.h"

#if SANITIZED && !SANITIZED_THREADS
#include <sanitizer/common_interface_defs.h>
#elif SANITIZED_THREADS
#include <sanitizer/tsan_interface.h>
#endif

#define JOB_STACK (256 << 10)

struct job {
	ucontext_t context, *back;
	struct selfmon_fiber *fiber;
	void (*work)(struct job *job);
	uint64_t n;    /* for use by work() */
	bool done;
	char *stack;
	void *self, *caller; /* handles of fibers for the sanitizers */
	const void *bottom;
	size_t size;
};

/*
 * Informs a sanitizer of a switch to the job's stack, or back to the caller's.
 */
static inline void job_before_switch(struct job *job, bool in)
{
#if SANITIZED && !SANITIZED_THREADS
	__sanitizer_start_switch_fiber(in ? &job->caller
					  : job->done ? NULL : &job->self,
				       in ? job->stack : job->bottom,
				       in ? JOB_STACK : job->size);
#elif SANITIZED_THREADS
	if (in)
		job->caller = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(in ? job->self : job->caller, 0);
#endif
	(void)job;
	(void)in;
}

static inline void job_after_switch(struct job *job, bool in)
{
#if SANITIZED && !SANITIZED_THREADS
	if (in)
		__sanitizer_finish_switch_fiber(job->self, &job->bottom,
						&job->size);
	else
		__sanitizer_finish_switch_fiber(job->caller, NULL, NULL);
#endif
	(void)job;
	(void)in;
}

/* Runs the job in the calling thread until it pauses or ends. */
static __attribute__((noinline, unused)) void job_run(struct job *job)
{
	ucontext_t here;

	job->back = &here;
	selfmon_fiber_switch(job->fiber);
	job_before_switch(job, true);
	swapcontext(&here, &job->context);
	job_after_switch(job, false);
}

static __attribute__((noinline, unused)) void job_pause(struct job *job)
{
	selfmon_fiber_switch(NULL);
	job_before_switch(job, false);
	swapcontext(&job->context, job->back);
	job_after_switch(job, true);
}

static __attribute__((unused)) void job_begin(unsigned int high,
					      unsigned int low)
{
	struct job *const job = (struct job *)((uintptr_t)high << 32 | low);

	job_after_switch(job, true);
	job->work(job);
	job->done = true;
	job_pause(job);
}

static __attribute__((unused)) void job_make(struct job *job, const char *name,
					     void (*work)(struct job *))
{
	const uintptr_t address = (uintptr_t)job;

	job->fiber = selfmon_fiber_create(name);
	job->work = work;
	job->n = 0;
	job->done = false;
	job->self = job->caller = NULL;
	job->stack = malloc(JOB_STACK);
	memset(job->stack, 1, JOB_STACK); /* no page faults later */
	getcontext(&job->context);
	job->context.uc_stack.ss_sp = job->stack;
	job->context.uc_stack.ss_size = JOB_STACK;
	job->context.uc_link = NULL;
	makecontext(&job->context, (void (*)(void))job_begin, 2,
		    (unsigned int)(address >> 32), (unsigned int)address);
#if SANITIZED_THREADS
	job->self = __tsan_create_fiber(0);
#endif
}

static __attribute__((unused)) void job_end(struct job *job)
{
	selfmon_fiber_destroy(job->fiber);
	free(job->stack);
#if SANITIZED_THREADS
	__tsan_destroy_fiber(job->self);
#endif
}

#endif
