/* SPDX-License-Identifier: MIT */
/*
 * Tests reads that are interrupted by overflows: of another tool's event, which
 * does not affect ours; of the event that is being read, which rewrites its
 * page; and with a handler that moves our event to another counter during the
 * read.
 */
#include <unistd.h>

#include "counters/group.h"
#include "counters/set.h"
#include "hw/tool.h"

#define READS 1000000
#define READS_MOST 20000000 /* stop if no interrupt hit a read */
#define READS_A_CHECK 1000
/*
 * Periods in instructions. They are not multiples of a read's length, so that
 * each instruction of the read is interrupted at some time.
 */
#define PERIOD 10007
#define PERIOD_NATIVE 1000003
#define PERIOD_LONG 40009
/*
 * Upper limit for the events between two consecutive reads, including those of
 * a signal handler that runs between them. Far below 2^width.
 */
#define STEP_MAX 1000000

/*
 * Returns a period that is short, but on real machines too long for throttling.
 * Real machines throttle an event that overflows too often: it is stopped and
 * started again without a new period, and its page is wrong by 2^width until
 * the next overflow (x86/events/core.c, x86_pmu_start without PERF_EF_RELOAD).
 * selfmon_page_delta() repairs this, but a single read cannot.
 */
static uint64_t short_period(void)
{
	return hw_guest() ? PERIOD : PERIOD_NATIVE;
}

