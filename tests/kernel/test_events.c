/* SPDX-License-Identifier: MIT */
/*
 * Tests that breakpoints, tracepoints and uprobes count each access or call,
 * and that all named sets open.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <selfmon.h>

#include "counters/breakpoints.h"
#include "event/sets.h"
#include "probe.h"
#include "rows.h"

#define TIMES 1000

static struct selfmon_counters *open_set(const char *spec)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_counters *set;
	char why[512];
	const int count = selfmon_counters_open(spec, 0, &set, &failure);

	if (failure.error) {
		selfmon_explain(&failure, why, sizeof(why));
		selfmon_counters_close(set);
		cr_skip_test("%s", why);
	}
	cr_assert_gt(count, 0);
	return set;
}

static volatile uint64_t watched, neighbour;

/*
 * Each iteration has 3 stores and 2 loads of `watched`, and 1 store of
 * `neighbour`. An instruction that both loads and stores would count as one
 * access.
 */
static void touch(int times)
{
	while (times-- > 0) {
		uint64_t value;

		watched = 1;
		value = watched;
		__asm__ volatile("" : "+r"(value));
		watched = value + 1;
		neighbour = watched;
		watched = 0;
	}
}

static uint64_t count_of(struct selfmon_counters *set,
			 const struct selfmon_snapshot *a,
			 const struct selfmon_snapshot *b)
{
	struct selfmon_delta delta;

	selfmon_counters_delta(set, a, b, &delta);
	cr_expect_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	return delta.value[0].count;
}

static void expect_accesses(const char *access, uint64_t count)
{
	char spec[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_snapshot a, b;
	struct selfmon_counters *set;

	if (!selfmon_breakpoints_count())
		cr_skip_test("breakpoints count nothing in this virtual "
			     "machine");
	cr_assert_gt(selfmon_event_watch(spec, sizeof(spec), &watched,
					 sizeof(watched), access), 0);
	set = open_set(spec);
	touch(7);
	selfmon_counters_begin(set, &a);
	touch(TIMES);
	selfmon_counters_end(set, &b);
	touch(9);
	cr_expect_eq(count_of(set, &a, &b), count, "%s: %lu", access,
		     (unsigned long)count_of(set, &a, &b));
	selfmon_counters_close(set);
}

Test(events, count_each_store_to_a_watched_variable)
{
	expect_accesses("w", 3 * TIMES);
}

Test(events, count_each_access_to_a_watched_variable)
{
	expect_accesses("rw", 5 * TIMES);
}

Test(events, count_accesses_to_a_variable_inside_of_a_region)
{
	char spec[SELFMON_EVENT_NAME_SIZE];
	const struct selfmon_row *row;
	struct selfmon_report *report;
	int i;

	if (!selfmon_breakpoints_count())
		cr_skip_test("breakpoints count nothing in this virtual "
			     "machine");
	selfmon_event_watch(spec, sizeof(spec), &watched, sizeof(watched), "w");
	selfmon_counters_close(open_set(spec));
	setenv("SELFMON_EVENTS", spec, 1);
	for (i = 0; i < 3; i++) {
		touch(5);
		SELFMON_REGION("watched") {
			touch(TIMES);
		}
	}
	report = rows_take();
	row = ROWS_GET(report, "watched");
	cr_expect_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_expect_eq(row->counter[0].sum, 3 * 3 * TIMES);
	cr_expect_eq(row->counter[0].max, 3 * TIMES);
	selfmon_report_free(report);
}

Test(events, count_each_write_by_its_tracepoint)
{
	struct selfmon_counters *set = open_set("syscalls:sys_enter_write");
	const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct selfmon_snapshot a, b;
	int i;

	selfmon_counters_begin(set, &a);
	for (i = 0; i < TIMES; i++)
		cr_assert_eq(write(fd, "x", 1), 1);
	selfmon_counters_end(set, &b);
	close(fd);
	cr_expect_eq(count_of(set, &a, &b), TIMES);
	selfmon_counters_close(set);
}

int events_probed(int x);
__attribute__((noinline)) int events_probed(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

Test(events, count_each_call_of_a_probed_function)
{
	char spec[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_snapshot a, b;
	struct selfmon_counters *set;
	int i;

	if (!probe_name(spec, sizeof(spec),
			(const void *)(uintptr_t)&events_probed))
		cr_skip_test("the path of this program is too long");
	set = open_set(spec);
	selfmon_counters_begin(set, &a);
	for (i = 0; i < TIMES; i++)
		events_probed(i);
	selfmon_counters_end(set, &b);
	cr_expect_eq(count_of(set, &a, &b), TIMES);
	selfmon_counters_close(set);
}

Test(events, open_in_sets_what_there_is_and_tell_the_rest)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	const char *name, *members;
	size_t i, k;

	for (i = 0; (name = selfmon_sets_at(i, &members)); i++) {
		struct selfmon_failure failure = { 0 };
		struct selfmon_counters *set;
		const int count = selfmon_counters_open(name, 0, &set,
							&failure);

		cr_assert_geq(count, 0, "%s", name);
		for (k = 0; !selfmon_counters_info(set, k, &info); k++)
			cr_expect_eq(info.failure != NULL, k >= (size_t)count,
				     "%s of %s", info.name, name);
		cr_expect(failure.error || k == (size_t)count);
		selfmon_counters_close(set);
	}
}
