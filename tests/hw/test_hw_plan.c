/* SPDX-License-Identifier: MIT */
/*
 * Tests one set with more events than the PMU has counters: it has two groups,
 * which rotate. They are compared with a pinned event, which never rotates.
 */
#include <string.h>

#include "counters/set.h"
#include "hw/nops.h"
#include "hw/tool.h"

#define EVENTS 8
#define TIMEOUT 1000 /* seconds; in an emulator, of its virtual time */

static const char spec[] =
	"instructions,instructions,instructions,instructions,"
	"instructions,instructions,instructions,instructions";

static struct {
	struct selfmon_counters *set;
	/* Number of members in the first group, and in further groups. */
	size_t members[2];
	int pinned;
} rig;

static enum selfmon_group group_of(size_t i)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	cr_assert_eq(selfmon_counters_info(rig.set, i, &info), 0);
	return info.group;
}

static void open_eight(void)
{
	struct selfmon_failure failure;
	int count;
	size_t i;

	tool_require_granted();
	rig.pinned = tool_open_truth();
	count = selfmon_counters_open(spec, 0, &rig.set, &failure);
	cr_assert_eq(count, EVENTS, "%d count: %s %s", count, failure.event,
		     failure.message);
	for (i = 0; i < EVENTS; i++)
		rig.members[group_of(i) != SELFMON_GROUP_FIRST]++;
	if (rig.members[1] == 0)
		cr_skip_test("the PMU has counters for all %d events", EVENTS);
}

Test(hw_plan, more_events_than_counters_make_two_groups, .timeout = TIMEOUT)
{
	size_t i;

	open_eight();
	cr_assert_gt(rig.members[0], 0);
	for (i = 0; i < EVENTS; i++)
		cr_expect_eq(group_of(i),
			     i < rig.members[0] ? SELFMON_GROUP_FIRST
						: SELFMON_GROUP_MORE,
			     "member %zu", i);
	if (hw_exact() && !strcmp(SELFMON_ARCH_NAME, "x86-64"))
		cr_expect_eq(rig.members[0], 4, "%zu", rig.members[0]);
}

static uint64_t truth_now(void)
{
	return tool_read(rig.pinned).value;
}

/*
 * Returns how many values of a long region are estimates. All values must be
 * within the bounds of the pinned event.
 */
static unsigned int measure(uint64_t ns)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	uint64_t least, most;
	unsigned int scaled = 0;
	size_t i;

	most = truth_now();
	selfmon_counters_begin(rig.set, &a);
	least = truth_now();
	nops(nops_turns(ns));
	least = truth_now() - least;
	selfmon_counters_end(rig.set, &b);
	most = truth_now() - most;
	selfmon_counters_delta(rig.set, &a, &b, &delta);
	for (i = 0; i < EVENTS; i++) {
		const uint64_t count = delta.value[i].count;
		const uint64_t error = selfmon_delta_uncertainty(&delta, i);

		if (delta.value[i].verdict == SELFMON_NOT_COUNTED)
			continue;
		cr_assert(count - error <= most && count + error >= least,
			  "member %zu: %llu +- %llu, but it was %llu to %llu",
			  i, (unsigned long long)count,
			  (unsigned long long)error, (unsigned long long)least,
			  (unsigned long long)most);
		scaled += delta.value[i].verdict == SELFMON_SCALED;
	}
	return scaled;
}

Test(hw_plan, both_groups_are_estimated_and_bracket_the_truth,
     .timeout = TIMEOUT)
{
	const uint64_t regions = 16;
	unsigned int scaled = 0;
	uint64_t k;

	open_eight();
	for (k = 1; k <= regions; k++)
		scaled += measure(rig.set->rotation_ns * (6 + k));
	cr_assert_gt(scaled, regions * EVENTS * 3 / 4, "only %u estimates",
		     scaled);
}

/*
 * In a short region a group is on the PMU or off it all the time, so its values
 * are counted in full or refused. In an estimate, it was off for at most 1 %.
 */
Test(hw_plan, no_value_of_a_short_region_is_guessed, .timeout = TIMEOUT)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	unsigned int verdicts[SELFMON_SCALED + 1] = { 0 };
	int i;

	open_eight();
	for (i = 0; i < 400; i++) {
		const size_t last = EVENTS - 1;

		selfmon_counters_begin(rig.set, &a);
		nops(nops_turns(rig.set->rotation_ns / 8));
		selfmon_counters_end(rig.set, &b);
		selfmon_counters_delta(rig.set, &a, &b, &delta);
		verdicts[delta.value[last].verdict]++;
		if (delta.value[last].verdict == SELFMON_SCALED)
			cr_assert_leq(delta.more[0].off_ns * 100,
				      delta.more[0].enabled_ns);
	}
	cr_assert_gt(verdicts[SELFMON_NOT_COUNTED], 20);
	cr_assert_gt(verdicts[SELFMON_SYSCALL], 20);
	cr_expect_eq(verdicts[SELFMON_EXACT], 0);
}

Test(hw_plan, a_strict_set_refuses_what_does_not_fit, .timeout = TIMEOUT)
{
	struct selfmon_counters *strict;
	struct selfmon_failure failure;

	open_eight();
	selfmon_counters_close(rig.set);
	cr_assert_lt(selfmon_counters_open(spec, SELFMON_COUNTERS_STRICT,
					   &strict, &failure), 0);
	cr_assert_null(strict);
	cr_expect_str_eq(failure.event, "instructions");
	cr_expect_eq(failure.position,
		     strlen("instructions,") * rig.members[0]);
}

/* ---- user reads of the first group --------------------------------------- */

#define OPENS 40

static unsigned int count_user_reads(const struct selfmon_counters *set,
				     unsigned int snapshots)
{
	struct selfmon_snapshot at;
	unsigned int user = 0;

	while (snapshots-- > 0) {
		nops(set->rotation_ns / 8 / NOPS_TURN);
		selfmon_counters_begin(set, &at);
		user += !(at.flags & SELFMON_SNAPSHOT_SLOW);
	}
	return user;
}

static void open_first_group_in_user_space(const char *list, int opens)
{
	struct selfmon_counters *set;

	set = hw_open("cycles,instructions");
	hw_require_user_reads(set);
	selfmon_counters_close(set);
	while (opens-- > 0) {
		cr_assert_gt(selfmon_counters_open(list, 0, &set, NULL), 2);
		if (!set->more)
			cr_skip_test("the PMU counts %s in one group", list);
		cr_assert_null(selfmon_set_of(set)->why_syscall, "%d: %s",
			       opens, selfmon_set_of(set)->why_syscall);
		if (opens == 0)
			break;
		selfmon_counters_close(set);
	}
	/* After a rotation has taken the set off the PMU, user reads resume. */
	cr_assert_gt(count_user_reads(set, 200), 200 / 4);
	cr_assert_lt(count_user_reads(set, 200), 200);
	selfmon_counters_close(set);
}

Test(hw_plan, the_first_group_has_user_reads_whatever_follows,
     .timeout = TIMEOUT)
{
	open_first_group_in_user_space(spec, OPENS);
}

Test(hw_plan, a_group_behind_a_fixed_counter_leaves_user_reads_too,
     .timeout = TIMEOUT)
{
	if (strcmp(SELFMON_ARCH_NAME, "x86-64"))
		cr_skip_test("ref-cycles has one counter on Intel's PMUs");
	open_first_group_in_user_space(
		"ref-cycles,cycles,instructions,ref-cycles", OPENS);
}