static int open_sampled(uint64_t period)
{
	struct perf_event_attr attr;

	tool_sample_fast();
	tool_attr(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	return tool_open(&attr, 0, -1, -1);
}

static struct selfmon_counters *open_user(const char *spec)
{
	struct selfmon_counters *set = hw_open(spec);

	hw_require_user_reads(set);
	return set;
}

static struct selfmon_group_read by_kernel(const struct selfmon_counters *set)
{
	const int fd = selfmon_set_of(set)->member[0].fd_plus_1 - 1;
	struct selfmon_group_read in;

	cr_assert_eq(selfmon_group_read(fd, set->count, &in), 0);
	return in;
}

/* Expects one user read to be between two reads by read(2). */
static void assert_bracketed(const struct selfmon_counters *set)
{
	const struct selfmon_group_read before = by_kernel(set);
	struct selfmon_snapshot now;
	struct selfmon_group_read after;
	unsigned int i;

	selfmon_counters_begin(set, &now);
	after = by_kernel(set);
	for (i = 0; i < set->count; i++)
		cr_assert(before.value[i] <= now.value[i] &&
				  now.value[i] <= after.value[i],
			  "%llu is not in %llu to %llu",
			  (unsigned long long)now.value[i],
			  (unsigned long long)before.value[i],
			  (unsigned long long)after.value[i]);
}

/*
 * Expects that no read of the set is below the previous one, and that each is
 * less than STEP_MAX above it. Compares one in READS_A_CHECK with read(2).
 */
static void assert_whole(const struct selfmon_counters *set)
{
	struct selfmon_snapshot last, now;
	unsigned int i;
	int k;

	selfmon_counters_begin(set, &last);
	for (k = 0; k < READS; k++) {
		selfmon_counters_begin(set, &now);
		for (i = 0; i < set->count; i++)
			cr_assert_lt(now.value[i] - last.value[i], STEP_MAX,
				     "read %d, member %u: %llu after %llu", k,
				     i, (unsigned long long)now.value[i],
				     (unsigned long long)last.value[i]);
		last = now;
		if (k % READS_A_CHECK == 0)
			assert_bracketed(set);
	}
}

static uint64_t overflows_of(int fd, uint64_t period)
{
	return tool_read(fd).value / period;
}

Test(hw_interrupt, an_event_that_another_tool_samples_tears_no_read)
{
	struct selfmon_counters *set = open_user("instructions,cycles");
	const uint64_t period = short_period();
	const int fd = open_sampled(period);

	tool_enable(fd);
	assert_whole(set);
	if (overflows_of(fd, period) == 0)
		cr_skip_test("a second event of the same kind counts nothing "
			     "here, as in QEMU's riscv64");
	if (hw_guest())
		cr_assert_gt(overflows_of(fd, period), 100,
			     "too few overflows");
	close(fd);
	selfmon_counters_close(set);
}

/*
 * The page of a sampled event is rewritten at each overflow. Fields that were
 * read before do not match the counter afterwards.
 */
Test(hw_interrupt, an_overflow_of_what_is_read_tears_no_read)
{
	uint64_t last = 0, now = 0, before = 0, after;
	const struct selfmon_page *page;
	const int fd = open_sampled(short_period());
	unsigned int shift, slow = 0;
	uint32_t moved = 0;
	int i;

	page = tool_map(fd);
	tool_enable(fd);
	if (!selfmon_page_check(page, &shift))
		cr_skip_test("a sampled event has no user reads here");
	for (i = 0; i < READS || (!moved && i < READS_MOST); i++) {
		if (i % READS_A_CHECK == 0)
			before = tool_read(fd).value;
		/* A throttled event has no counter until the next tick. */
		if (!selfmon_page_read(page, shift, &now, &moved)) {
			now = tool_read(fd).value;
			slow++;
		}
		cr_assert_lt(now - last, STEP_MAX, "read %d: %llu after %llu",
			     i, (unsigned long long)now,
			     (unsigned long long)last);
		last = now;
		if (i % READS_A_CHECK)
			continue;
		after = tool_read(fd).value;
		cr_assert(before <= now && now <= after,
			  "read %d: %llu is not in %llu to %llu", i,
			  (unsigned long long)now, (unsigned long long)before,
			  (unsigned long long)after);
	}
	cr_assert_lt(slow, (unsigned int)i / 2, "%u reads had no counter", slow);
	if (hw_guest())
		cr_assert_gt(moved, 0, "no overflow fell into a read");
}

/*
 * The overflow handler of the other tool enables and disables its pinned
 * events, so that our event must move between counters. The handler interrupts
 * reads between any two instructions.
 */
static struct {
	int crowd; /* leader of a group with all general counters but one */
	int rival; /* takes the counter that our event prefers */
	bool turn;
	unsigned int switches;
} other;

static void switch_counters(int signal)
{
	(void)signal;
	tool_disable(other.turn ? other.crowd : other.rival);
	tool_enable(other.turn ? other.rival : other.crowd);
	other.turn = !other.turn;
	other.switches++;
}

/* A raw event that requires a general counter of an x86 machine. */
#define RAW_GENERAL 0x01c4
#define GENERAL 4

static void open_others(void)
{
	struct perf_event_attr attr;
	int i;

	tool_attr(&attr, PERF_TYPE_RAW, RAW_GENERAL);
	attr.pinned = 1;
	other.crowd = tool_open(&attr, 0, -1, -1);
	attr.pinned = 0;
	attr.disabled = 0;
	for (i = 2; i < GENERAL; i++)
		tool_open(&attr, 0, -1, other.crowd);
	tool_attr(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	attr.pinned = 1;
	other.rival = tool_open(&attr, 0, -1, -1);
}

Test(hw_interrupt, an_event_that_changes_its_counter_tears_no_read)
{
	struct selfmon_counters *set = open_user("instructions");
	const int fd = open_sampled(PERIOD_LONG);
	unsigned int moves = 0;
	uint32_t index, moved = 0;
	uint64_t last = 0, now = 0;
	int i;

#ifndef __x86_64__
	cr_skip_test("counters are all alike here: events stay on theirs");
#endif
	open_others();
	tool_signal(fd, switch_counters);
	tool_enable(fd);
	index = selfmon_load_once(&set->page[0]->index);
	for (i = 0; i < READS; i++) {
		if (!selfmon_page_read(set->page[0], set->shift[0], &now,
				       &moved))
			now = by_kernel(set).value[0];
		cr_assert_lt(now - last, STEP_MAX, "read %d: %llu after %llu",
			     i, (unsigned long long)now,
			     (unsigned long long)last);
		last = now;
		moves += selfmon_load_once(&set->page[0]->index) != index;
		index = selfmon_load_once(&set->page[0]->index);
	}
	tool_disable(fd);
	cr_assert_gt(other.switches, 0);
	if (hw_guest())
		cr_assert_gt(moves, 10, "it stayed on its counter");
}
