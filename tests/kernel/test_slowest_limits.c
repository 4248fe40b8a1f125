/* SPDX-License-Identifier: MIT */
/*
 * Tests the limits below which a visit gets no entry in the recorder
 * (store/limits.h), in threads that do more than visit regions. The plain cases
 * are in test_slowest_short.c.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include <selfmon/async.h>

#include "kernel/listed.h"
#include "sanitizer.h"
#include "store/tree.h"

TestSuite(slowest_limits, .init = skip_if_clock_is_called);

/* Makes the open visit seem to have begun earlier. */
static void begin_earlier(uint64_t ticks)
{
	selfmon_thread_self()->top->start.ticks -= ticks;
}

/* ---- short visits stay out of the ring ----------------------------------- */

static void with_moves(void)
{
	struct selfmon_frame frame;
	int i;

	for (i = 0; i < 40; i++) {
		visits("a", 3 * RING);
		selfmon_enter(selfmon_region("a"), &frame);
		work_for(LONG_NS / 10);
		selfmon_thread_self()->top->cpu++;
		selfmon_leave(&frame);
	}
}

static void with_units(void)
{
	uint64_t i;

	for (i = 0; i < 20 * RING; i++)
		SELFMON_REGION("a")
			selfmon_region_items(3);
}

static void nest(int depth)
{
	struct selfmon_frame frame;
	char name[32];

	snprintf(name, sizeof(name), "level %d", depth);
	selfmon_enter(selfmon_region(name), &frame);
	if (depth)
		nest(depth - 1);
	else
		visits("a", 20 * RING);
	selfmon_leave(&frame);
}

static void with_levels(void)
{
	nest(30);
}

/*
 * The frame "loading" never ends. The first 8 frames "turn" are all kept, so the
 * visits in them get entries. Later visits are too short.
 */
static void with_frames(void)
{
	int i;

	selfmon_frame_mark("loading");
	for (i = 0; i < 30; i++) {
		visits("a", RING);
		selfmon_frame_mark("turn");
	}
}

/* As if the thread waited before each visit. */
static void with_waits(void)
{
	struct selfmon_recorder *const recorder =
		selfmon_thread_self()->recorder;
	uint64_t i;

	for (i = 0; i < 20 * RING; i++) {
		selfmon_recorder_put(recorder, selfmon_clock_ticks(),
				     selfmon_ended_pack(
					     10, SELFMON_ENDED_BLOCKED));
		visit("a", 0);
	}
	recorder->position -= i; /* check_room() counts visits */
}

static void check_room(const char *events, void (*work)(void))
{
	record_with(events);
	SELFMON_REGION("work")
		work();
	cr_expect_lt(entries(), 12 * RING, "%lu", (unsigned long)entries());
}

Test(slowest_limits, visits_after_one_that_moved_take_no_room)
{
	check_room("none", with_moves);
}

Test(slowest_limits, visits_with_units_take_no_room)
{
	check_room("none", with_units);
}

Test(slowest_limits, visits_below_many_levels_take_no_room)
{
	check_room("none", with_levels);
}

Test(slowest_limits, visits_in_a_frame_in_progress_take_no_room)
{
	check_room("none", with_frames);
}

Test(slowest_limits, visits_between_waits_take_no_room)
{
	check_room("none", with_waits);
}

Test(slowest_limits, visits_with_counters_take_no_room)
{
	check_room("page-faults", with_levels);
}

/* ---- no part is missing -------------------------------------------------- */

/* More ticks than a limit can have. */
Test(slowest_limits, parts_of_a_visit_of_many_minutes_are_not_missing)
{
	struct selfmon_report *report;
	struct selfmon_frame frame;
	int i;

	if (selfmon_clock_ticks() < 4 * SELFMON_WATCH_NONE)
		cr_skip_test("the machine has not run for so long");
	record();
	SELFMON_REGION("work") {
		begin_earlier(2 * SELFMON_WATCH_NONE);
		visits("a", 2 * RING);
		for (i = 0; i < 29; i++) {
			selfmon_enter(selfmon_region("part"), &frame);
			begin_earlier(i < 9 ? UINT64_C(15) << 28
					    : UINT64_C(3) << 30);
			selfmon_leave(&frame);
		}
	}
	report = rows_take();
	cr_expect_eq(parts_of(slowest(report, "work"), "part"), 29);
	selfmon_report_free(report);
}

/* The timestamp counter of another CPU may be behind. */
Test(slowest_limits, parts_of_a_visit_that_begins_later_are_not_missing)
{
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 12; i++)
		visit("part", LONG_NS);
	SELFMON_REGION("work") {
		visits("a", 2 * RING);
		begin_earlier((uint64_t)-1000000000);
		review();
		begin_earlier(1000000000);
		for (i = 0; i < 12; i++)
			visit("part", LONG_NS / 2);
	}
	report = rows_take();
	cr_expect_eq(parts_of(slowest(report, "work"), "part"), 12);
	cr_expect_eq(slowest(report, "work")->listed_ns, 0);
	selfmon_report_free(report);
}

static void around(int n, uint64_t ns, uint64_t part_ns)
{
	struct selfmon_frame frame;

	selfmon_enter(selfmon_region("around"), &frame);
	work_for(ns);
	for (; n > 0; n--)
		visit("part", part_ns);
	selfmon_leave(&frame);
}

static void fill_tree(void)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_frame outer, inner;
	char name[32];
	int i, k;

	for (i = 0; thread->nodes < SELFMON_PLACES_MAX; i++) {
		snprintf(name, sizeof(name), "outer %d", i);
		selfmon_enter(selfmon_region(name), &outer);
		for (k = 0; k < 128; k++) {
			snprintf(name, sizeof(name), "inner %d", k);
			selfmon_enter(selfmon_region(name), &inner);
			selfmon_leave(&inner);
		}
		selfmon_leave(&outer);
	}
}

