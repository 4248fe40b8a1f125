/* SPDX-License-Identifier: MIT */
/* Where the calling thread's own stack lies. */
#define _GNU_SOURCE
#include "platform/stack.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "platform/kernel.h"

/* Taken for the size of a main stack that is not limited. */
#define UNLIMITED_STACK (UINT64_C(1) << 30)

/*
 * The kernel puts the bytes of AT_RANDOM above the first frame of the main
 * stack (fs/binfmt_elf.c, create_elf_tables). pthread_getattr_np() would read
 * and parse /proc/self/maps for the same.
 */
static bool main_bounds(uint64_t *low, uint64_t *high)
{
	struct rlimit limit;

	*high = getauxval(AT_RANDOM);
	if (!*high || getrlimit(RLIMIT_STACK, &limit))
		return false;
	if (limit.rlim_cur > UNLIMITED_STACK)
		limit.rlim_cur = UNLIMITED_STACK;
	*low = *high > limit.rlim_cur ? *high - limit.rlim_cur : 0;
	return true;
}

bool selfmon_stack_bounds(uint64_t *low, uint64_t *high)
{
	pthread_attr_t attr;
	void *start;
	size_t size;
	int error;

	if (selfmon_kernel_tid() == selfmon_kernel_pid())
		return main_bounds(low, high);
	if (pthread_getattr_np(pthread_self(), &attr))
		return false;
	error = pthread_attr_getstack(&attr, &start, &size);
	pthread_attr_destroy(&attr);
	*low = (uint64_t)(uintptr_t)start;
	*high = *low + size;
	return error == 0;
}

void selfmon_stack_grown(uint64_t *low, uint64_t high)
{
	uint64_t lower, end;

	if (main_bounds(&lower, &end) && end == high && lower < *low)
		*low = lower;
}
