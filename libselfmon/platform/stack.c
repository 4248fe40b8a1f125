/* SPDX-License-Identifier: MIT */
/*
 * pthread_getattr_np(3) is not used: it calls malloc(3), and a handler that
 * interrupted malloc would wait for a lock that its own thread holds.
 */
#define _GNU_SOURCE
#include "platform/stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>

#include <selfmon/compiler.h>

#include "platform/kernel.h"
#include "platform/mapping.h"

/*
 * The kernel keeps at least this much address space below the main stack free
 * of other mappings (MIN_GAP of mmap_base()), even with a small RLIMIT_STACK.
 * So mappings are queried only for addresses that are further down.
 */
#define MAIN_MAX (UINT64_C(128) << 20)
/*
 * Bounds are guessed only up to this distance from the upper end of the stack;
 * a thread's first visit is rarely further away.
 */
#define NEAR (UINT64_C(64) << 10)
/*
 * The C library puts a guard of a few pages below each stack that it allocates.
 * A larger inaccessible range belongs to something else, such as a heap that
 * may grow.
 */
#define GUARD_MAX (UINT64_C(1) << 20)

/* pthread_self() of the main thread, stored when it runs on the main stack. */
static uint64_t main_thread;

static uint64_t self(void)
{
	return (uint64_t)(uintptr_t)pthread_self();
}

/*
 * Finds the bounds of the main stack. The upper bound is AT_RANDOM, the address
 * of 16 bytes that the kernel stores above the first frame (fs/binfmt_elf.c,
 * create_elf_tables). The lower bound follows from RLIMIT_STACK.
 */
static bool main_bounds(uint64_t *low, uint64_t *high)
{
	struct rlimit limit;

	*high = getauxval(AT_RANDOM);
	if (*high < MAIN_MAX || getrlimit(RLIMIT_STACK, &limit))
		return false;
	*low = *high - (limit.rlim_cur < MAIN_MAX ? limit.rlim_cur : MAIN_MAX);
	return true;
}

/*
 * Compares only addresses: the main thread of a forked child may run on another
 * stack.
 */
static bool is_on_main(uint64_t here, uint64_t *low, uint64_t *high)
{
	if (!main_bounds(low, high) || here < *low || here >= *high)
		return false;
	selfmon_store_once(&main_thread, self());
	return true;
}

/*
 * Stores the main thread when the library is loaded, since it then runs on its
 * own stack.
 */
__attribute__((constructor)) static void see_main(void)
{
	uint64_t low, high;

	is_on_main((uint64_t)(uintptr_t)__builtin_frame_address(0), &low,
		   &high);
}

/*
 * Returns true if the C library created this thread, or forked this process. In
 * these cases the C library knows the kernel's thread id, which is a part of
 * the clock ids that it returns. In a child of a raw clone(2) the C library
 * still has the parent's id, and the child may be on any stack.
 */
static bool is_made_by_libc(void)
{
	const uint32_t tid = (uint32_t)selfmon_kernel_tid();
	clockid_t clock;

	return !pthread_getcpuclockid(pthread_self(), &clock) &&
	       (uint32_t)clock == (~tid << 3 | 6);
}

static enum selfmon_stack not_known(uint64_t *low, uint64_t *high)
{
	*low = 0;
	*high = INT64_MAX;
	return SELFMON_STACK_WIDE;
}

/*
 * Returns true if the main stack extends down to this address, even beyond its
 * current limit.
 */
static bool is_main_down_to(uint64_t address, uint64_t high, uint64_t *low)
{
	struct selfmon_mapping mapping;

	if (!selfmon_mapping_find(address, &mapping) || mapping.end < high)
		return false;
	*low = mapping.start;
	return true;
}

/*
 * Finds the bounds for a main thread that runs outside of the area that
 * RLIMIT_STACK allows.
 */
static enum selfmon_stack find_main(uint64_t here, uint64_t *low,
				    uint64_t *high)
{
	if (!main_bounds(low, high))
		return not_known(low, high);
	if (is_main_down_to(here, *high, low) || is_made_by_libc())
		return SELFMON_STACK_EXACT;
	return not_known(low, high);
}

static bool is_guarded(const struct selfmon_mapping *mapping)
{
	return mapping->guard && mapping->guard <= GUARD_MAX;
}

/*
 * Finds the bounds of a stack that the C library allocated. The thread's
 * descriptor and thread-local storage are at its high end, so all frames are
 * below them. The low end of the mapping is the low end of the stack only if
 * there is a guard directly below. Without a guard, the kernel may have merged
 * the stack with the mapping below it. A lightweight guard splits no mapping,
 * so selfmon_mapping_cut() looks for it separately.
 */
static enum selfmon_stack find_thread(uint64_t here, uint64_t *low,
				      uint64_t *high)
{
	struct selfmon_mapping mapping;
	bool exact;

	*high = self();
	if (!selfmon_mapping_find(*high, &mapping))
		return not_known(low, high);
	if (!is_guarded(&mapping)) /* guards are lightweight since glibc 2.42 */
		selfmon_mapping_cut(*high, &mapping);
	exact = is_guarded(&mapping);
	*low = mapping.start;
	if (here >= *low && here < *high)
		return exact ? SELFMON_STACK_EXACT : SELFMON_STACK_WIDE;
	if (exact && is_made_by_libc())
		return SELFMON_STACK_EXACT;
	return not_known(low, high);
}

enum selfmon_stack selfmon_stack_find(uint64_t here, uint64_t *low,
				      uint64_t *high)
{
	if (is_on_main(here, low, high))
		return SELFMON_STACK_EXACT;
	if (self() == selfmon_load_once(&main_thread))
		return find_main(here, low, high);
	return find_thread(here, low, high);
}

enum selfmon_stack selfmon_stack_guess(uint64_t here, uint64_t *low,
				       uint64_t *high)
{
	const uint64_t end = self();

	if (is_on_main(here, low, high))
		return SELFMON_STACK_EXACT;
	if (here >= end || end - here > NEAR ||
	    end == selfmon_load_once(&main_thread))
		return selfmon_stack_find(here, low, high);
	*low = end - NEAR;
	*high = end;
	return SELFMON_STACK_GUESSED;
}

void selfmon_stack_grow(uint64_t address, uint64_t *low, uint64_t high)
{
	uint64_t lower, end;

	if (!main_bounds(&lower, &end) || end != high)
		return;
	if (lower < *low)
		*low = lower;
	if (address < *low)
		is_main_down_to(address, high, low);
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
