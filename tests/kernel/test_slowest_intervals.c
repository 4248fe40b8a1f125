/* SPDX-License-Identifier: MIT */
/*
 * Tests the slowest visits of an interval, that is, since the last report. A
 * report also has the slowest visits since the start of the process.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/slow.h"
#include "report/recorded.h"
#include "session/thread.h"
#include "store/name.h"
#include "store/self.h"

static struct selfmon_report *between(const struct selfmon_report *later,
				      const struct selfmon_report *earlier)
{
	struct selfmon_report *interval;

	cr_assert_eq(selfmon_report_subtract(later, earlier, &interval), 0);
	cr_assert_not_null(interval->slow);
	return interval;
}

static void visits(const char *name, uint64_t ns, size_t n)
{
	while (n--)
		visit(name, ns);
}

/*
 * Before the interval there are 10 slower visits, more than the library keeps.
 */
Test(slowest_intervals, have_their_own_visits)
{
	struct selfmon_report *before, *after, *interval;
	const struct selfmon_slow *first = NULL;
	size_t i;

	record();
	visits("a", LONG_NS, 10);
	before = rows_take();
	visits("a", LONG_NS / 20, 10);
	after = rows_take();
	interval = between(after, before);
	cr_expect_not(interval->slow->incomplete);
	cr_assert_eq(kept(interval, "a", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++) {
		cr_expect_geq(first[i].begin_ns, 10 * LONG_LEAST_NS);
		if (i)
			cr_expect_leq(first[i].ns, first[i - 1].ns);
	}
	cr_expect_eq(ROWS_GET(interval, "a")->visits, 10);
	/*
	 * Since the start, the slowest visits are mostly those before the
	 * interval.
	 */
	cr_assert_eq(kept(after, "a", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect_geq(first[i].ns, LONG_LEAST_NS);
	selfmon_report_free(before);
	selfmon_report_free(after);
	cr_expect(rows_say(interval, SELFMON_TEXT, "Slowest visits (\"after\""));
	cr_expect(rows_say(interval, SELFMON_JSON,
			   "\"slowest_incomplete\": false"));
	selfmon_report_free(interval);
}

static int by_fall(const void *a, const void *b)
{
	const uint64_t *const x = a, *const y = b;

	return (*x < *y) - (*x > *y);
}

/* Expects the slowest of these n times in the report. Sorts the times. */
static void check_slowest(const struct selfmon_report *report,
			  const struct selfmon_clock *clock, const char *name,
			  uint64_t *ticks, size_t n)
{
	const struct selfmon_slow *first = NULL;
	size_t i;

	qsort(ticks, n, sizeof(*ticks), by_fall);
	if (n > SELFMON_SLOW_VISITS)
		n = SELFMON_SLOW_VISITS;
	cr_assert_eq(kept(report, name, &first), n);
	for (i = 0; i < n; i++)
		cr_expect_eq(first[i].ns, selfmon_clock_ns(clock, ticks[i]));
}

/* Returns the node of a region in the thread's tree, or NULL. */
static struct selfmon_node *find_node(const char *name)
{
	struct selfmon_node *node = selfmon_thread_attach()->root->next;

	while (node && strcmp(selfmon_name_of(node->region)->site.name, name))
		node = node->next;
	return node;
}

/* Makes a visit, and returns its time in ticks. */
static uint64_t timed_visit(const char *name, uint64_t ns)
{
	const struct selfmon_node *node = find_node(name);
	const uint64_t before = node ? node->stats->ticks.sum : 0;

	visit(name, ns);
	return find_node(name)->stats->ticks.sum - before;
}

/* In each round, two regions have visits of random times. */
static void check_rounds(void)
{
	static uint64_t ticks[2][500], all[2][6 * 500];
	static const char *const name[2] = { "x", "y" };
	struct selfmon_report *before, *after, *interval;
	size_t round, n, sum = 0, i, k;
	uint64_t state = 1;

	before = rows_take();
	for (round = 0; round < 6; round++) {
		n = round == 3 ? 5 : round == 4 ? 0 : 500;
		for (i = 0; i < n; i++)
			for (k = 0; k < 2; k++) {
				state = state * 6364136223846793005u + 1;
				ticks[k][i] = all[k][sum + i] = timed_visit(
					name[k],
					(state >> 33) % 20000 >> round);
			}
		sum += n;
		after = rows_take();
		interval = between(after, before);
		for (k = 0; k < 2; k++)
			check_slowest(interval, &after->recorded->clock,
				      name[k], ticks[k], n);
		selfmon_report_free(interval);
		selfmon_report_free(before);
		before = after;
	}
	for (k = 0; k < 2; k++)
		check_slowest(before, &before->recorded->clock, name[k],
			      all[k], sum);
	selfmon_report_free(before);
}

Test(slowest_intervals, have_the_slowest_of_each)
{
	record();
	check_rounds();
}

Test(slowest_intervals, have_the_slowest_of_each_in_a_region)
{
	record();
	SELFMON_REGION("outer")
		check_rounds();
}

/*
 * The library keeps at most 16 visits of a region in 17 slots. So one slot is
 * always free, even if all times are equal.
 */
Test(slowest_intervals, of_equal_times_are_at_most_eight)
{
	struct selfmon_due due;
	struct selfmon_recorded_visit same = { .ticks = 1000000000 };
	struct selfmon_report *before, *after, *interval;
	int round, i;

	record();
	visit("a", 0);
	same.node = find_node("a");
	before = rows_take();
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 20; i++) {
			same.start = selfmon_clock_ticks() - same.ticks;
			same.end = same.start + same.ticks;
			selfmon_recorder_add(selfmon_thread_self(), &same, &due);
		}
		after = rows_take();
		interval = between(after, before);
		cr_expect_eq(kept(interval, "a", NULL), SELFMON_SLOW_VISITS);
		cr_expect_eq(kept(after, "a", NULL), SELFMON_SLOW_VISITS);
		cr_expect_lt(after->recorded->gather.slows, SELFMON_SLOW_SLOTS);
		selfmon_report_free(interval);
		selfmon_report_free(before);
		before = after;
	}
	selfmon_report_free(before);
}

/*
 * An interval without visits has no slowest visits. An interval with few visits
 * has all of them.
 */
Test(slowest_intervals, without_visits_have_none)
{
	struct selfmon_report *before, *after, *interval;

	record();
	visits("a", 0, 20);
	before = rows_take();
	after = rows_take();
	interval = between(after, before);
	cr_expect_eq(interval->slow->visits, 0);
	cr_expect(rows_say(interval, SELFMON_JSON, "\"slowest\": [\n  ]"));
	cr_expect_not(rows_say(interval, SELFMON_TEXT, "Slowest"));
	selfmon_report_free(interval);
	selfmon_report_free(before);
	visits("a", 0, 3);
	before = rows_take();
	interval = between(before, after);
	cr_expect_eq(kept(interval, "a", NULL), 3);
	selfmon_report_free(interval);
	selfmon_report_free(before);
	selfmon_report_free(after);
}

/*
 * There are two readers. If one takes a report within the interval of the other,
 * the other's list may lack visits, and says so.
 */
Test(slowest_intervals, say_if_another_report_was_taken)
{
	struct selfmon_report *before, *other, *after, *interval;
	const struct selfmon_slow *first = NULL;
	uint64_t ended_ns;
	size_t i, found = 0;

	record();
	visits("a", 0, 10);
	before = rows_take();
	visit("a", 10 * LONG_NS);
	other = rows_take();
	visits("a", LONG_NS / 20, 10);
	after = rows_take();
	interval = between(other, before);
	cr_expect_not(interval->slow->incomplete);
	cr_expect_eq(kept(interval, "a", NULL), 1);
	ended_ns = slowest(interval, "a")->ended_ns;
	selfmon_report_free(interval);
	interval = between(after, before);
	cr_expect(interval->slow->incomplete);
	/*
	 * The slow visit before `other` is one of the slowest since the start,
	 * so it is not missing.
	 */
	cr_assert_eq(kept(interval, "a", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		found += first[i].ended_ns == ended_ns;
	cr_expect_eq(found, 1);
	cr_expect(rows_say(interval, SELFMON_TEXT, "another report was taken"));
	cr_expect(rows_say(interval, SELFMON_JSON,
			   "\"slowest_incomplete\": true"));
	selfmon_report_free(interval);
	interval = between(after, other);
	cr_expect_not(interval->slow->incomplete);
	cr_assert_eq(kept(interval, "a", NULL), SELFMON_SLOW_VISITS);
	selfmon_report_free(interval);
	selfmon_report_free(before);
	selfmon_report_free(other);
	selfmon_report_free(after);
}

#define THREADS 4
#define THREAD_VISITS_EACH 4000

static void *visit_until_told(void *stop)
{
	int i;

	for (i = 0; i < THREAD_VISITS_EACH; i++)
		visit("a", (uint64_t)i % 3000);
	__atomic_fetch_add((int *)stop, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* The slowest visit of all is in an interval, even while threads run. */
Test(slowest_intervals, have_each_visit_once_while_threads_run)
{
	struct selfmon_report *before, *after, *interval;
	const struct selfmon_slow *first;
	pthread_t thread[THREADS];
	uint64_t most = 0, last = 0;
	int i, stop = 0;
	bool end;

	record();
	visit("a", 0);
	before = rows_take();
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_until_told,
					    &stop), 0);
	do {
		end = __atomic_load_n(&stop, __ATOMIC_ACQUIRE) == THREADS;
		after = rows_take();
		if (after->unread) { /* a thread is stopped in an update */
			selfmon_report_free(after);
			end = false;
			continue;
		}
		interval = between(after, before);
		first = NULL;
		cr_expect_not(interval->slow->incomplete);
		cr_expect_leq(kept(interval, "a", &first), SELFMON_SLOW_VISITS);
		if (first && first->ns > most)
			most = first->ns;
		cr_expect_geq(after->recorded->gather.slow_serial, last);
		last = after->recorded->gather.slow_serial;
		selfmon_report_free(interval);
		selfmon_report_free(before);
		before = after;
	} while (!end);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	/* The clock's calibration gets more precise with each report. */
	cr_expect_leq(most, slowest(before, "a")->ns * 21 / 20);
	cr_expect_geq(most * 21 / 20, slowest(before, "a")->ns);
	selfmon_report_free(before);
}

Test(slowest_intervals, of_a_child_begin_at_none)
{
	struct selfmon_report *report;
	pid_t child;
	int status;

	record();
	visits("a", 1000, 20);
	selfmon_report_free(rows_take());
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		struct selfmon_report *after, *interval;
		bool right;

		visit("b", 0);
		report = rows_take();
		visits("b", 0, 2);
		after = rows_take();
		right = !selfmon_report_subtract(after, report, &interval) &&
			kept(interval, "b", NULL) == 2 &&
			kept(after, "b", NULL) == 3;
		_exit(!right);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- live files ---------------------------------------------------------- */

static struct selfmon_report *open_live(const char *path)
{
	struct selfmon_report *report;

	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	return report;
}

/*
 * A reader of the file begins no interval. The file has the slowest visits
 * since the last report that the process itself took. So a reader finds new
 * slow visits only among these.
 */
Test(slowest_intervals, of_a_live_file_have_the_new_ones_of_those_kept)
{
	struct selfmon_options options = slow_options("none");
	struct selfmon_report *first, *second, *third, *interval;
	const struct selfmon_slow *slow = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-since-%d",
		 (int)getpid());
	options.live = path;
	cr_assert_eq(selfmon_configure(&options), 0);
	visits("a", 2 * LONG_NS, 6);
	first = open_live(path);
	visits("a", LONG_NS, 2);
	second = open_live(path);
	interval = between(second, first);
	cr_expect_not(interval->slow->incomplete);
	cr_assert_eq(kept(interval, "a", &slow), 2);
	cr_expect_geq(slow->ns, LONG_LEAST_NS);
	selfmon_report_free(interval);
	/* The process takes a report, which begins an interval. */
	selfmon_report_free(rows_take());
	visits("a", LONG_NS / 20, 10);
	third = open_live(path);
	unlink(path);
	interval = between(third, first);
	cr_expect(interval->slow->incomplete);
	cr_expect_eq(kept(interval, "a", NULL), SELFMON_SLOW_VISITS);
	selfmon_report_free(interval);
	interval = between(third, second);
	cr_expect_not(interval->slow->incomplete);
	cr_expect_eq(kept(interval, "a", NULL), SELFMON_SLOW_VISITS);
	selfmon_report_free(interval);
	cr_expect_eq(kept(third, "a", NULL), SELFMON_SLOW_VISITS);
	selfmon_report_free(first);
	selfmon_report_free(second);
	selfmon_report_free(third);
}

/* ---- without recording --------------------------------------------------- */

Test(slowest_intervals, are_none_unless_requested)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *before, *after, *interval;

	options.events = "none";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	before = rows_take();
	visit("a", 0);
	after = rows_take();
	cr_assert_eq(selfmon_report_subtract(after, before, &interval), 0);
	cr_expect_null(interval->slow);
	cr_expect(rows_say(interval, SELFMON_JSON, "\"slowest\": null"));
	selfmon_report_free(before);
	selfmon_report_free(after);
	selfmon_report_free(interval);
}
