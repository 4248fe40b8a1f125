/* SPDX-License-Identifier: MIT */
/*
 * Tests of the cost of code, with Criterion. A test fails if the count is too
 * high. It is skipped, with the reason, if the event cannot be counted. Each
 * test is a process of its own, so open the set in the test and not before.
 *
 *	cc test_cost.c $(pkg-config --cflags --libs selfmon criterion)
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <selfmon.h>

/* ---- helpers ------------------------------------------------------------- */

/* Skips the test if the event is not counted. */
static struct selfmon_counters *opened(const char *event)
{
	struct selfmon_counters *set;
	struct selfmon_failure failure;
	char why[512];

	if (selfmon_counters_open(event, SELFMON_COUNTERS_STRICT, &set,
				  &failure) < 0) {
		selfmon_explain(&failure, why, sizeof(why));
		cr_skip_test("%s", why);
	}
	return set;
}

/*
 * Returns the count of the set's event in work(context), after a warm-up run.
 */
static uint64_t count(struct selfmon_counters *set,
		      void (*work)(void *context), void *context)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;

	work(context);
	selfmon_counters_begin(set, &a);
	work(context);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	if (delta.value[0].verdict == SELFMON_NOT_COUNTED)
		cr_skip_test("the counter was taken away");
	return delta.value[0].count;
}

/* ---- tests --------------------------------------------------------------- */

static void touch(void *context)
{
	const size_t pages = *(const size_t *)context;
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *const memory =
		mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)memory, MAP_FAILED);
	madvise((void *)memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * size] = 1;
	munmap((void *)memory, pages * size);
}

Test(pages, are_one_fault_each)
{
	struct selfmon_counters *const set = opened("page-faults");
	size_t pages = 37;

	cr_assert_eq(count(set, touch, &pages), 37);
	selfmon_counters_close(set);
}

static int ascending(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) -
	       (*(const int *)a < *(const int *)b);
}

static void sort(void *context)
{
	const int length = *(const int *)context;
	int numbers[2000];

	for (int i = 0; i < length; i++)
		numbers[i] = i * 7919 % 10007;
	qsort(numbers, (size_t)length, sizeof(numbers[0]), ascending);
}

/* The test compares instructions, because times would vary between runs. */
Test(sort, of_twice_as_many_takes_little_more_than_twice_the_instructions)
{
	struct selfmon_counters *const set = opened("instructions");
	int length = 1000;
	const uint64_t once = count(set, sort, &length);
	uint64_t twice;

	length = 2000;
	twice = count(set, sort, &length);
	cr_assert_lt(twice, once * 5 / 2);
	selfmon_counters_close(set);
}
