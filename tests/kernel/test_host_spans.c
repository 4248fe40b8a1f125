/* SPDX-License-Identifier: MIT */
/*
 * Tests that spans which are never left do not prevent a thread from measuring.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>

#include "kernel/lives.h"
#include "sanitizer.h"
#include "session/thread.h"
#include "store/process.h"
#include "store/state.h"
#include "visit/visit.h"

#define SPANS 300
#define REGIONS 1000
/* The library evicts fewer spans than this: it evicts groups of 16. */
#define NOT_KEPT (SPANS - SELFMON_DEPTH_MAX + 16)

TestSuite(host_spans, .init = setup, .fini = teardown);

static struct selfmon_frame span[SPANS];

static void abandon(size_t n)
{
	struct selfmon_region *const handle = selfmon_region("abandoned");
	size_t i;

	for (i = 0; i < n; i++)
		selfmon_enter(handle, &span[i % SPANS]);
}

static void visit(void)
{
	SELFMON_REGION("visit")
	{
	}
}

static void visit_often(void)
{
	size_t i;

	for (i = 0; i < REGIONS; i++)
		visit();
}

struct sums {
	uint64_t visits, open, cut_off;
};

static struct sums sums_of(const struct selfmon_report *report,
			   const char *name)
{
	struct sums sums = { 0, 0, 0 };
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (strcmp(row->name, name))
			continue;
		sums.visits += row->visits;
		sums.open += row->open;
		sums.cut_off += row->cut_off;
	}
	return sums;
}

static const struct selfmon_row *row_of(const struct selfmon_report *report,
					const char *name)
{
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (!strcmp(row->name, name) && row->visits)
			return row;
	}
	cr_assert_fail("no row %s", name);
	return NULL;
}

static const struct selfmon_thread_record *record(void)
{
	return selfmon_thread_attach()->record;
}

static void check(const struct selfmon_report *report, uint64_t spans,
		  uint64_t visits)
{
	const struct sums abandoned = sums_of(report, "abandoned");

	cr_assert_eq(sums_of(report, "visit").visits, visits);
	cr_assert_eq(abandoned.visits, 0);
	cr_assert_eq(abandoned.open + abandoned.cut_off, spans);
	cr_assert(says(report, "spans never left: the oldest were ended when "
			       "256 visits were open"));
	cr_assert(says(report, "selfmon_async_begin()"));
	cr_assert_not(says(report, "visits not measured"));
	rows_check(report);
}

Test(host_spans, never_left_do_not_stop_what_comes_after_them)
{
	struct selfmon_report *report;

	abandon(SPANS);
	visit_often();
	report = rows_take();
	check(report, SPANS, REGIONS);
	cr_assert_eq(record()->too_deep, 0);
	cr_assert_eq(sums_of(report, "abandoned").cut_off, record()->evicted);
	cr_assert_lt(record()->evicted, NOT_KEPT);
	selfmon_report_free(report);
}

Test(host_spans, never_left_are_reported_by_a_live_file_too)
{
	struct selfmon_report *report;

	setenv("SELFMON_LIVE", path, 1);
	abandon(SPANS);
	visit_often();
	report = read_back(path);
	check(report, SPANS, REGIONS);
	cr_assert(rows_say(report, SELFMON_JSON, "\"evicted\": 48,"));
	selfmon_report_free(report);
}

/* Acts like a server that abandons one span for each request. */
Test(host_spans, never_left_for_ever_need_no_more_places)
{
	struct selfmon_report *report;
	size_t i;

	for (i = 0; i < 100 * SPANS; i++) {
		selfmon_enter(selfmon_region("abandoned"), &span[i % SPANS]);
		visit();
	}
	cr_assert_leq(selfmon_thread_attach()->nodes,
		      2 * SELFMON_DEPTH_MAX + 1);
	report = rows_take();
	check(report, 100 * SPANS, 100 * SPANS);
	selfmon_report_free(report);
}

