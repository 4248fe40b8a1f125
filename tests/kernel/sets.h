/* SPDX-License-Identifier: MIT */
/*
 * For tests of counter sets: a set, two snapshots, and page faults to count.
 * Files that include this must define _GNU_SOURCE.
 */
#ifndef SELFMON_TESTS_SETS_H
#define SELFMON_TESTS_SETS_H

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <selfmon/counters.h>

#include "sanitizer.h"

#define PAGES 100

static struct selfmon_counters *set;
static struct selfmon_failure failure;
static struct selfmon_snapshot a, b;
static struct selfmon_delta delta;

static inline int open_set(const char *spec, unsigned int flags)
{
	/*
	 * Writes to the memory, so that the snapshots themselves cause no page
	 * faults.
	 */
	memset(&a, 1, sizeof(a));
	memset(&b, 1, sizeof(b));
	return selfmon_counters_open(spec, flags, &set, &failure);
}

static inline void *fresh_pages(void)
{
	const size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(map, MAP_FAILED);
	madvise(map, size, MADV_NOHUGEPAGE);
	return map;
}

static inline void touch(volatile char *map)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	size_t i;

	for (i = 0; i < PAGES; i++)
		map[i * size] = 1;
}

/* Causes PAGES page faults between a and b. */
static inline void measure_faults(void)
{
	SKIP_IF_SANITIZED("its shadow memory faults too");
	void *first = fresh_pages(), *second = fresh_pages();

	touch(first); /* maps the code of touch() */
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_begin(set, &a);
	touch(second);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
}

#endif
