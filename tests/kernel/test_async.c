/* SPDX-License-Identifier: MIT */
/* Tests the start and end of detached spans, on any thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock/clock.h"
#include "form.h"
#include "holds.h"
#include "report/model.h"
#include "rows.h"
#include "sanitized.h"
#include "store/process.h"

static void configure(const char *events, uint32_t every)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.every = every;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void begin(struct selfmon_async_span *span)
{
	selfmon_async_begin(selfmon_region("request"), span);
}

static void *end_one(void *span)
{
	selfmon_async_end(span);
	return NULL;
}

static void visit(void)
{
	SELFMON_REGION("visit");
}

static void in_a_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, run, argument), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

/* Returns the row of "request" in a new report. Frees the previous report. */
static const struct selfmon_row *request(void)
{
	static struct selfmon_report *report;
	const struct selfmon_report *spans;

	selfmon_report_free(report);
	report = rows_take();
	spans = selfmon_report_async(report);
	cr_assert_not_null(spans);
	rows_check(spans);
	return ROWS_GET(spans, "request");
}

static void assert_row(uint64_t ended, uint64_t open, uint64_t elsewhere)
{
	const struct selfmon_row *const row = request();

	cr_assert_eq(row->visits, ended, "%llu ended",
		     (unsigned long long)row->visits);
	cr_assert_eq(row->open, open, "%llu open",
		     (unsigned long long)row->open);
	cr_assert_eq(row->elsewhere, elsewhere, "%llu elsewhere",
		     (unsigned long long)row->elsewhere);
}

Test(async, begins_and_ends_on_one_thread)
{
	struct selfmon_async_span span;
	int i;

	for (i = 0; i < 1000; i++) {
		begin(&span);
		selfmon_async_end(&span);
	}
	assert_row(1000, 0, 0);
}

Test(async, ends_on_another_thread)
{
	struct selfmon_async_span span[3];
	int i;

	for (i = 0; i < 3; i++)
		begin(&span[i]);
	in_a_thread(end_one, &span[0]);
	in_a_thread(end_one, &span[1]);
	selfmon_async_end(&span[2]);
	assert_row(3, 0, 2);
}

static void *begin_one(void *span)
{
	begin(span);
	return NULL;
}

/*
 * The second thread reuses the state of the exited thread. The end of the span
 * must still count as an end on another thread.
 */
Test(async, of_an_ended_thread_ends_elsewhere)
{
	struct selfmon_async_span span;

	in_a_thread(begin_one, &span);
	in_a_thread(end_one, &span);
	assert_row(1, 0, 1);
}

Test(async, may_be_moved)
{
	struct selfmon_async_span first, second;

	begin(&first);
	selfmon_async_bytes(&first, 7);
	memcpy(&second, &first, sizeof(second));
	memset(&first, 0xff, sizeof(first));
	selfmon_async_bytes(&second, 3);
	selfmon_async_end(&second);
	assert_row(1, 0, 0);
	cr_assert_eq(request()->bytes, 10);
}

Test(async, a_second_end_does_nothing)
{
	struct selfmon_async_span span = { .node = NULL };

	selfmon_async_end(&span);
	begin(&span);
	selfmon_async_end(&span);
	selfmon_async_end(&span);
	in_a_thread(end_one, &span);
	assert_row(1, 0, 0);
}

/*
 * Returns the size of the address space in pages. Returns 0 with a sanitizer,
 * which maps memory during the test.
 */
static uint64_t address_space(void)
{
	FILE *const statm = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	cr_assert(statm && fscanf(statm, "%lu", &pages) == 1);
	fclose(statm);
	return SANITIZED ? 0 : pages;
}

/* The library has no pointers to spans, so dropped spans take no memory. */
Test(async, dropped_spans_are_open_and_cost_nothing)
{
	const struct selfmon_process *process;
	struct selfmon_async_span span;
	uint64_t before;
	uint32_t nodes;
	int i;

	begin(&span);
	process = selfmon_process();
	nodes = process->threads->nodes;
	before = address_space();
	for (i = 1; i < 100000; i++)
		begin(&span);
	cr_assert_eq(address_space(), before);
	cr_assert_eq(process->threads->nodes, nodes);
	cr_assert_eq(process->attached, 1);
	selfmon_async_end(&span);
	assert_row(1, 99999, 0);
}