/*
 * In a full tree, "around" inside "late" uses the node of the outermost
 * "around", whose visits were much longer.
 */
Test(slowest_limits, parts_in_a_full_tree_are_not_missing)
{
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 10; i++)
		around(3, LONG_NS, LONG_NS / 10);
	visit("late", 0);
	fill_tree();
	SELFMON_REGION_OF(selfmon_region("late"))
		around(10, 0, LONG_NS / 4000);
	report = rows_take();
	cr_expect_eq(parts_of(slowest(report, "late"), "part"), 10);
	selfmon_report_free(report);
}

/* ---- what the report says ------------------------------------------------ */

static void *be_slow(void *unused)
{
	int i;

	for (i = 0; i < (int)SELFMON_SLOW_VISITS; i++)
		around(0, 4 * LONG_NS, 0);
	return unused;
}

/* Visits of another thread were slower, so that this one is not stored. */
Test(slowest_limits, after_a_visit_that_was_not_stored_parts_are_known)
{
	struct selfmon_report *before, *after, *interval = NULL;
	struct selfmon_frame frame;
	const struct selfmon_slow *first = NULL;
	uint64_t ticks = selfmon_clock_ticks();
	pthread_t other;
	size_t i, n;

	work_for(2 * LONG_NS);
	ticks = selfmon_clock_ticks() - ticks;
	record();
	selfmon_enter(selfmon_region("around"), &frame);
	visits("part", 2 * RING);
	work_for(LONG_NS);
	review();
	cr_assert_eq(pthread_create(&other, NULL, be_slow, NULL), 0);
	pthread_join(other, NULL);
	selfmon_thread_self()->top->start.ticks = selfmon_clock_ticks() - ticks;
	selfmon_leave(&frame);
	before = rows_take();
	for (i = 0; i < 3; i++)
		around(5, 0, 0);
	after = rows_take();
	cr_assert_eq(selfmon_report_subtract(after, before, &interval), 0);
	n = kept(interval, "around", &first);
	cr_assert_eq(n, 3);
	for (i = 0; i < n; i++) {
		cr_expect_eq(first[i].listed_ns, 0);
		cr_expect_eq(first[i].inner, 5);
	}
	selfmon_report_free(interval);
	selfmon_report_free(after);
	selfmon_report_free(before);
}

/* A detached span has no parts, so none can be missing. */
Test(slowest_limits, a_detached_span_lacks_no_parts)
{
	struct selfmon_region *const region = selfmon_region("span");
	struct selfmon_report *before, *after, *interval = NULL;
	struct selfmon_async_span span;
	int i;

	record();
	for (i = 0; i <= (int)SELFMON_SLOW_VISITS; i++) {
		selfmon_async_begin(region, &span);
		work_for(5 * LONG_NS);
		selfmon_async_end(&span);
	}
	selfmon_async_begin(region, &span);
	before = rows_take();
	selfmon_async_end(&span);
	after = rows_take();
	cr_assert_eq(selfmon_report_subtract(after, before, &interval), 0);
	cr_expect_eq(slowest(interval, "span")->listed_ns, 0);
	selfmon_report_free(interval);
	selfmon_report_free(after);
	selfmon_report_free(before);
}

/* ---- jumps --------------------------------------------------------------- */

#if defined(__x86_64__)

#define TRAP_FLAG "0x100"

static sigjmp_buf out;
static struct selfmon_node *query_node, *part_node;
static volatile bool jumped;

/* Jumps when limits are about to be lowered. */
static void jump_once(int signal)
{
	(void)signal;
	if (jumped || !(query_node->stats->lasting & SELFMON_LASTED) ||
	    !part_node->stats->part)
		return;
	jumped = true;
	siglongjmp(out, 1);
}

static __attribute__((noinline)) void query(int n, bool stepped)
{
	struct selfmon_frame frame;

	selfmon_enter(selfmon_region("query"), &frame);
	visits("part", (uint64_t)n);
	if (stepped) {
		work_for(10 * LONG_NS);
		review();
		query_node = selfmon_thread_self()->top->node;
		part_node = query_node->next;
		__asm__ volatile("pushfq; orq $" TRAP_FLAG
				 ", (%%rsp); popfq" ::: "memory", "cc");
	}
	selfmon_leave(&frame);
	__asm__ volatile("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" :::
				 "memory", "cc");
}

static __attribute__((noinline)) void query_and_jump(void)
{
	if (!sigsetjmp(out, 1))
		query(3 * (int)RING, true);
	__asm__ volatile("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" :::
				 "memory", "cc");
}

#endif

/* The limits stay high, so that the next visit may lack parts. */
Test(slowest_limits, a_jump_while_they_are_lowered_is_said)
{
#if defined(__x86_64__)
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i, n, said = 0;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	record();
	for (i = 0; i <= SELFMON_SLOW_VISITS; i++)
		visit("part", LONG_NS / 10); /* later ones are not slow */
	signal(SIGTRAP, jump_once);
	query_and_jump();
	cr_assert(jumped);
	for (i = 0; i < 3; i++)
		query(5, false);
	report = rows_take();
	n = kept(report, "query", &first);
	cr_assert_geq(n, 3);
	for (i = 0; i < n; i++) {
		said += first[i].listed_ns != 0;
		cr_expect(first[i].inner >= 5 || first[i].listed_ns);
	}
	cr_expect_eq(said, 1);
	selfmon_report_free(report);
#else
	cr_skip_test("stepped on x86-64 alone");
#endif
}