Test(host_spans, a_leave_after_its_span_was_ended_is_stale)
{
	struct selfmon_report *report;

	abandon(SELFMON_DEPTH_MAX);
	visit();
	cr_assert_eq(selfmon_process()->stale, 0);
	selfmon_leave(&span[0]);
	cr_assert_eq(selfmon_process()->stale, 1);
	selfmon_leave(&span[SELFMON_DEPTH_MAX - 1]);
	cr_assert_eq(selfmon_process()->stale, 1);
	report = rows_take();
	cr_assert_eq(sums_of(report, "abandoned").visits, 1);
	cr_assert_eq(sums_of(report, "abandoned").cut_off, 16);
	selfmon_report_free(report);
}

static void nest(size_t depth)
{
	SELFMON_REGION("lexical")
	{
		if (depth > 1)
			nest(depth - 1);
		else
			abandon(SPANS);
		visit();
	}
}

Test(host_spans, never_left_in_regions_end_before_any_of_these)
{
	struct selfmon_report *report;

	nest(SELFMON_DEPTH_MAX - 1);
	report = rows_take();
	check(report, SPANS, SELFMON_DEPTH_MAX - 1);
	cr_assert_eq(sums_of(report, "lexical").visits, SELFMON_DEPTH_MAX - 1);
	cr_assert_eq(record()->too_deep, 0);
	selfmon_report_free(report);
}

static void recurse(size_t depth)
{
	SELFMON_REGION("lexical")
	{
		if (depth > 1)
			recurse(depth - 1);
	}
}

Test(host_spans, regions_are_never_ended_to_make_room)
{
	struct selfmon_report *report;
	int i;

	for (i = 0; i < 3; i++)
		recurse(SELFMON_DEPTH_MAX + 100);
	cr_assert_eq(record()->too_deep, 300);
	cr_assert_eq(record()->evicted, 0);
	abandon(1); /* a span that eviction can end */
	recurse(SELFMON_DEPTH_MAX);
	cr_assert_eq(record()->too_deep, 300);
	cr_assert_eq(record()->evicted, 1);
	report = rows_take();
	cr_assert_eq(sums_of(report, "lexical").visits, 4 * SELFMON_DEPTH_MAX);
	cr_assert_eq(sums_of(report, "lexical").cut_off, 0);
	selfmon_report_free(report);
}

static void on_signal(int number)
{
	(void)number;
	abandon(2);
	visit();
}

Test(host_spans, never_left_by_handlers_are_ended_as_well)
{
	struct selfmon_report *report;
	size_t i;

	signal(SIGUSR1, on_signal);
	for (i = 0; i < REGIONS; i++) {
		raise(SIGUSR1);
		visit();
	}
	report = rows_take();
	check(report, 2 * REGIONS, 2 * REGIONS);
	selfmon_report_free(report);
}

static jmp_buf env;

/* Consecutive jumps leave from different stack depths. */
static __attribute__((noinline)) void jump_out(size_t i)
{
	volatile char *const room = alloca(64 * (i % 100) + 1);

	room[0] = 0;
	SELFMON_REGION("jumped out of")
	{
		selfmon_enter(selfmon_region("abandoned"), &span[i % SPANS]);
		longjmp(env, 1);
	}
}

Test(host_spans, never_left_after_jumps_are_ended_as_well)
{
	struct selfmon_report *report;
	volatile size_t i;
	struct sums jumped;

	for (i = 0; i < REGIONS; i++) {
		if (!setjmp(env))
			jump_out(i);
		visit();
	}
	report = rows_take();
	check(report, REGIONS, REGIONS);
	jumped = sums_of(report, "jumped out of");
	cr_assert_eq(jumped.open + jumped.cut_off, REGIONS);
	cr_assert_eq(record()->too_deep, 0);
	selfmon_report_free(report);
}

/*
 * A handler evicts spans after it interrupted an enter between storing the
 * entry's mark and its start. That enter then writes the start to the entry's
 * old place.
 */
