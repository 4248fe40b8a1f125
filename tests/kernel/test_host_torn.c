/* SPDX-License-Identifier: MIT */
/*
 * Tests reports while an update of statistics never ends, because a handler
 * jumped out of it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "open/entry.h"
#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"
#include "session/thread.h"
#include "store/process.h"
#include "store/state.h"
#include "torn.h"

static struct selfmon_frame span;

static void enter_span(void)
{
	selfmon_enter(selfmon_region("span"), &span);
}

/* Makes ten visits, and an eleventh whose update has begun and does not end. */
static struct selfmon_stats *stand_in_update(void)
{
	struct selfmon_stats *stats;
	int i;

	for (i = 0; i < 10; i++) {
		enter_span();
		selfmon_leave(&span);
	}
	enter_span();
	stats = selfmon_entry_place(selfmon_thread_attach())->stats;
	selfmon_stats_begin(stats);
	return stats;
}

Test(host_torn, a_report_counts_the_visit_and_it_is_not_open_as_well)
{
	struct selfmon_report *report;

	stand_in_update();
	report = rows_take();
	cr_assert_eq(report->unread, 0);
	cr_assert_eq(ROWS_GET(report, "span")->visits, 11);
	cr_assert_eq(ROWS_GET(report, "span")->repaired, 1);
	cr_assert_eq(ROWS_GET(report, "span")->open, 0);
	rows_check(report);
	selfmon_report_free(report);
}

Test(host_torn, a_report_by_its_own_thread_asks_nobody_and_waits_for_nobody)
{
	stand_in_update();
	selfmon_report_free(rows_take());
	cr_assert_null(selfmon_thread_attach()->wanted);
}

/*
 * The thread takes a report during its own update. A signal handler could do
 * so, although this is not supported.
 */
Test(host_torn, a_report_leaves_the_update_to_whoever_may_end_it)
{
	struct selfmon_stats *const stats = stand_in_update();
	struct selfmon_report *report = rows_take();

	selfmon_report_free(report);
	torn_finish(stats);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "span")->visits, 11);
	cr_assert_eq(ROWS_GET(report, "span")->repaired, 0);
	/* The span's entry is still in use. */
	cr_assert_eq(ROWS_GET(report, "span")->open, 1);
	selfmon_report_free(report);
}

#ifdef __x86_64__

#define TRAP_FLAG "0x100"

static sigjmp_buf out;
static volatile int steps;

static void on_step(int number)
{
	(void)number;
	if (--steps == 0)
		siglongjmp(out, 1);
}

/*
 * Jumps out of the leave after this number of instructions. Returns false if
 * the leave has fewer.
 */
static bool leave_up_to(int instructions)
{
	signal(SIGTRAP, on_step);
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	__asm__ volatile("pushfq; orq $" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
	selfmon_leave(&span);
	__asm__ volatile("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
	return false;
}

struct round {
	int number;  /* visits begun, and instructions of this leave */
	bool usual;  /* whether the visit is usual, that is, not the longest */
	bool jumped;
	bool asked;  /* the report requested a copy of the statistics */
	uint64_t counted, repaired, unread; /* in the report */
};

static void *play_round(void *argument)
{
	struct round *const round = argument;
	const struct selfmon_row *row;
	struct selfmon_report *report;

	enter_span();
	if (round->usual)
		selfmon_entry_place(selfmon_thread_attach())->stats->unusual =
			SELFMON_TICKS_LONG;
	round->jumped = leave_up_to(round->number);
	report = rows_take();
	row = ROWS_GET(report, "span");
	round->counted = row->visits + row->cut_off + row->open;
	round->repaired = row->repaired;
	round->unread = report->unread;
	round->asked = selfmon_thread_attach()->wanted;
	selfmon_report_free(report);
	return NULL;
}

/*
 * Each round runs in a new thread. A thread that ends cuts off its open visits,
 * so the next round begins without them.
 */
static void jump_out_everywhere(bool usual)
{
	struct round round = { .usual = usual };
	pthread_t thread;
	uint64_t repaired = 0;

	do {
		round.number++;
		cr_assert_eq(pthread_create(&thread, NULL, play_round, &round),
			     0);
		pthread_join(thread, NULL);
		cr_assert_eq(round.counted, (uint64_t)round.number, "step %d",
			     round.number);
		cr_assert_eq(round.unread, 0, "step %d", round.number);
		cr_assert_not(round.asked, "step %d", round.number);
		repaired += round.repaired;
	} while (round.jumped);
	cr_assert_gt(round.number, 20);
	cr_assert_gt(repaired, 0, "none was in an update");
}

Test(host_torn, jumps_at_each_instruction_of_a_spans_leave_lose_no_visit,
     .timeout = 300)
{
	SKIP_IF_SANITIZED("steps lead into its own code");
	jump_out_everywhere(false);
}

Test(host_torn, nor_where_the_visit_is_a_usual_one, .timeout = 300)
{
	SKIP_IF_SANITIZED("steps lead into its own code");
	jump_out_everywhere(true);
}

#endif
