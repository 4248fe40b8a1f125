/* SPDX-License-Identifier: MIT */
/* Opens counter sets on a machine whose calls fail as a test requests. */
#ifndef TESTS_FAULT_COUNTERS_FAULTS_H
#define TESTS_FAULT_COUNTERS_FAULTS_H

#include <criterion/criterion.h>
#include <string.h>

#include "counters/set.h"
#include "fault/kernel_faults.h"
#include "kernel/holdings.h"

/* With one of these flags, a failure of one event can make the set fail. */
#define ONE_FAILS_ALL                                                          \
	(SELFMON_COUNTERS_STRICT | SELFMON_COUNTERS_INHERIT |                  \
	 SELFMON_COUNTERS_PROCESS)

static struct selfmon_counters *set;
static struct selfmon_failure failure;
static struct selfmon_snapshot a, b;
static struct selfmon_delta delta;

static inline int open_set(const char *spec, unsigned int flags)
{
	return selfmon_counters_open(spec, flags, &set, &failure);
}

static inline struct selfmon_counter_info info_of(size_t i)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	cr_assert_eq(selfmon_counters_info(set, i, &info), 0);
	return info;
}

static inline void measure(void)
{
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
}

static inline const void *page_of(size_t i)
{
	return ((const struct selfmon_set *)(const void *)set)->member[i].page;
}

/*
 * Returns the names of the members in order, with dropped ones after a bar:
 * "a,b|c".
 */
static inline const char *order(int count)
{
	static char text[256];
	struct selfmon_counter_info info = { .size = sizeof(info) };
	int i;

	text[0] = '\0';
	for (i = 0; !selfmon_counters_info(set, (size_t)i, &info); i++) {
		strcat(text, i == count ? "|" : i ? "," : "");
		strncat(text, info.name, 30);
		cr_assert_eq(info.failure != NULL, i >= count);
	}
	return text;
}

static inline void setup(void)
{
	kernel_faults_clear();
	/*
	 * The first set of a process also maps memory that stays. This happens
	 * here, before resources are counted.
	 */
	cr_assert_eq(open_set("dummy", 0), 1);
	selfmon_counters_close(set);
	kernel_faults_clear();
}

static inline void setup_pmu(void)
{
	setup();
	kernel_faults.pmu = true;
}

#endif