Test(async, work_is_that_of_spans_that_ended)
{
	struct selfmon_async_span done, other, dropped;

	begin(&dropped);
	selfmon_async_bytes(&dropped, 5000);
	begin(&done);
	begin(&other);
	selfmon_async_bytes(&done, 1000);
	selfmon_async_items(&done, 3);
	selfmon_async_items(&done, 4);
	selfmon_async_items(&other, 10);
	selfmon_async_end(&done);
	selfmon_async_end(&done);
	selfmon_async_end(&other);
	begin(&done); /* begins again, without the units of the previous span */
	selfmon_async_end(&done);
	assert_row(3, 1, 0);
	cr_assert_eq(request()->bytes, 1000);
	cr_assert_eq(request()->items, 17);
}

Test(async, has_the_time_between_its_ends)
{
	const struct selfmon_clock *const clock = selfmon_clock();
	struct selfmon_async_span span;
	uint64_t before, begun, ended, after;

	begin(&span);
	selfmon_async_end(&span);
	before = selfmon_clock_ticks();
	begin(&span);
	begun = selfmon_clock_ticks();
	usleep(2000);
	ended = selfmon_clock_ticks();
	in_a_thread(end_one, &span);
	after = selfmon_clock_ticks();
	cr_assert_geq(request()->time.max,
		      selfmon_clock_ns(clock, ended - begun));
	cr_assert_leq(request()->time.max,
		      selfmon_clock_ns(clock, after - before) + 1);
}

/*
 * If the timestamp counter cannot be used, both ends use the process's clock.
 */
Test(async, by_a_clock_that_takes_a_call)
{
	struct selfmon_async_span span[4];
	const struct selfmon_row *row;
	int i;

	cr_assert_eq(selfmon_clock_force(SELFMON_CLOCK_GETTIME), 0);
	for (i = 0; i < 4; i++)
		begin(&span[i]);
	selfmon_async_items(&span[0], 4);
	usleep(2000);
	selfmon_async_end(&span[0]);
	selfmon_async_end(&span[0]);
	in_a_thread(end_one, &span[1]);
	selfmon_async_end(&span[2]);
	assert_row(3, 1, 1);
	row = request();
	cr_assert_eq(row->items, 4);
	cr_assert_geq(row->time.min, 2000000);
	cr_assert_lt(row->time.max, UINT64_C(60000000000));
}

Test(async, is_no_part_of_the_call_tree)
{
	struct selfmon_async_span span, within;
	struct selfmon_report *report;

	begin(&span);
	SELFMON_REGION("outer")
	{
		begin(&within);
		SELFMON_REGION("inner")
		selfmon_async_end(&span);
	}
	selfmon_async_end(&within);
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), 2);
	cr_assert(ROWS_GET(report, "outer")->exclusive_valid);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 1);
	cr_assert_eq(report->stale, 0);
	selfmon_report_free(report);
	assert_row(2, 0, 0);
}

Test(async, every_span_is_measured_if_one_visit_in_n_is)
{
	struct selfmon_async_span span;
	int i;

	configure("none", 100);
	visit();
	for (i = 0; i < 500; i++) {
		begin(&span);
		selfmon_async_end(&span);
	}
	assert_row(500, 0, 0);
	cr_assert_eq(request()->measured, 500);
}

/*
 * There are more regions than slots for the children of a node. Spans begin in
 * the order of their regions, and end in reverse order.
 */
Test(async, of_many_regions)
{
	enum { REGIONS = 200 };
	struct selfmon_async_span span[REGIONS];
	struct selfmon_region *region[REGIONS];
	struct selfmon_report *report;
	char name[16];
	int i, round;

	for (i = 0; i < REGIONS; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		region[i] = selfmon_region(name);
	}
	for (round = 0; round < 3; round++) {
		for (i = 0; i < REGIONS; i++)
			selfmon_async_begin(region[i], &span[i]);
		for (i = REGIONS; i-- > 0;)
			selfmon_async_end(&span[i]);
	}
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(selfmon_report_async(report)),
		     REGIONS);
	for (i = 0; i < REGIONS; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		cr_assert_eq(
			ROWS_GET(selfmon_report_async(report), name)->visits,
			3);
	}
	selfmon_report_free(report);
}

Test(async, a_null_handle_is_not_measured)
{
	struct selfmon_async_span span;

	memset(&span, 0xff, sizeof(span));
	selfmon_async_begin(NULL, &span);
	selfmon_async_end(&span);
	cr_assert_null(selfmon_report_async(rows_take()));
}

Test(async, off_at_run_time_begins_nothing_and_ends_what_began)
{
	struct selfmon_async_span before, span;

	begin(&before);
	selfmon_enable(false);
	memset(&span, 0xff, sizeof(span));
	begin(&span);
	selfmon_async_end(&span);
	selfmon_async_end(&before);
	selfmon_enable(true);
	assert_row(1, 0, 0);
}

