/* SPDX-License-Identifier: MIT */
/* Where a thread's stack is, by other means than the C library's own. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "platform/stack.h"

struct bounds {
	uint64_t low, high, told_low, told_high, here;
	bool known;
};

static void *look(void *result)
{
	struct bounds *const bounds = result;
	pthread_attr_t attr;
	void *start;
	size_t size;

	bounds->here = (uint64_t)(uintptr_t)&attr;
	bounds->known = selfmon_stack_bounds(&bounds->low, &bounds->high);
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
	struct bounds bounds = { .known = false };
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, attr, look, &bounds), 0);
	pthread_join(thread, NULL);
	return bounds;
}

static void check(const struct bounds *bounds)
{
	cr_assert(bounds->known, "the bounds are not known");
	cr_assert_eq(bounds->low, bounds->told_low);
	cr_assert_eq(bounds->high, bounds->told_high);
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

Test(stack, and_one_that_the_program_has_made)
{
	const size_t size = 1 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	struct bounds bounds;

	cr_assert_neq(memory, MAP_FAILED);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory, size);
	bounds = look_in_thread(&attr);
	check(&bounds);
}

Test(stack, of_the_main_thread_holds_its_frames)
{
	struct bounds bounds = { .known = false };

	look(&bounds);
	cr_assert(bounds.known);
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
