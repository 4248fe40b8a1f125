/* SPDX-License-Identifier: MIT */
/*
 * Tests units that the program defines (selfmon_unit()): what each visit
 * counted, for each node of the tree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/quantiles.h"
#include "rows.h"

static const struct selfmon_unit *rows_unit;

static void visit(uint64_t n)
{
	SELFMON_REGION_OF(selfmon_region("work"))
		selfmon_region_count(rows_unit, n);
}

static size_t index_of(const struct selfmon_report *report, const char *name)
{
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			return i;
	cr_assert_fail("no row %s", name);
	return 0;
}

static struct selfmon_report_unit unit_of(const struct selfmon_report *report,
					  const char *row, const char *name)
{
	struct selfmon_report_unit unit = { .size = sizeof(unit) };
	const size_t count = selfmon_report_unit_count(report);
	size_t i;

	for (i = 0; i < count; i++) {
		cr_assert_eq(selfmon_report_unit(report, index_of(report, row),
						 i, &unit), 0);
		if (!strcmp(unit.name, name))
			return unit;
	}
	cr_assert_fail("no unit %s", name);
	return unit;
}

static struct selfmon_report_unit counted_by(const char *row, const char *name)
{
	struct selfmon_report *const report = rows_take();
	struct selfmon_report_unit unit;

	rows_check(report);
	unit = unit_of(report, row, name);
	unit.name = name; /* the report's own string is freed */
	selfmon_report_free(report);
	return unit;
}

static void make_unit(void)
{
	rows_unit = selfmon_unit("rows");
	cr_assert(rows_unit);
}

TestSuite(region_quantities, .init = make_unit);

Test(region_quantities, have_the_same_handle_for_the_same_name)
{
	char name[] = "rows";

	cr_assert_eq(selfmon_unit(name), rows_unit);
	name[0] = 'c';
	cr_assert_neq(selfmon_unit(name), rows_unit);
	cr_assert_eq(selfmon_unit("bytes"), selfmon_unit("bytes"));
}

static bool has_note(const struct selfmon_report *report, const char *text)
{
	size_t i;

	for (i = 0; i < selfmon_report_note_count(report); i++)
		if (strstr(selfmon_report_note(report, i), text))
			return true;
	return false;
}

Test(region_quantities, of_more_than_eight_names_are_refused_with_a_note)
{
	struct selfmon_report *report;
	char name[16];
	int i;

	for (i = 3; i < SELFMON_MAX_UNITS; i++) {
		snprintf(name, sizeof(name), "unit-%d", i);
		cr_assert(selfmon_unit(name));
	}
	cr_assert_null(selfmon_unit("ninth"));
	cr_assert_null(selfmon_unit("ninth"));
	cr_assert_eq(selfmon_unit("rows"), rows_unit);
	SELFMON_REGION("work") {
		selfmon_region_count(selfmon_unit("ninth"), 5);
		selfmon_region_count(rows_unit, 5);
	}
	report = rows_take();
	cr_assert(has_note(report, "\"ninth\" is not counted: a process has at "
				   "most 8 units"));
	cr_assert_eq(selfmon_report_note_count(report), 1);
	cr_assert_eq(selfmon_report_unit_count(report), 3);
	cr_assert_eq(unit_of(report, "work", "rows").sum, 5);
	selfmon_report_free(report);
}

Test(region_quantities, of_a_strange_name_are_refused_with_a_note)
{
	static const char *const wrong[] = {
		"", "two words", "tab\t", "a,b", "\"", "z\xc3\xa4hler",
		"12345678901234567890123456789012",
	};
	struct selfmon_report *report;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_null(selfmon_unit(wrong[i]), "%s", wrong[i]);
	cr_assert_null(selfmon_unit(NULL));
	cr_assert(selfmon_unit("1234567890123456789012345678901"));
	visit(1);
	report = rows_take();
	cr_assert(has_note(report, "its name must be 1 to 31 letters"));
	selfmon_report_free(report);
}

