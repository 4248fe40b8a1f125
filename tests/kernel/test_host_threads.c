/* SPDX-License-Identifier: MIT */
/*
 * Tests many threads: the resources that they use and release, and their ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "holdings.h"
#include "holds.h"
#include "store/process.h"
#include "rows.h"
#include "sanitizer.h"

#define STACK_SIZE ((size_t)128 << 10)
#define AT_ONCE 2000

static void configure(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void visit(void)
{
	SELFMON_REGION("outer")
	{
		SELFMON_REGION("inner")
		{
		}
	}
}

static void start(pthread_t *thread, void *(*body)(void *), void *argument)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	cr_assert_eq(pthread_create(thread, &attr, body, argument), 0);
	pthread_attr_destroy(&attr);
}

static void *visit_once(void *unused)
{
	visit();
	return unused;
}

static pthread_barrier_t visited;

/*
 * Makes threads open their events one after the other. Threads that open events
 * at the same time may exceed the library's limit of descriptors.
 */
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;

static void *visit_and_wait(void *unused)
{
	pthread_mutex_lock(&first);
	visit();
	pthread_mutex_unlock(&first);
	pthread_barrier_wait(&visited); /* all have visited ... */
	pthread_barrier_wait(&visited); /* ... and may go */
	visit();
	return unused;
}

static void waves(int at_once, int times)
{
	pthread_t thread[AT_ONCE];
	int i;

	pthread_barrier_init(&visited, NULL, (unsigned int)at_once + 1);
	while (times-- > 0) {
		for (i = 0; i < at_once; i++)
			start(&thread[i], visit_and_wait, NULL);
		pthread_barrier_wait(&visited);
		pthread_barrier_wait(&visited);
		for (i = 0; i < at_once; i++)
			pthread_join(thread[i], NULL);
	}
	pthread_barrier_destroy(&visited);
}

Test(host_threads, thousands_come_and_go_and_none_is_lost, .timeout = 600)
{
	const int at_once = by_form(200, 200, AT_ONCE), times = 5;
	const uint64_t visits = 2 * (uint64_t)(at_once * times) + 1;
	struct selfmon_report *report;
	struct holdings before;

	configure("page-faults,task-clock");
	visit();
	before = holdings_now();
	waves(at_once, times);
	holdings_assert_back(&before);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, visits);
	cr_assert_eq(ROWS_GET(report, "outer")->counter[0].visits, visits);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, visits);
	cr_assert_eq(selfmon_process()->alive_max, (uint64_t)at_once + 1);
	cr_assert_eq(selfmon_process()->alive, 1);
	selfmon_report_free(report);
}

/*
 * Returns the resident size from the page tables. Before Linux 6.2, each thread
 * adds its new pages to statm's counter with a delay (kernel mm/memory.c,
 * add_mm_counter_fast).
 */
static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	long kib = -1;
	char line[128];

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Rss: %ld kB", &kib) == 1)
			break;
	fclose(file);
	cr_assert_geq(kib, 0);
	return kib;
}

static void run_threads(int count)
{
	pthread_t thread;

	while (count-- > 0) {
		start(&thread, visit_once, NULL);
		pthread_join(thread, NULL);
	}
}

static void assert_short_threads_leave_nothing(int threads)
{
	struct holdings before;
	long resident;

	visit();
	run_threads(200);
	before = holdings_now();
	resident = resident_kib();
	run_threads(threads);
	holdings_assert_flat(&before);
	cr_assert_lt(resident_kib() - resident, 256, "%ld KiB more",
		     resident_kib() - resident);
}

Test(host_threads, short_threads_leave_nothing_behind, .timeout = 600)
{
	SKIP_IF_SANITIZED("it keeps what was freed");
	configure("page-faults,task-clock");
	assert_short_threads_leave_nothing(by_form(500, 2000, 100000));
}

/*
 * hold_a_quarter() opens sets until the library holds a quarter of the
 * descriptors that this limit allows. From then on, software events map their
 * pages and close their descriptors (counters/group.c). The library may hold at
 * most half of the limit.
 */
#define PAGED_LIMIT 128
#define PAGED_SETS 20 /* each of two events; one or both keep a descriptor */

static void hold_a_quarter(void)
{
	struct rlimit limit = { PAGED_LIMIT, PAGED_LIMIT };
	struct selfmon_counters *set;
	int i;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (i = 0; i < PAGED_SETS; i++)
		cr_assert_eq(selfmon_counters_open("page-faults,task-clock", 0,
						   &set, NULL), 2);
}

static void *visit_and_count_pages(void *pages)
{
	visit();
	*(size_t *)pages = holdings_now().maps;
	return NULL;
}

