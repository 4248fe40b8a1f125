/* SPDX-License-Identifier: MIT */
/* Tests detached spans in signal handlers, and in processes that are killed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "lives.h"
#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"

static struct selfmon_region *region;

static void once(void)
{
	struct selfmon_async_span span;

	selfmon_async_begin(region, &span);
	selfmon_async_end(&span);
}

static void with_work(void)
{
	struct selfmon_async_span span;

	selfmon_async_begin(region, &span);
	selfmon_async_bytes(&span, 1);
	selfmon_async_end(&span);
}

/* ---- handlers ----------------------------------------------------------- */

#define HANDLED 20

static int handled;

/*
 * Sends signals until enough were handled. On a busy machine several signals
 * may be merged into one.
 */
static void *kick(void *thread)
{
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < HANDLED) {
		pthread_kill(*(pthread_t *)thread, SIGUSR1);
		usleep(500);
	}
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
	with_work();
	__atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

Test(async_handlers, spans_in_a_handler_are_counted)
{
	struct selfmon_report *report;
	pthread_t self = pthread_self(), thread;
	const struct selfmon_row *row;
	uint64_t own = 0;

	region = selfmon_region("span");
	cr_assert_eq(selfmon_thread_prepare(), 0);
	signal(SIGUSR1, on_signal);
	cr_assert_eq(pthread_create(&thread, NULL, kick, &self), 0);
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < HANDLED) {
		once();
		own++;
	}
	pthread_join(thread, NULL);
	report = rows_take();
	row = ROWS_GET(selfmon_report_async(report), "span");
	cr_assert_eq(row->visits, own + (uint64_t)handled);
	cr_assert_eq(row->bytes, (uint64_t)handled);
	cr_assert_eq(row->open, 0);
	selfmon_report_free(report);
}

#ifdef __x86_64__

#define TRAP_FLAG "0x100"

static sigjmp_buf out;
static volatile int steps;
static volatile uint64_t nested;

/*
 * Interrupts after each instruction. The kernel clears the trap flag in the
 * handler, so the handler is not interrupted.
 */
static void step_by_step(void (*what)(void))
{
	__asm__ volatile("pushfq; orq $" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
	what();
	__asm__ volatile("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
}

static void nest(int number)
{
	(void)number;
	nested++;
	once();
}

/*
 * Expects the right count, buckets and extremes, wherever the handler
 * interrupts.
 */
static void interrupt(void (*what)(void))
{
	struct selfmon_report *report;
	const struct selfmon_report *spans;
	struct selfmon_bucket bucket[SELFMON_BUCKETS_MAX];
	const struct selfmon_row *row;
	uint64_t counted = 0;
	int buckets, i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	region = selfmon_region("span");
	once();
	signal(SIGTRAP, nest);
	for (i = 0; i < 10; i++)
		step_by_step(what);
	cr_assert_gt(nested, 500);
	report = rows_take();
	cr_assert_eq(report->unread, 0);
	spans = selfmon_report_async(report);
	rows_check(spans);
	row = ROWS_GET(spans, "span");
	cr_assert_eq(row->visits, nested + 11);
	cr_assert_eq(row->open, 0);
	cr_assert_eq(row->repaired, 0);
	buckets = selfmon_row_histogram(spans, 0, bucket, SELFMON_BUCKETS_MAX);
	for (i = 0; i < buckets; i++)
		counted += bucket[i].visits;
	cr_assert_eq(counted, row->visits);
	selfmon_report_free(report);
}

Test(async_handlers, at_each_instruction_of_both_ends)
{
	interrupt(once);
}

Test(async_handlers, at_each_instruction_of_an_end_with_work)
{
	interrupt(with_work);
}

static void jump_out(int number)
{
	(void)number;
	if (--steps == 0)
		siglongjmp(out, 1);
}

static bool jump_after(int instructions, void (*what)(void))
{
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	step_by_step(what);
	return false;
}

/*
 * After a jump, no reader waits for the abandoned update, and no count is lost.
 */
static void jump_out_of(void (*what)(void))
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t ended = 0, begun = 0;
	bool jumped;
	int i = 0;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	region = selfmon_region("span");
	once();
	signal(SIGTRAP, jump_out);
	do {
		jumped = jump_after(++i, what);
		once();
		ended++;
		begun += 2;
		report = rows_take();
		cr_assert_eq(report->unread, 0);
		row = ROWS_GET(selfmon_report_async(report), "span");
		rows_check(selfmon_report_async(report));
		cr_assert(row->visits > ended && row->visits <= begun + 1,
			  "step %d: %llu visits", i,
			  (unsigned long long)row->visits);
		selfmon_report_free(report);
	} while (jumped);
	cr_assert_gt(i, 60);
}

Test(async_handlers, jump_out_at_each_instruction)
{
	jump_out_of(once);
}

Test(async_handlers, jump_out_at_each_instruction_of_an_end_with_work)
{
	jump_out_of(with_work);
}

#endif

/* ---- killed processes --------------------------------------------------- */

TestSuite(async_live, .init = setup, .fini = teardown);

static struct selfmon_async_span span[3];

static void *end_elsewhere(void *unused)
{
	selfmon_async_end(&span[0]);
	return unused;
}

static void spans_and_death(void)
{
	pthread_t thread;
	int i;

	region = selfmon_region("span");
	SELFMON_REGION("visit");
	for (i = 0; i < 3; i++) {
		selfmon_async_begin(region, &span[i]);
		selfmon_async_items(&span[i], 5);
	}
	pthread_create(&thread, NULL, end_elsewhere, NULL);
	pthread_join(thread, NULL);
	selfmon_async_end(&span[1]);
	raise(SIGKILL);
}

Test(async_live, a_killed_process_leaves_its_spans)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;

	run(spans_and_death);
	report = read_back(path);
	cr_assert_eq(selfmon_report_row_count(report), 1);
	row = ROWS_GET(selfmon_report_async(report), "span");
	cr_assert_eq(row->visits, 2);
	cr_assert_eq(row->open, 1);
	cr_assert_eq(row->elsewhere, 1);
	cr_assert_eq(row->items, 10);
	cr_assert(says(report, "Detached spans"));
	selfmon_report_free(report);
}
