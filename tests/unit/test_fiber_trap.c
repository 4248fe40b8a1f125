/* SPDX-License-Identifier: MIT */
/*
 * Tests estimates for visits of fibers. The group of events is off the PMU at
 * some switches, which then read by read(2). All other switches read the pages
 * in user space.
 */
#include <criterion/criterion.h>
#include <unistd.h>

#include "sanitizer.h"
#include "store/fiber.h"
#include "visit_trap.h"

TestSuite(fiber_trap, .init = setup, .fini = fini);

/*
 * The visit on main()'s stack takes ALL_TICKS, not including the PAUSE_TICKS
 * for which it is suspended. Its group is off the PMU for OFF_TICKS and counts
 * EVENTS in the rest of the visit. ESTIMATE is the scaled count.
 */
#define ALL_TICKS 11000
#define OFF_TICKS 1000
#define PAUSE_TICKS 5000
#define EVENTS 1000
#define ESTIMATE 1100
#define READS 8 /* replies to read(2), more than a test needs */

static struct selfmon_fiber *other;
static bool general_path;
static uint64_t off_ns; /* time off the PMU until the group came back */
static int reads[2] = { -1, -1 };

/* The model's timestamp runs at 500 MHz. The group was opened at NS_BEGIN. */
#define NS_PER_TICK 2
#define NS_BEGIN 700000

static uint64_t clock_ns(void)
{
	return trap_pmu.tsc * NS_PER_TICK;
}

static uint64_t enabled_ns(void)
{
	return clock_ns() - NS_BEGIN;
}

/*
 * Sets the page's times as the kernel does. Readers add the clock's time since
 * this update.
 */
static void update_times(void)
{
	page[0].time_enabled = enabled_ns();
	page[0].time_running = enabled_ns() - off_ns;
	page[0].time_offset = -clock_ns();
}

/* Acts as the kernel that serves read(2). */
static void serve_reads(void)
{
	uint64_t answer[3 + 2 * COUNT] = { COUNT };
	unsigned int k;

	cr_assert_eq(pipe(reads), 0);
	answer[1] = enabled_ns();
	answer[2] = enabled_ns() - off_ns;
	for (k = 0; k < COUNT; k++)
		answer[3 + 2 * k] = trap_pmu.raw[k] + (uint64_t)page[k].offset;
	for (k = 0; k < READS; k++)
		cr_assert_eq(write(reads[1], answer, sizeof(answer)),
			     sizeof(answer));
	set.member[0].fd_plus_1 = reads[0] + 1;
}

static void stop_reads(void)
{
	close(reads[0]);
	close(reads[1]);
}

static void change_pages(bool on)
{
	unsigned int k;

	for (k = 0; k < COUNT; k++) {
		page[k].lock += 2;
		page[k].index = on ? TRAP_INDEX(k) : 0;
	}
}

static void take_off_pmu(void)
{
	change_pages(false);
	serve_reads();
}

static void stay_off_pmu(uint64_t ticks)
{
	stop_reads();
	trap_pmu.tsc += ticks;
	off_ns += ticks * NS_PER_TICK;
	serve_reads();
}

static void put_on_pmu(void)
{
	stop_reads();
	change_pages(true);
	update_times();
}

/* Time passes while the group is on the PMU, and events are counted. */
static void run(uint64_t ticks, uint64_t count)
{
	unsigned int k;

	trap_pmu.tsc += ticks;
	for (k = 0; k < COUNT; k++)
		trap_pmu.raw[k] += count * (k + 1);
}

static void switch_to(struct selfmon_fiber *fiber)
{
	if (general_path)
		other->counted = 0;
	selfmon_fiber_switch(fiber);
}

/*
 * Makes the first switches of the thread, which always take the general path.
 */
static void start_fibers(uint32_t flags)
{
	SKIP_IF_SANITIZED("its allocator reads the clock, which traps here");
	set.head.flags |= flags;
	set.head.time_mult = NS_PER_TICK;
	set.trusted_ticks = UINT64_MAX;
	other = selfmon_fiber_create("other");
	events = 0;
	trap_pmu_time(true);
	update_times();
	selfmon_fiber_switch(other);
	selfmon_fiber_switch(NULL);
	trap_pmu_time(false);
}

