/* SPDX-License-Identifier: MIT */
/* Snapshots made by hand, and checks of their differences. */
#ifndef SELFMON_TEST_DELTA_H
#define SELFMON_TEST_DELTA_H

#include <criterion/criterion.h>
#include <string.h>

#include <selfmon/counters.h>

#define MS 1000000u

/*
 * Two hardware members of 48 bits, one member read by read(2), and five unused
 * slots.
 */
static struct selfmon_counters set;
static struct selfmon_snapshot a, b;
static struct selfmon_delta delta;

static inline void setup(void)
{
	memset(&set, 0, sizeof(set));
	set.hardware_count = 2;
	set.count = 3;
	set.shift[0] = set.shift[1] = 16;
	set.max_per_tick = 16;
	set.rotation_ns = 4 * MS;
	a = (struct selfmon_snapshot){
		.ticks = 1000,
		.cpu = 1,
		.lock = 10,
		.value = { 100, 200, 300 },
	};
	b = (struct selfmon_snapshot){
		.ticks = 51000,
		.cpu = 1,
		.lock = 10,
		.value = { 800, 1600, 303 },
	};
	memset(&delta, 0xa5, sizeof(delta));
}

static inline void subtract(void)
{
	selfmon_counters_delta(&set, &a, &b, &delta);
}

/*
 * Subtracts snapshots read by read(2), with a group that was enabled and off
 * the PMU for these times.
 */
static inline void subtract_off(uint64_t enabled_ns, uint64_t off_ns)
{
	a.flags = b.flags = SELFMON_SNAPSHOT_SLOW;
	a.enabled_ns = 77777;
	a.off_ns = 555;
	b.enabled_ns = a.enabled_ns + enabled_ns;
	b.off_ns = a.off_ns + off_ns;
	subtract();
}

static inline void assert_value(size_t i, uint64_t count,
			 enum selfmon_verdict verdict)
{
	cr_assert_eq(delta.value[i].count, count, "value %zu is %llu", i,
		     (unsigned long long)delta.value[i].count);
	cr_assert_eq(delta.value[i].verdict, verdict, "value %zu is %s", i,
		     selfmon_verdict_name(delta.value[i].verdict));
}

static inline void assert_refused(void)
{
	cr_assert(delta.flags & SELFMON_DELTA_REFUSED);
	cr_assert_not(delta.flags & SELFMON_DELTA_SCALED);
	assert_value(0, 0, SELFMON_NOT_COUNTED);
	assert_value(1, 0, SELFMON_NOT_COUNTED);
	assert_value(2, 3, SELFMON_SYSCALL);
}

static inline void assert_scaled(uint64_t first, uint64_t second)
{
	cr_assert(delta.flags & SELFMON_DELTA_SCALED);
	cr_assert_not(delta.flags & SELFMON_DELTA_REFUSED);
	assert_value(0, first, SELFMON_SCALED);
	assert_value(1, second, SELFMON_SCALED);
	assert_value(2, 3, SELFMON_SYSCALL);
}

#endif