Test(async, ends_while_off_on_a_thread_that_had_none_before)
{
	struct selfmon_async_span span;

	begin(&span);
	selfmon_enable(false);
	in_a_thread(end_one, &span);
	assert_row(1, 0, 1);
}

/* ---- events ------------------------------------------------------------- */

static void *end_and_count(void *span)
{
	const int before = holds_events_from(0);

	selfmon_async_end(span);
	cr_assert_eq(holds_events_from(0), before, "the end opened counters");
	begin(span);
	selfmon_async_end(span);
	cr_assert_eq(holds_events_from(0), before, "the begin opened counters");
	visit();
	cr_assert_gt(holds_events_from(0), before, "the region opened none");
	return NULL;
}

Test(async, opens_no_counters_which_the_next_region_does)
{
	struct selfmon_async_span span, own;
	struct selfmon_report *report;

	configure("page-faults", 1);
	begin(&own);
	cr_assert_eq(holds_events_from(0), 0);
	visit();
	begin(&span);
	in_a_thread(end_and_count, &span);
	selfmon_async_end(&own);
	assert_row(3, 0, 1);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "visit")->visits, 2);
	cr_assert_eq(ROWS_GET(report, "visit")->counter[0].visits, 2);
	cr_assert_eq(report->threads, 2);
	selfmon_report_free(report);
}

Test(async, options_are_too_late_after_the_first_span)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_async_span span;

	begin(&span);
	cr_assert_eq(selfmon_configure(&options), -EBUSY);
}

/* ---- fork --------------------------------------------------------------- */

static int status_of(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

/*
 * Called in a child. Returns 0 if the child's report has only the child's own
 * span, and counts the end of the parent's span as stale.
 */
static int own_span_only(struct selfmon_async_span *parents)
{
	struct selfmon_async_span own;
	struct selfmon_report *report;
	const struct selfmon_row *row;

	selfmon_async_end(parents);
	if (selfmon_process()->attached)
		return 1; /* the end attached the thread */
	begin(&own);
	selfmon_async_end(&own);
	if (selfmon_report_take(&report))
		return 2;
	if (report->stale != 1)
		return 3;
	row = ROWS_FIND(selfmon_report_async(report), "request");
	if (!row || row->visits != 1 || row->open || row->elsewhere)
		return 4;
	return 0;
}

Test(async, of_the_parent_is_stale_in_a_child)
{
	struct selfmon_async_span span;
	pid_t pid;

	begin(&span);
	pid = fork();
	if (pid == 0)
		_exit(own_span_only(&span));
	cr_assert_eq(status_of(pid), 0);
	selfmon_async_end(&span);
	assert_row(1, 0, 0);
}

/*
 * The child begins a span first, so it has its own state when it ends the
 * parent's span.
 */
static int end_in_a_busy_child(struct selfmon_async_span *parents)
{
	struct selfmon_async_span own;
	struct selfmon_report *report;

	begin(&own);
	selfmon_async_end(parents);
	selfmon_async_end(&own);
	if (selfmon_report_take(&report))
		return 1;
	return report->stale == 1 && ROWS_FIND(selfmon_report_async(report),
					       "request")
						     ->visits == 1
		       ? 0
		       : 2;
}

Test(async, so_it_is_in_a_child_that_measures)
{
	struct selfmon_async_span span;
	pid_t pid;

	begin(&span);
	pid = fork();
	if (pid == 0)
		_exit(end_in_a_busy_child(&span));
	cr_assert_eq(status_of(pid), 0);
}

/* ---- reports ------------------------------------------------------------ */

Test(async, every_format_has_them)
{
	struct selfmon_async_span span;
	struct selfmon_report *report;

	visit();
	begin(&span);
	selfmon_async_items(&span, 2);
	in_a_thread(end_one, &span);
	begin(&span);
	report = rows_take();
	cr_assert(rows_say(report, SELFMON_TEXT, "Detached spans"));
	cr_assert(rows_say(report, SELFMON_TEXT, "open now elsewhere"));
	cr_assert(rows_say(report, SELFMON_TEXT,
			   "request              1         1         1"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"elsewhere\": 1"));
	cr_assert(rows_say(report, SELFMON_CSV, ",kind,elsewhere,"));
	cr_assert(rows_say(report, SELFMON_CSV, ",span,1,"));
	cr_assert(rows_say(report, SELFMON_CSV, ",region,,"));
	selfmon_report_free(report);
}

Test(async, are_not_in_the_total)
{
	struct selfmon_async_span span;
	struct selfmon_report *report;

	begin(&span);
	SELFMON_REGION("visit")
	usleep(1000);
	selfmon_async_end(&span);
	report = rows_take();
	cr_assert_eq(report->total_ns, ROWS_GET(report, "visit")->time.net);
	cr_assert_null(ROWS_FIND(report, "request"));
	selfmon_report_free(report);
}

Test(async, a_report_without_regions_has_them_too)
{
	struct selfmon_async_span span;
	struct selfmon_report *report;

	begin(&span);
	report = rows_take();
	cr_assert_eq(selfmon_report_row_count(report), 0);
	cr_assert(rows_say(report, SELFMON_TEXT, "request              0"));
	selfmon_report_free(report);
}

Test(async, an_interval_has_those_that_ended_in_it)
{
	struct selfmon_report *before, *after, *interval;
	struct selfmon_async_span first, second, third;
	const struct selfmon_row *row;

	begin(&first);
	begin(&second);
	selfmon_async_end(&first);
	before = rows_take();
	begin(&third);
	begin(&first);
	selfmon_async_end(&first);
	in_a_thread(end_one, &second);
	after = rows_take();
	cr_assert_eq(selfmon_report_subtract(after, before, &interval), 0);
	row = ROWS_GET(selfmon_report_async(interval), "request");
	cr_assert_eq(row->visits, 2);
	cr_assert_eq(row->elsewhere, 1);
	cr_assert_eq(row->open, 1);
	selfmon_report_free(interval);
	selfmon_report_free(before);
	selfmon_report_free(after);
}

/* ---- many spans ---------------------------------------------------------- */

#define MANY 10000
#define THREADS 4
#define ROUNDS 20

static struct selfmon_async_span many[MANY];

/* Each thread ends the spans of the previous thread and begins them again. */
static void *pass_on(void *argument)
{
	const size_t first = *(const size_t *)argument * (MANY / THREADS);
	size_t i;

	for (i = first; i < first + MANY / THREADS; i++) {
		selfmon_async_end(&many[i]);
		begin(&many[i]);
	}
	return NULL;
}

Test(async, ten_thousand_are_open_over_threads)
{
	size_t number[THREADS], i, round;
	pthread_t thread[THREADS];

	for (i = 0; i < MANY; i++)
		begin(&many[i]);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < THREADS; i++) {
			number[i] = (i + round) % THREADS;
			cr_assert_eq(pthread_create(&thread[i], NULL, pass_on,
						    &number[i]),
				     0);
		}
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	assert_row((uint64_t)MANY * ROUNDS, MANY, (uint64_t)MANY * ROUNDS);
}

