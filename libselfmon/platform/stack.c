/* SPDX-License-Identifier: MIT */
/*
 * Where the calling thread's own stack lies, and its stack for signals.
 *
 * pthread_getattr_np(3) would tell, but allocates: called by a handler that
 * interrupted malloc(3), it waits for a lock that its own thread holds.
 */
#define _GNU_SOURCE
#include "platform/stack.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "platform/kernel.h"

/* Taken for the size of a main stack that is not limited. */
#define UNLIMITED_STACK (UINT64_C(1) << 30)
/* Of any system we run on; or a divisor of it. */
#define PAGE_SIZE_MIN UINT64_C(4096)
/* What is taken for the size of a stack. */
#define STACK_MAX (UINT64_C(1) << 40)
/* From a thread's descriptor to the end of its stack: it, and static TLS. */
#define DESCRIPTOR_MAX (UINT64_C(1) << 20)

/*
 * The kernel puts the bytes of AT_RANDOM above the first frame of the main
 * stack (fs/binfmt_elf.c, create_elf_tables).
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

/* Lowest address, size, and the guard at the low end: as it is, as asked. */
struct block {
	uint64_t start, size, guard, guard_asked;
};

static bool is_stack_of(const struct block *block, uint64_t self)
{
	return block->start >= PAGE_SIZE_MIN && block->start < self &&
	       block->size < STACK_MAX && block->guard < block->size &&
	       block->guard_asked <= block->guard &&
	       block->start + block->size > self &&
	       block->start + block->size - self < DESCRIPTOR_MAX;
}

/*
 * The C library keeps a thread's descriptor at the high end of the stack that
 * it is for, and in glibc's (nptl/descr.h, struct pthread) are stackblock,
 * stackblock_size, guardsize and reported_guardsize, one behind the other, at
 * an offset that differs by version and machine. They are looked for, to the
 * end of the page at most: four words that describe a stack which ends where
 * the descriptor does can be no other. Where they are not found, as with other
 * C libraries, the bounds are not known.
 */
static bool thread_bounds(uint64_t *low, uint64_t *high)
{
	const uint64_t self = (uint64_t)(uintptr_t)pthread_self();
	const uint64_t end = (self | (PAGE_SIZE_MIN - 1)) + 1;
	struct block block;
	uint64_t at;

	for (at = self; at + sizeof(block) <= end; at += sizeof(uintptr_t)) {
		memcpy(&block, (const void *)(uintptr_t)at, sizeof(block));
		if (!is_stack_of(&block, self))
			continue;
		*low = block.start + block.guard;
		*high = block.start + block.size;
		return true;
	}
	return false;
}

bool selfmon_stack_bounds(uint64_t *low, uint64_t *high)
{
	if (selfmon_kernel_tid() == selfmon_kernel_pid())
		return main_bounds(low, high);
	return thread_bounds(low, high);
}

bool selfmon_stack_alternates(uint64_t a, uint64_t b)
{
	stack_t stack;
	uint64_t low;

	if (sigaltstack(NULL, &stack) || stack.ss_flags & SS_DISABLE)
		return false;
	low = (uint64_t)(uintptr_t)stack.ss_sp;
	return (a - low < stack.ss_size) != (b - low < stack.ss_size);
}

void selfmon_stack_grown(uint64_t *low, uint64_t high)
{
	uint64_t lower, end;

	if (main_bounds(&lower, &end) && end == high && lower < *low)
		*low = lower;
}