struct refused {
	pthread_t thread;
	int messages;
	bool ended; /* before the message function returned */
};

static void *request_strange_name(void *unused)
{
	cr_assert_null(selfmon_unit("two words"));
	return unused;
}

/*
 * The library holds the process lock while it calls this, so the refusal of the
 * other thread waits for the lock.
 */
static void request_elsewhere(const char *message, void *context)
{
	struct refused *const refused = context;
	struct timespec until;

	(void)message;
	if (refused->messages++)
		return;
	pthread_create(&refused->thread, NULL, request_strange_name, NULL);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	refused->ended =
		!pthread_timedjoin_np(refused->thread, NULL, &until);
}

Test(region_quantities, of_a_strange_name_are_noted_one_note_at_a_time)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct refused refused = { .messages = 0 };
	struct selfmon_report *report;

	options.events = "none";
	options.record = "strange";
	options.message = request_elsewhere;
	options.context = &refused;
	cr_assert_eq(selfmon_configure(&options), 0);
	if (!refused.ended)
		pthread_join(refused.thread, NULL);
	cr_assert_eq(refused.messages, 1);
	visit(1);
	report = rows_take();
	cr_assert(has_note(report, "\"two words\" is not counted"));
	selfmon_report_free(report);
}

#define THREADS 4
#define VISITS 1000

static void *count_in_thread(void *argument)
{
	const uint64_t first = *(const uint64_t *)argument;
	uint64_t i;

	for (i = 0; i < VISITS; i++)
		visit(first + i);
	return NULL;
}