/*
 * Visits the region twice: its switches take the short path, then the general
 * one. Each member must have its multiple of `count`, with a tolerance for the
 * ticks that traps take.
 */
static void assert_both_paths(void (*before)(void), void (*inside)(void),
			      uint64_t count)
{
	unsigned int path, k;

	for (path = 0; path < 2; path++) {
		uint64_t sum[COUNT];

		for (k = 0; k < COUNT; k++)
			sum[k] = stats->counter[k].sum;
		general_path = path;
		in_visit = inside;
		before();
		visit(0);
		trap_pmu.traps = 0;
		for (k = 0; k < COUNT; k++) {
			sum[k] = stats->counter[k].sum - sum[k];
			cr_assert_lt(sum[k] - count * (k + 1) + 5, 10,
				     "path %u, member %u: %lu", path, k,
				     (unsigned long)sum[k]);
		}
	}
	cr_assert_eq(selfmon_stats_visits(stats), 3);
}

static void do_nothing(void)
{
}

static void suspend_off_the_pmu(void)
{
	run(ALL_TICKS - OFF_TICKS, EVENTS);
	take_off_pmu();
	switch_to(other);
	stay_off_pmu(PAUSE_TICKS);
	switch_to(NULL);
	stay_off_pmu(OFF_TICKS);
	put_on_pmu();
}

/* The start and the end are read in the pages, both switches by read(2). */
Test(fiber_trap, a_fiber_suspended_off_the_pmu_is_estimated)
{
	start_fibers(SELFMON_IMPL_SET_PAGE_CLOCK);
	assert_both_paths(do_nothing, suspend_off_the_pmu, ESTIMATE);
}

static void suspend_on_the_pmu(void)
{
	stay_off_pmu(OFF_TICKS);
	put_on_pmu();
	run(ALL_TICKS - OFF_TICKS, EVENTS);
	switch_to(other);
	run(PAUSE_TICKS, 1);
	switch_to(NULL);
}

/* Only the start is read by read(2). */
Test(fiber_trap, a_fiber_that_began_off_the_pmu_is_estimated)
{
	start_fibers(SELFMON_IMPL_SET_PAGE_CLOCK);
	assert_both_paths(take_off_pmu, suspend_on_the_pmu, ESTIMATE);
}

static void come_back_while_suspended(void)
{
	stay_off_pmu(OFF_TICKS);
	switch_to(other);
	stay_off_pmu(PAUSE_TICKS);
	put_on_pmu();
	run(PAUSE_TICKS, 1);
	switch_to(NULL);
	run(ALL_TICKS - OFF_TICKS, EVENTS);
}

/* The start and the suspension are read by read(2), the rest in the pages. */
Test(fiber_trap, a_fiber_resumed_on_the_pmu_is_estimated)
{
	start_fibers(SELFMON_IMPL_SET_PAGE_CLOCK);
	assert_both_paths(take_off_pmu, come_back_while_suspended, ESTIMATE);
}

static void go_off_while_suspended(void)
{
	run(ALL_TICKS - OFF_TICKS, EVENTS);
	switch_to(other);
	run(PAUSE_TICKS, 1);
	take_off_pmu();
	switch_to(NULL);
	stay_off_pmu(OFF_TICKS);
	put_on_pmu();
}

/* Only the resumption is read by read(2). */
Test(fiber_trap, a_fiber_resumed_off_the_pmu_is_estimated)
{
	start_fibers(SELFMON_IMPL_SET_PAGE_CLOCK);
	assert_both_paths(do_nothing, go_off_while_suspended, ESTIMATE);
}

