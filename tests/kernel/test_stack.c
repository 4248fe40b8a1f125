/* SPDX-License-Identifier: MIT */
/*
 * Tests the bounds of a thread's stack, which the library finds without the C
 * library. Compares them with those that the C library returns, and with stacks
 * made by the test.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/kernel.h"
#include "platform/stack.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

struct bounds {
	uint64_t low, high, told_low, told_high, here;
	enum selfmon_stack known;
};

static void *look(void *result)
{
	struct bounds *const bounds = result;
	pthread_attr_t attr;
	void *start;
	size_t size;

	bounds->here = (uint64_t)(uintptr_t)&attr;
	bounds->known = selfmon_stack_find(bounds->here, &bounds->low,
					   &bounds->high);
	if (pthread_getattr_np(pthread_self(), &attr))
		return NULL;
	pthread_attr_getstack(&attr, &start, &size);
	pthread_attr_destroy(&attr);
	bounds->told_low = (uint64_t)(uintptr_t)start;
	bounds->told_high = bounds->told_low + size;
	return NULL;
}

static struct bounds look_in_thread(const pthread_attr_t *attr)
{
	struct bounds bounds = { .known = SELFMON_STACK_GUESSED };
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, attr, look, &bounds), 0);
	pthread_join(thread, NULL);
	return bounds;
}

/*
 * Checks both bounds. The upper bound is the end of the frames: the C library
 * stores data of the thread above it.
 */
static void check(const struct bounds *bounds)
{
	cr_assert_eq(bounds->known, SELFMON_STACK_EXACT);
	cr_assert_eq(bounds->low, bounds->told_low);
	cr_assert_gt(bounds->high, bounds->here);
	cr_assert_leq(bounds->high, bounds->told_high);
}

Test(stack, of_a_thread_is_what_the_c_library_says)
{
	const struct bounds bounds = look_in_thread(NULL);

	check(&bounds);
}

Test(stack, of_a_size_asked_for_too)
{
	pthread_attr_t attr;
	struct bounds bounds;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 3 << 20);
	pthread_attr_setguardsize(&attr, 5 << 12);
	bounds = look_in_thread(&attr);
	check(&bounds);
}

static void no_guard(void *page)
{
	(void)page;
}

static void guard(void *page)
{
	cr_assert_eq(mprotect(page, page_size(), PROT_NONE), 0);
}

#define GUARD_INSTALL 102 /* MADV_GUARD_INSTALL, Linux 6.13 */

/* Since Linux 6.15, /proc/self/pagemap shows lightweight guards. */
static void lightweight_guard(void *page)
{
	if (madvise(page, page_size(), GUARD_INSTALL) ||
	    selfmon_kernel_version() < 6015)
		cr_skip_test("Linux 6.15");
}

/* Runs a thread on the middle third of a mapping. */
static struct bounds look_in_the_middle(void (*protect)(void *page))
{
	const size_t size = 1 << 20;
	char *const memory = mmap(NULL, 3 * size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;

	cr_assert_neq((void *)memory, MAP_FAILED);
	protect(memory + size - page_size());
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory + size, size);
	return look_in_thread(&attr);
}

Test(stack, and_one_that_the_program_has_made_with_a_guard)
{
	const struct bounds bounds = look_in_the_middle(guard);

	check(&bounds);
}

/* glibc 2.42 and later makes lightweight guards below stacks. */
Test(stack, or_with_a_lightweight_one)
{
	const struct bounds bounds = look_in_the_middle(lightweight_guard);

	check(&bounds);
}

Test(stack, one_that_lies_in_other_memory_has_wider_bounds_and_no_more_above)
{
	const struct bounds bounds = look_in_the_middle(no_guard);

	cr_assert_eq(bounds.known, SELFMON_STACK_WIDE);
	cr_assert_lt(bounds.low, bounds.told_low);
	cr_assert_gt(bounds.high, bounds.here);
	cr_assert_leq(bounds.high, bounds.told_high);
}

Test(stack, of_the_main_thread_holds_its_frames)
{
	struct bounds bounds = { .known = SELFMON_STACK_GUESSED };

	look(&bounds);
	cr_assert_eq(bounds.known, SELFMON_STACK_EXACT);
	cr_assert_leq(bounds.low, bounds.here);
	cr_assert_gt(bounds.high, bounds.here);
}

Test(stack, for_signals_is_told_from_what_is_around_it)
{
	char inside[1 << 14];
	const stack_t stack = { .ss_sp = inside, .ss_size = sizeof(inside) };
	const uint64_t low = (uint64_t)(uintptr_t)inside;

	cr_assert_not(selfmon_stack_alternates(low, low - 1));
	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	cr_assert(selfmon_stack_alternates(low, low - 1));
	cr_assert(selfmon_stack_alternates(low + sizeof(inside), low));
	cr_assert_not(selfmon_stack_alternates(low, low + 1));
	cr_assert_not(selfmon_stack_alternates(low - 1, low + sizeof(inside)));
}
