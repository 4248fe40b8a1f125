/* SPDX-License-Identifier: MIT */
/* Tests that user reads and read(2) of the same counters agree. */
#include "counters/group.h"
#include "hw/hw.h"

#include "counters/set.h"

#define TIMES 100000
#define SPEC "cycles,instructions"
#define MEMBERS 2

/* Upper limit for the user instructions, and the cycles, around one read. */
#define STEP_MAX 100000

static struct selfmon_counters *open_both(void)
{
	struct selfmon_counters *set = hw_open(SPEC);

	hw_require_user_reads(set);
	return set;
}

Test(hw_agreement, read_2_lies_between_two_user_reads)
{
	struct selfmon_counters *set = open_both();
	const int fd = selfmon_set_of(set)->member[0].fd_plus_1 - 1;
	struct selfmon_snapshot a, b;
	struct selfmon_group_read in;
	int i, k;

	for (i = 0; i < TIMES; i++) {
		selfmon_counters_begin(set, &a);
		cr_assert_eq(selfmon_group_read(fd, MEMBERS, &in), 0);
		selfmon_counters_end(set, &b);
		cr_assert_eq((a.flags | b.flags) & SELFMON_SNAPSHOT_SLOW, 0);
		for (k = 0; k < MEMBERS; k++)
			cr_assert(a.value[k] <= in.value[k] &&
					  in.value[k] <= b.value[k],
				  "time %d, member %d: %jx, %jx, %jx", i, k,
				  (uintmax_t)a.value[k], (uintmax_t)in.value[k],
				  (uintmax_t)b.value[k]);
	}
	selfmon_counters_close(set);
}

/* Takes a snapshot by read(2) although the set has user reads. */
static void begin_slow(struct selfmon_counters *set,
		       struct selfmon_snapshot *snapshot)
{
	set->flags |= SELFMON_IMPL_SET_SYSCALL;
	selfmon_counters_begin(set, snapshot);
	set->flags &= ~SELFMON_IMPL_SET_SYSCALL;
	cr_assert(snapshot->flags & SELFMON_SNAPSHOT_SLOW);
}

Test(hw_agreement, visits_that_mix_both_never_jump)
{
	struct selfmon_counters *set = open_both();
	struct selfmon_snapshot at[2], first;
	uint64_t sum[MEMBERS] = { 0 };
	struct selfmon_delta delta;
	int i, k;

	selfmon_counters_begin(set, &first);
	at[0] = first;
	for (i = 1; i <= TIMES; i++) {
		/*
		 * Alternates every two reads, which gives all four transitions.
		 */
		if (i & 2)
			begin_slow(set, &at[i & 1]);
		else
			selfmon_counters_begin(set, &at[i & 1]);
		selfmon_counters_delta(set, &at[~i & 1], &at[i & 1], &delta);
		for (k = 0; k < MEMBERS; k++) {
			const uint64_t count = delta.value[k].count;

			cr_assert(count > 0 && count < STEP_MAX,
				  "time %d, member %d: %ju", i, k,
				  (uintmax_t)count);
			sum[k] += count;
		}
	}
	for (k = 0; k < MEMBERS; k++)
		cr_assert_eq(sum[k], at[TIMES & 1].value[k] - first.value[k]);
	selfmon_counters_close(set);
}