static void suspend_several_times(void)
{
	run(3000, 300);
	switch_to(other);
	run(PAUSE_TICKS, 1);
	switch_to(NULL);
	run(3000, 300);
	take_off_pmu();
	switch_to(other);
	stay_off_pmu(PAUSE_TICKS);
	put_on_pmu();
	switch_to(NULL);
	run(2000, 200);
	switch_to(other);
	run(PAUSE_TICKS, 1);
	take_off_pmu();
	switch_to(NULL);
	stay_off_pmu(OFF_TICKS);
	switch_to(other);
	stay_off_pmu(PAUSE_TICKS);
	put_on_pmu();
	switch_to(NULL);
	run(2000, 200);
}

Test(fiber_trap, a_fiber_suspended_several_times_is_estimated)
{
	start_fibers(SELFMON_IMPL_SET_PAGE_CLOCK);
	assert_both_paths(do_nothing, suspend_several_times, ESTIMATE);
}

/*
 * The outer visit began on the PMU, the inner one off the PMU. The first two
 * switches replace the raw registers of the outer visit's start by counts. With
 * raw registers, the last suspension would always call keep_apart()
 * (fiber_counted.c). With counts, only the flags of the inner visit's start can
 * cause this call.
 */
static void suspend_inside_of_another(void)
{
	switch_to(other);
	switch_to(NULL);
	take_off_pmu();
	SELFMON_REGION("inner") {
		stats = selfmon_entry_place(selfmon_thread_self())->stats;
		suspend_on_the_pmu();
	}
}

Test(fiber_trap, each_visit_of_a_fiber_is_estimated_by_its_own_start)
{
	const struct selfmon_stats *const outer = stats;
	const uint64_t before = stats->counter[0].sum;

	start_fibers(SELFMON_IMPL_SET_PAGE_CLOCK);
	in_visit = suspend_inside_of_another;
	visit(0);
	cr_assert_lt(stats->counter[0].sum - ESTIMATE + 5, 10, "inner: %lu",
		     (unsigned long)stats->counter[0].sum);
	cr_assert_lt(outer->counter[0].sum - before - ESTIMATE + 5, 10,
		     "outer: %lu",
		     (unsigned long)(outer->counter[0].sum - before));
}

/* ---- without a page clock ------------------------------------------------ */

static void end_off_the_pmu(void)
{
	run(ALL_TICKS - OFF_TICKS, EVENTS);
	take_off_pmu();
	switch_to(other);
	stay_off_pmu(PAUSE_TICKS);
	switch_to(NULL);
	stay_off_pmu(OFF_TICKS);
}

static void resume_and_end_off_the_pmu(void)
{
	go_off_while_suspended();
	run(ALL_TICKS - OFF_TICKS, EVENTS);
	take_off_pmu();
}

/*
 * Visits the region on both paths. Both visits must be refused. Each refusal
 * turns user reads off, so this function turns them on again.
 */
static void assert_refused(void (*inside)(void))
{
	const uint64_t sum = stats->counter[0].sum;
	unsigned int path;

	start_fibers(0);
	for (path = 0; path < 2; path++) {
		general_path = path;
		in_visit = inside;
		visit(0);
		put_on_pmu();
		set.head.flags = 0;
		trap_pmu.traps = 0;
		cr_assert_eq(stats->counter[0].sum, sum, "path %u: %lu", path,
			     (unsigned long)(stats->counter[0].sum - sum));
	}
	cr_assert_eq(selfmon_stats_visits(stats), 3);
	cr_assert_eq(stats->rare[SELFMON_RARE_REFUSED], 2);
}

Test(fiber_trap, a_suspension_off_the_pmu_is_refused_without_a_clock)
{
	assert_refused(end_off_the_pmu);
}

Test(fiber_trap, a_resumption_off_the_pmu_is_refused_without_a_clock)
{
	assert_refused(resume_and_end_off_the_pmu);
}

static void lose_no_time(void)
{
	run(ALL_TICKS - OFF_TICKS, EVENTS);
	take_off_pmu();
	switch_to(other);
	put_on_pmu();
	switch_to(NULL);
}

/*
 * If the group was on the PMU all the time, the count is no estimate. So it
 * needs no times, and no clock.
 */
Test(fiber_trap, a_count_of_all_the_time_is_kept_without_a_clock)
{
	start_fibers(0);
	assert_both_paths(do_nothing, lose_no_time, EVENTS);
}
