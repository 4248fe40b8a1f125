/* SPDX-License-Identifier: MIT */
/* Tests visits that end on another CPU than they began on. */
#define _GNU_SOURCE
#include "hw/hw.h"

#define MIGRATIONS 200

/* Pins the thread to a CPU, possibly its current one, during the visit. */
static HW_NOINLINE void visit_pinned(struct selfmon_counters *set, int cpu,
				     struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	hw_loop(100);
	hw_pin(cpu);
	hw_loop(100);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}

Test(hw_migration, every_visit_that_ended_elsewhere_is_marked_and_no_other)
{
	struct selfmon_counters *set;
	struct selfmon_delta delta;
	int i;

	hw_require_pmu();
	hw_require_cpus(2);
	hw_pin(0);
	set = hw_open("instructions");
	for (i = 1; i <= MIGRATIONS; i++) {
		visit_pinned(set, i & 1, &delta);
		cr_assert(delta.flags & SELFMON_DELTA_MIGRATED,
			  "migration %d is not marked", i);
		visit_pinned(set, i & 1, &delta);
		cr_assert_not(delta.flags & SELFMON_DELTA_MIGRATED,
			      "after migration %d: none, but marked", i);
	}
	selfmon_counters_close(set);
}

Test(hw_migration, a_visit_that_came_back_did_not_end_elsewhere)
{
	struct selfmon_counters *set;
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	int i;

	hw_require_pmu();
	hw_require_cpus(2);
	hw_pin(0);
	set = hw_open("instructions");
	for (i = 0; i < MIGRATIONS; i++) {
		selfmon_counters_begin(set, &a);
		hw_pin(1);
		hw_pin(0);
		selfmon_counters_end(set, &b);
		selfmon_counters_delta(set, &a, &b, &delta);
		cr_assert_not(delta.flags & SELFMON_DELTA_MIGRATED,
			      "visit %d", i);
	}
	selfmon_counters_close(set);
}

Test(hw_migration, a_migrated_visit_is_a_disturbed_one)
{
	struct selfmon_counters *set;
	struct selfmon_delta delta;
	int i;

	hw_require_pmu();
	hw_require_cpus(2);
	hw_pin(0);
	set = hw_open("instructions");
	hw_require_user_reads(set);
	for (i = 1; i <= MIGRATIONS; i++) {
		visit_pinned(set, i & 1, &delta);
		cr_assert(delta.flags & SELFMON_DELTA_DISTURBED);
		cr_assert_eq(delta.value[0].verdict, SELFMON_EXACT);
		cr_assert_gt(delta.value[0].count, 400);
		cr_assert_lt(delta.value[0].count, 100000);
	}
	selfmon_counters_close(set);
}

Test(hw_migration, the_event_counts_each_migration_once)
{
	struct selfmon_counters *set;
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	size_t member;
	int i;

	hw_require_pmu();
	hw_require_cpus(2);
	hw_pin(0);
	set = hw_open("instructions,cpu-migrations");
	member = hw_member(set, "cpu-migrations");
	selfmon_counters_begin(set, &a);
	for (i = 1; i <= MIGRATIONS; i++)
		hw_pin(i & 1);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_eq(delta.value[member].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.value[member].count, MIGRATIONS, "%ju",
		     (uintmax_t)delta.value[member].count);
	selfmon_counters_close(set);
}