Test(region_quantities, are_exact_over_threads)
{
	uint64_t first[THREADS], sum = 0, i;
	struct selfmon_report_unit unit;
	pthread_t thread[THREADS];

	for (i = 0; i < THREADS; i++) {
		first[i] = 10 + i * VISITS;
		pthread_create(&thread[i], NULL, count_in_thread, &first[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 10; i < 10 + THREADS * VISITS; i++)
		sum += i;
	unit = counted_by("work", "rows");
	cr_assert_eq(unit.sum, sum);
	cr_assert_eq(unit.visits, THREADS * VISITS);
	cr_assert_eq(unit.min, 10);
	cr_assert_eq(unit.max, 10 + THREADS * VISITS - 1);
}

static void *count_values(void *argument)
{
	const uint64_t first = *(const uint64_t *)argument;
	uint64_t i;

	for (i = 0; i < VISITS; i++)
		SELFMON_REGION("values")
			quantiles_count(first + i, 0, 1);
	return NULL;
}

Test(region_quantities, have_percentiles_of_the_visits_of_all_threads)
{
	struct selfmon_report *report;
	pthread_t thread[THREADS];
	uint64_t first[THREADS];
	int i;

	quantiles_start();
	for (i = 0; i < THREADS; i++) {
		first[i] = (uint64_t)i * VISITS;
		pthread_create(&thread[i], NULL, count_values, &first[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	report = rows_take();
	quantiles_expect(report, ROWS_GET(report, "values"), THREADS * VISITS);
	selfmon_report_free(report);
}

static void assert_near(double value, double wanted)
{
	cr_assert(fabs(value - wanted) <= 0.125 * wanted + 1e-9, "%g, not %g",
		  value, wanted);
}

Test(region_quantities, have_percentiles_within_an_eighth)
{
	static const uint64_t scale[] = { 1, 7, 1000, 123456789 };
	size_t k;

	for (k = 0; k < sizeof(scale) / sizeof(scale[0]); k++) {
		struct selfmon_report_unit unit;
		char name[16];
		uint64_t i;

		snprintf(name, sizeof(name), "scale %zu", k);
		for (i = 1; i <= 1000; i++)
			SELFMON_REGION_OF(selfmon_region(name))
				selfmon_region_count(rows_unit, i * scale[k]);
		unit = counted_by(name, "rows");
		assert_near(unit.p50, 500. * (double)scale[k]);
		assert_near(unit.p90, 900. * (double)scale[k]);
		assert_near(unit.p99, 990. * (double)scale[k]);
		cr_assert_eq(unit.min, scale[k]);
		cr_assert_eq(unit.max, 1000 * scale[k]);
	}
}

Test(region_quantities, of_any_size_are_kept)
{
	struct selfmon_report_unit unit;

	visit(1);
	visit(UINT64_C(1) << 41);
	visit(UINT64_C(1) << 62);
	unit = counted_by("work", "rows");
	cr_assert_eq(unit.visits, 3);
	cr_assert_eq(unit.min, 1);
	cr_assert_eq(unit.max, UINT64_C(1) << 62);
	cr_assert_eq(unit.sum, (UINT64_C(1) << 62) + (UINT64_C(1) << 41) + 1);
}

Test(region_quantities, of_one_visit_add_up_and_visits_without_any_are_left_out)
{
	struct selfmon_report_unit unit;

	visit(0);
	SELFMON_REGION_OF(selfmon_region("work"))
		;
	SELFMON_REGION_OF(selfmon_region("work")) {
		selfmon_region_count(rows_unit, 3);
		SELFMON_REGION("inner")
			selfmon_region_count(rows_unit, 100);
		selfmon_region_count(rows_unit, 4);
	}
	unit = counted_by("work", "rows");
	cr_assert_eq(unit.visits, 1);
	cr_assert_eq(unit.sum, 7);
	cr_assert_eq(unit.min, 7);
	cr_assert_eq(unit.max, 7);
	cr_assert_eq(counted_by("inner", "rows").sum, 100);
}

Test(region_quantities, include_bytes_and_items)
{
	struct selfmon_report *report;

	SELFMON_REGION("work") {
		selfmon_region_bytes(4096);
		selfmon_region_count(selfmon_unit("bytes"), 1);
		selfmon_region_items(7);
		selfmon_region_count(rows_unit, 9);
	}
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "work")->bytes, 4097);
	cr_assert_eq(ROWS_GET(report, "work")->items, 7);
	cr_assert_eq(unit_of(report, "work", "bytes").max, 4097);
	cr_assert_eq(unit_of(report, "work", "items").min, 7);
	cr_assert_eq(unit_of(report, "work", "rows").sum, 9);
	selfmon_report_free(report);
}

Test(region_quantities, come_with_events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report_unit unit;

	options.events = "page-faults,task-clock";
	cr_assert_eq(selfmon_configure(&options), 0);
	visit(3);
	visit(1000);
	unit = counted_by("work", "rows");
	cr_assert_eq(unit.sum, 1003);
	cr_assert_eq(unit.min, 3);
	cr_assert_eq(unit.max, 1000);
}

Test(region_quantities, are_of_measured_visits)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report_unit unit;
	int i;

	options.events = "none";
	options.every = 4;
	cr_assert_eq(selfmon_configure(&options), 0);
	/* One visit is measured in each group of 1, 1, 2 and 4. */
	for (i = 0; i < 8; i++)
		visit(100);
	unit = counted_by("work", "rows");
	cr_assert_eq(unit.visits, 4);
	cr_assert_eq(unit.sum, 400);
}

static jmp_buf env;

/*
 * One function makes both visits, the one that the jump leaves and the usual
 * one. So the frames of both are at the same address.
 */
static __attribute__((noinline)) void jump_or_visit(bool jumps, uint64_t n)
{
	SELFMON_REGION_OF(selfmon_region("work")) {
		selfmon_region_count(rows_unit, n);
		if (jumps)
			longjmp(env, 1);
	}
}

Test(region_quantities, of_a_visit_that_was_cut_off_are_left_out)
{
	if (!setjmp(env))
		jump_or_visit(true, 5000);
	jump_or_visit(false, 11);
	cr_assert_eq(counted_by("work", "rows").sum, 11);
	cr_assert_eq(counted_by("work", "rows").max, 11);
}

Test(region_quantities, go_with_a_span_that_becomes_its_siblings_child)
{
	struct selfmon_frame a, b;

	selfmon_enter(selfmon_region("a"), &a);
	selfmon_enter(selfmon_region("b"), &b);
	selfmon_region_count(rows_unit, 70);
	selfmon_leave(&a);
	selfmon_region_count(rows_unit, 7);
	selfmon_leave(&b);
	cr_assert_eq(counted_by("b", "rows").sum, 77);
	cr_assert_eq(counted_by("b", "rows").min, 77);
	cr_assert_eq(counted_by("a", "rows").sum, 0);
}

static uint32_t handled, stop;

static void count_in_handler(int unused)
{
	(void)unused;
	selfmon_region_count(rows_unit, 1);
	SELFMON_REGION("handler")
		selfmon_region_count(rows_unit, 2);
	selfmon_store_once(&handled, handled + 1);
}

static void *interrupt(void *thread)
{
	while (!selfmon_load_once(&stop)) {
		pthread_kill(*(pthread_t *)thread, SIGUSR1);
		usleep(20);
	}
	return NULL;
}

/* Each handler adds 1 to the region that it interrupts, if there is one. */
Test(region_quantities, of_handlers_are_the_interrupted_visits_or_their_own)
{
	const pthread_t self = pthread_self();
	struct selfmon_report *report;
	pthread_t thread;
	uint64_t sum;
	size_t i;

	signal(SIGUSR1, count_in_handler);
	pthread_create(&thread, NULL, interrupt, (void *)(uintptr_t)&self);
	SELFMON_REGION("outer") {
		while (selfmon_load_once(&handled) < 200)
			visit(1000);
		selfmon_store_once(&stop, 1);
		pthread_join(thread, NULL);
	}
	/* No handler runs any more, so this visit counts exactly 1000. */
	visit(1000);
	report = rows_take();
	rows_check(report);
	sum = 0;
	for (i = 0; i < selfmon_report_row_count(report); i++)
		sum += selfmon_report_row(report, i)
			       ->unit[2] * !strcmp(selfmon_report_row(report, i)
							   ->name, "handler");
	cr_assert_eq(sum, 2 * (uint64_t)handled);
	cr_assert_leq(unit_of(report, "outer", "rows").sum % 1000, handled);
	cr_assert_geq(unit_of(report, "work", "rows").min, 1000);
	selfmon_report_free(report);
}

Test(region_quantities, of_a_child_begin_with_zero)
{
	int status;
	pid_t pid;

	visit(100);
	pid = fork();
	if (!pid) {
		struct selfmon_report_unit unit;

		visit(7);
		unit = counted_by("work", "rows");
		_exit(unit.sum != 7 || unit.min != 7 || unit.max != 7 ||
		      unit.visits != 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	cr_assert_eq(counted_by("work", "rows").sum, 100);
}

Test(region_quantities, of_an_interval_are_its_own)
{
	struct selfmon_report *earlier, *later, *interval;
	struct selfmon_report_unit unit;
	int i;

	visit(1);
	visit(1000);
	earlier = rows_take();
	for (i = 0; i < 10; i++)
		visit(100);
	later = rows_take();
	cr_assert_eq(selfmon_report_subtract(later, earlier, &interval), 0);
	unit = unit_of(interval, "work", "rows");
	cr_assert_eq(unit.sum, 1000);
	cr_assert_eq(unit.visits, 10);
	assert_near(unit.p50, 100);
	assert_near((double)unit.min, 100);
	assert_near((double)unit.max, 100);
	selfmon_report_free(interval);
	selfmon_report_free(later);
	selfmon_report_free(earlier);
}

/*
 * Visits with units end on a path of their own. This must not change the times,
 * and later visits without units must have none.
 */
Test(region_quantities, leave_times_what_they_were)
{
	const struct selfmon_row *row;
	struct selfmon_report *report;
	int i;

	for (i = 1; i <= 1000; i++)
		visit((uint64_t)i);
	for (i = 0; i < 1000; i++)
		SELFMON_REGION_OF(selfmon_region("work"))
			;
	report = rows_take();
	rows_check(report);
	row = ROWS_GET(report, "work");
	cr_assert_eq(row->visits, 2000);
	cr_assert_leq(row->time.min, row->time.max);
	cr_assert_leq(row->time.max, row->time.sum);
	cr_assert_eq(unit_of(report, "work", "rows").visits, 1000);
	selfmon_report_free(report);
}

Test(region_quantities, without_a_region_are_nobodys)
{
	selfmon_region_count(rows_unit, 5000);
	visit(1);
	selfmon_region_count(rows_unit, 5000);
	visit(1);
	cr_assert_eq(counted_by("work", "rows").sum, 2);
}

static void *visit_until_told(void *unused)
{
	while (!selfmon_load_once(&stop))
		visit(3);
	return unused;
}

Test(region_quantities, are_read_with_their_visits_while_the_thread_goes_on)
{
	struct selfmon_report *report;
	struct selfmon_report_unit unit;
	pthread_t thread;
	int i;

	visit(3);
	pthread_create(&thread, NULL, visit_until_told, NULL);
	for (i = 0; i < 200; i++) {
		report = rows_take();
		unit = unit_of(report, "work", "rows");
		cr_assert_eq(unit.sum, 3 * ROWS_GET(report, "work")->visits);
		cr_assert_eq(unit.min, 3);
		cr_assert_eq(unit.max, 3);
		cr_assert_geq(unit.visits * 3, unit.sum);
		selfmon_report_free(report);
	}
	selfmon_store_once(&stop, 1);
	pthread_join(thread, NULL);
}

static void visit_and_die(const char *path)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	uint64_t i;

	options.live = path;
	options.events = "none";
	options.output = NULL;
	if (selfmon_configure(&options))
		_exit(1);
	for (i = 1; i <= 100; i++)
		visit(i);
	SELFMON_REGION_OF(selfmon_region("work")) {
		selfmon_region_count(rows_unit, 5000);
		raise(SIGKILL);
	}
	_exit(1);
}

Test(region_quantities, of_a_killed_process_are_in_its_live_file)
{
	char path[64]; /* the file of a child needs %p in its name */
	struct selfmon_report_unit unit;
	struct selfmon_failure failure;
	struct selfmon_report *report;
	int status, error;
	pid_t pid;

	pid = fork();
	if (!pid)
		visit_and_die("/dev/shm/selfmon-test-units-%p");
	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-units-%d", pid);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	error = selfmon_report_open(path, &report, &failure);
	cr_assert_eq(error, 0, "%s", failure.message);
	unlink(path);
	unit = unit_of(report, "work", "rows");
	cr_assert_eq(unit.sum, 5050);
	cr_assert_eq(unit.visits, 100);
	cr_assert_eq(unit.min, 1);
	cr_assert_eq(unit.max, 100);
	assert_near(unit.p90, 90);
	selfmon_report_free(report);
}

Test(region_quantities, say_what_is_wrong_with_the_request)
{
	struct selfmon_report_unit unit = { .size = sizeof(unit) };
	struct selfmon_report *report;

	visit(1);
	report = rows_take();
	cr_assert_eq(selfmon_report_unit(report, 9, 0, &unit), -ENOENT);
	cr_assert_eq(selfmon_report_unit(report, 0, 9, &unit), -ENOENT);
	unit.size = 8;
	cr_assert_eq(selfmon_report_unit(report, 0, 0, &unit), -EINVAL);
	selfmon_report_free(report);
}
