/* SPDX-License-Identifier: MIT */
/*
 * For tests of sets that count several threads. Each thread touches fresh
 * pages, which causes a known number of faults and needs no PMU. Files that
 * include this define _GNU_SOURCE.
 */
#ifndef TESTS_KERNEL_THREADS_H
#define TESTS_KERNEL_THREADS_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "kernel/sets.h"
#include "pool.h"

#define THREADS 4
#define MANY 100

static struct pool pool;
static void *pages[POOL_MOST];

static inline void touch_own(int which)
{
	touch(pages[which]);
}

/*
 * Runs the threads twice in advance, so that their code and stacks are in
 * memory.
 */
static inline void start_pool(int count)
{
	int i;

	for (i = 0; i < count; i++)
		pages[i] = fresh_pages();
	pool_start(&pool, count, touch_own);
	pool_run(&pool);
	pool_run(&pool);
}

static inline void drop_pages(int count)
{
	const size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	int i;

	for (i = 0; i < count; i++)
		madvise(pages[i], size, MADV_DONTNEED);
}

/* Returns the faults of one run of the pool, from value 0 of the set. */
static inline uint64_t faults_of_a_run(void)
{
	drop_pages(pool.count);
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_begin(set, &a);
	pool_run(&pool);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	return delta.value[0].count;
}

/*
 * The kernel may add page faults when it moves pages, so the run is repeated
 * until none are added. No run may have fewer faults than expected.
 */
static inline void assert_faults(uint64_t expected)
{
	uint64_t faults;
	int run = 0;

	do {
		faults = faults_of_a_run();
		cr_assert_geq(faults, expected, "%" PRIu64 " faults", faults);
	} while (faults != expected && ++run < 10);
	cr_assert_eq(faults, expected, "%" PRIu64 " faults, not %" PRIu64,
		     faults, expected);
}

static inline const char *why(size_t i)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	cr_assert_eq(selfmon_counters_info(set, i, &info), 0);
	return info.why_syscall;
}

/*
 * Returns the number of threads of this process. Criterion has a thread of its
 * own.
 */
static inline int task_count(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = -2; /* . and .. */

	cr_assert_not_null(tasks);
	while (readdir(tasks))
		count++;
	closedir(tasks);
	return count;
}

#endif