Test(host_spans, ended_in_a_handler_leave_an_interrupted_visit_its_start)
{
	struct selfmon_frame *const last = &span[SELFMON_DEPTH_MAX - 1];
	struct selfmon_report *report;
	struct selfmon_visit *entry;

	abandon(SELFMON_DEPTH_MAX - 1);
	selfmon_enter(selfmon_region("interrupted"), last);
	entry = selfmon_thread_attach()->top;
	cr_assert_eq(entry, &selfmon_thread_attach()->open[SELFMON_DEPTH_MAX]);
	entry->start.ticks = 1; /* as if left by an earlier visit */
	visit();
	cr_assert_gt(record()->evicted, 0);
	entry->start.ticks = selfmon_clock_ticks();
	selfmon_leave(last);
	report = rows_take();
	cr_assert_eq(sums_of(report, "interrupted").visits, 1);
	cr_assert_lt(selfmon_thread_attach()->top[1].node->stats->ticks.max,
		     selfmon_clock_ticks() / 2);
	selfmon_report_free(report);
}

/*
 * An enter found the last entry free. A handler takes this entry before the
 * enter does, so the enter takes a spare entry.
 */
static void take_the_last_too(size_t depth)
{
	struct selfmon_thread *const thread = selfmon_thread_attach();
	struct selfmon_node *const node = thread->top->node;
	struct selfmon_frame frame;

	abandon(depth - (size_t)(thread->top - thread->open));
	selfmon_visit_take(thread, node, &frame, SELFMON_MARK_SPAN, 0);
	thread->top->start.ticks = selfmon_clock_ticks();
	visit_often();
	cr_assert(selfmon_entry_is_of(thread->top, &frame));
	selfmon_leave(&frame);
}

Test(host_spans, of_handlers_in_the_last_entry_let_no_visit_run_beyond)
{
	const struct selfmon_thread *thread;
	struct selfmon_report *report;

	visit();
	abandon(1);
	thread = selfmon_thread_attach();
	take_the_last_too(SELFMON_DEPTH_STEP);
	cr_assert_eq(thread->top, thread->open + SELFMON_DEPTH_STEP);
	cr_assert_eq(thread->last, thread->open + 2 * SELFMON_DEPTH_STEP);
	take_the_last_too(SELFMON_DEPTH_MAX);
	cr_assert_leq(thread->top, thread->open + SELFMON_DEPTH_MAX);
	report = rows_take();
	cr_assert_eq(sums_of(report, "visit").visits, 2 * REGIONS + 1);
	cr_assert_eq(sums_of(report, "abandoned").visits, 2);
	cr_assert_eq(selfmon_process()->stale, 0);
	selfmon_report_free(report);
}

/*
 * top++ stands for an enter that a handler interrupted: the enter has taken an
 * entry, but not filled it in. The library evicts nothing until the eighth
 * attempt.
 */
Test(host_spans, are_kept_for_a_while_if_an_enter_may_be_interrupted)
{
	abandon(SELFMON_DEPTH_MAX - 1);
	visit();
	selfmon_thread_attach()->top++;
	visit();
	cr_assert_eq(record()->too_deep, 1);
	cr_assert_eq(record()->evicted, 0);
	visit_often();
	cr_assert_leq(record()->too_deep, 8);
	cr_assert_gt(record()->evicted, 0);
}

static void touch(volatile char *map, size_t pages)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (pages-- > 0)
		map[pages * size] = 1;
}

static void *fresh_pages(size_t pages)
{
	const size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
	void *const map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(map, MAP_FAILED);
	madvise(map, size, MADV_NOHUGEPAGE);
	return map;
}

/*
 * If a visit moves to another entry, its start moves with it, including the
 * counters.
 */
Test(host_spans, ended_below_a_region_leave_it_its_counters)
{
	const struct selfmon_row *row;
	struct selfmon_report *report;
	void *before, *inside;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	setenv("SELFMON_EVENTS", "page-faults", 1);
	before = fresh_pages(1000);
	inside = fresh_pages(100);
	abandon(SELFMON_DEPTH_MAX - 1);
	touch(before, 1000);
	SELFMON_REGION("moved")
	{
		touch(inside, 100);
		selfmon_enter(selfmon_region("abandoned"),
			      &span[SELFMON_DEPTH_MAX]);
		abandon(15); /* one span gets the former entry of the region */
	}
	cr_assert_eq(record()->evicted, 16);
	report = rows_take();
	row = row_of(report, "moved");
	cr_assert_eq(row->visits, 1);
	cr_assert_geq(row->counter[0].sum, 100);
	cr_assert_lt(row->counter[0].sum, 200);
	selfmon_report_free(report);
}