Test(host_threads, nor_do_short_threads_with_pages, .timeout = 600)
{
	size_t before, pages = 0;
	pthread_t thread;

	SKIP_IF_SANITIZED("it keeps what was freed");
	configure("page-faults,task-clock");
	hold_a_quarter();
	before = holdings_now().maps;
	start(&thread, visit_and_count_pages, &pages);
	pthread_join(thread, NULL);
	cr_assert_gt(pages, before, "the thread had no page");
	assert_short_threads_leave_nothing(by_form(500, 2000, 100000));
}

/*
 * With so few descriptors, the library's half is soon used up, and later
 * threads count nothing.
 */
#define FEW 64

Test(host_threads, half_of_the_descriptors_are_the_hosts)
{
	struct rlimit limit = { FEW, FEW };
	struct selfmon_report *report;
	char *text = NULL;
	size_t size, i;
	int files = 0;
	FILE *stream;

	SKIP_IF_SANITIZED("it has files of its own");
	configure("page-faults");
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	visit();
	pthread_barrier_init(&visited, NULL, FEW + 1);
	for (i = 0; i < FEW; i++) {
		pthread_t thread;

		start(&thread, visit_and_wait, NULL);
		pthread_detach(thread);
	}
	pthread_barrier_wait(&visited);
	cr_assert_eq(holds_events_from(0), FEW / 2);
	while (open("/dev/null", O_RDONLY) >= 0)
		files++;
	cr_assert_geq(files, FEW / 2 - 16);
	for (i = 0; i < (size_t)files; i++)
		close(FEW - 1 - (int)i);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, FEW + 1);
	cr_assert_eq(ROWS_GET(report, "outer")->counter[0].visits, FEW / 2);
	stream = open_memstream(&text, &size);
	selfmon_report_write(report, SELFMON_TEXT, stream);
	fclose(stream);
	cr_assert(strstr(text, "33 threads measured only time: "), "%s",
		  text);
	cr_assert(strstr(text, "RLIMIT_NOFILE"), "%s", text);
	cr_assert(strstr(text, "ulimit -n 65536"), "%s", text);
	free(text);
	selfmon_report_free(report);
}

/* ---- the ends of threads ------------------------------------------------ */

static pthread_key_t early, late;
static int rounds;

static void visit_early(void *unused)
{
	(void)unused;
	visit();
}

static void visit_late(void *left)
{
	visit();
	/* If a destructor sets its key again, it is called again. */
	if (rounds++ == 0)
		pthread_setspecific(late, left);
}

static void *end_with_destructors(void *unused)
{
	visit();
	pthread_setspecific(early, &early);
	pthread_setspecific(late, &late);
	return unused;
}

/* The first visit creates the library's key, between the two other keys. */
Test(host_threads, destructors_before_and_after_the_librarys_own_may_visit)
{
	struct selfmon_report *report;
	struct holdings before;
	pthread_t thread;

	configure("page-faults,task-clock");
	cr_assert_eq(pthread_key_create(&early, visit_early), 0);
	visit();
	cr_assert_eq(pthread_key_create(&late, visit_late), 0);
	before = holdings_now();
	start(&thread, end_with_destructors, NULL);
	pthread_join(thread, NULL);
	holdings_assert_back(&before);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "outer")->visits, 1 + 1 + 1 + 2);
	cr_assert_eq(ROWS_GET(report, "outer")->counter[0].visits, 5);
	cr_assert_eq(ROWS_GET(report, "outer")->cut_off, 0);
	/*
	 * Four attaches: one of this thread, one of the other thread's own
	 * visit, and one in each of its two rounds of destructors.
	 */
	cr_assert_eq(selfmon_process()->attached, 1 + 1 + 2);
	cr_assert_eq(selfmon_process()->alive, 1);
	selfmon_report_free(report);
}

static void *visit_for_ever(void *unused)
{
	for (;;)
		visit();
	return unused;
}

static void exit_among_threads(void)
{
	pthread_t thread;
	int i;

	setenv("SELFMON_OUTPUT", "text:/dev/null", 1);
	setenv("SELFMON_EVENTS", "task-clock", 1);
	for (i = 0; i < 8; i++) {
		start(&thread, visit_for_ever, NULL);
		pthread_detach(thread);
	}
	visit();
	exit(0);
}

Test(host_threads, detached_threads_may_visit_while_the_program_exits,
     .timeout = 1200)
{
	int times = by_form(10, 20, 500), status;
	pid_t pid;

	SKIP_IF_SANITIZED("it does not support threads that run during exit");
	while (times-- > 0) {
		pid = fork();
		if (pid == 0) {
			alarm(60);
			exit_among_threads();
		}
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_assert_eq(status, 0, "%x", (unsigned int)status);
	}
}