/* Acts like an event loop: ends the oldest request and begins a new one. */
static void serve(struct selfmon_region *region, uint64_t requests)
{
	uint64_t i;

	for (i = 0; i < requests; i++) {
		selfmon_async_end(&many[i % MANY]);
		selfmon_async_begin(region, &many[i % MANY]);
	}
}

Test(async, ten_million_over_ten_thousand_open_take_no_memory)
{
	const uint64_t requests = (uint64_t)quick_or_all(2000000, 10000000);
	struct selfmon_region *const region = selfmon_region("request");
	uint64_t before;
	size_t i;

	for (i = 0; i < MANY; i++)
		selfmon_async_begin(region, &many[i]);
	serve(region, MANY);
	before = address_space();
	serve(region, requests);
	cr_assert_eq(address_space(), before);
	assert_row(requests + MANY, MANY, 0);
}

/*
 * Set to end the thread that runs spin(). The thread visits no regions, but
 * must still copy its statistics when a report requests a copy.
 */
static bool stop;

static void *spin(void *unused)
{
	struct selfmon_region *const region = selfmon_region("request");
	struct selfmon_async_span span;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		selfmon_async_begin(region, &span);
		selfmon_async_end(&span);
	}
	return unused;
}

Test(async, reports_are_taken_while_a_thread_has_spans_only)
{
	struct selfmon_async_span span;
	struct selfmon_report *report;
	pthread_t thread;
	int i;

	begin(&span);
	cr_assert_eq(pthread_create(&thread, NULL, spin, NULL), 0);
	for (i = 0; i < 20; i++) {
		report = rows_take();
		cr_assert_eq(report->unread, 0);
		rows_check(selfmon_report_async(report));
		selfmon_report_free(report);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	cr_assert_eq(request()->open, 1);
}
