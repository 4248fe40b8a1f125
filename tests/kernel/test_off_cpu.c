/* SPDX-License-Identifier: MIT */
/*
 * Tests @offcpu: compares the context switches of regions with those that the
 * kernel reports. Other tests are in test_off_cpu_lost.c and _time.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/fibers.h"
#include "kernel/off_cpu.h"

static void ask(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static void ask_off_cpu(void)
{
	ask("@offcpu");
}

TestSuite(off_cpu, .init = ask_off_cpu);

/* ---- one thread ---------------------------------------------------------- */

Test(off_cpu, counts_what_the_kernel_counts)
{
	struct selfmon_row row;
	struct usages usages;

	usages.outer[0] = usage_now();
	SELFMON_REGION("naps") {
		usages.inner[0] = usage_now();
		nap(50);
		usages.inner[1] = usage_now();
	}
	usages.outer[1] = usage_now();
	row = row_of("naps");
	assert_between(&row, &usages);
	cr_assert_gt(row.switches - row.preemptions, 0);
	cr_assert_gt(row.blocked_ns, 0);
	cr_assert_leq(row.blocked_ns + row.preempted_ns, row.time.sum);
}

static void *spin_until(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

static void pin_to_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)sched_getcpu(), &set);
	cr_assert_eq(sched_setaffinity(0, sizeof(set), &set), 0);
}

Test(off_cpu, distinguishes_preempted_from_blocked)
{
	struct selfmon_row row;
	struct usages usages;
	pthread_t spinner;
	int stop = 0;

	pin_to_one_cpu();
	pthread_create(&spinner, NULL, spin_until, &stop);
	usages.outer[0] = usage_now();
	SELFMON_REGION("beside") {
		usages.inner[0] = usage_now();
		do
			usages.inner[1] = usage_now();
		while (usages.inner[1].preempted <
		       usages.inner[0].preempted + 3);
	}
	usages.outer[1] = usage_now();
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(spinner, NULL);
	row = row_of("beside");
	assert_between(&row, &usages);
	cr_assert_geq(row.preemptions, 3);
	cr_assert_eq(row.switches, row.preemptions);
	cr_assert_gt(row.preempted_ns, 0);
	cr_assert_eq(row.blocked_ns, 0);
}

Test(off_cpu, goes_to_the_regions_that_were_open)
{
	uint64_t around, sleeps = 0;
	int i;

	nap(3); /* outside of all regions */
	SELFMON_REGION("around") {
		around = nap(2);
		for (i = 0; i < 10; i++)
			SELFMON_REGION("sleeps")
				sleeps += nap(1);
		for (i = 0; i < 1000; i++)
			SELFMON_REGION("runs")
				selfmon_compiler_fence();
		around += nap(1);
	}
	nap(3);
	SELFMON_REGION("after")
		selfmon_compiler_fence();
	cr_assert_gt(sleeps, 0);
	cr_assert_eq(naps_of("around"), around + sleeps);
	cr_assert_eq(naps_of("sleeps"), sleeps);
	cr_assert_eq(naps_of("runs"), 0);
	cr_assert_eq(naps_of("after"), 0);
}

/*
 * naps[0] is the number of naps in the outermost visit, which includes all
 * others.
 */
static void recurse(int depth, uint64_t *naps)
{
	SELFMON_REGION_OF(selfmon_region("deep")) {
		naps[0] = nap(1);
		if (depth) {
			recurse(depth - 1, naps + 1);
			naps[0] += naps[1];
		}
	}
}

Test(off_cpu, is_in_each_level_of_a_recursion)
{
	struct selfmon_report *report;
	uint64_t naps[5];
	size_t i;

	recurse(4, naps);
	report = rows_take();
	for (i = 0; i < 5; i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, i);

		cr_assert_str_eq(row->name, "deep");
		cr_assert_eq(row->switches - row->preemptions, naps[i]);
	}
	selfmon_report_free(report);
}

Test(off_cpu, is_read_with_counters_by_system_call_too)
{
	const uint64_t before = usage_now().blocked;
	uint64_t naps, counted, all;

	ask(" page-faults , @offcpu,context-switches:k");
	SELFMON_REGION("counted")
		naps = nap(4);
	all = usage_now().blocked - before;
	SELFMON_REGION("counted, none")
		selfmon_compiler_fence();
	counted = naps_of("counted");
	/* On a busy machine the thread may also block at the region's ends. */
	cr_assert(counted >= naps && counted <= all,
		  "blocked %lu times, %lu in naps, %lu in all",
		  (unsigned long)counted, (unsigned long)naps,
		  (unsigned long)all);
	cr_assert_eq(naps_of("counted, none"), 0);
}

Test(off_cpu, is_in_an_interval)
{
	struct selfmon_report *first, *second, *between;
	struct selfmon_row row;
	uint64_t naps;

	SELFMON_REGION_OF(selfmon_region("turn"))
		nap(3);
	first = rows_take();
	SELFMON_REGION_OF(selfmon_region("turn"))
		naps = nap(2);
	second = rows_take();
	cr_assert_eq(selfmon_report_subtract(second, first, &between), 0);
	row = row_in(between, "turn");
	cr_assert_eq(row.switches - row.preemptions, naps);
	selfmon_report_free(first);
	selfmon_report_free(second);
	selfmon_report_free(between);
}

Test(off_cpu, is_in_every_format)
{
	struct selfmon_report *report;

	SELFMON_REGION("nap")
		nap(2);
	report = rows_take();
	cr_assert(rows_say(report, SELFMON_TEXT, "Off the CPU"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"off_cpu\": true"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"preemptions\": "));
	cr_assert(rows_say(report, SELFMON_CSV,
			   ",blocked_ns,preempted_ns,switches,preemptions"));
	selfmon_report_free(report);
}

/* ---- handlers, threads, fibers, processes -------------------------------- */

static uint64_t handlers;

static void on_alarm(int signal)
{
	(void)signal;
	SELFMON_REGION("handler")
		handlers = nap(2);
}

Test(off_cpu, goes_to_a_handlers_region_and_to_the_one_below)
{
	struct usage before, after;

	signal(SIGALRM, on_alarm);
	SELFMON_REGION("warm")
		nap(1);
	before = usage_now();
	SELFMON_REGION("interrupted")
		raise(SIGALRM);
	after = usage_now();
	cr_assert_eq(naps_of("handler"), handlers);
	cr_assert_geq(naps_of("interrupted"), handlers);
	cr_assert_leq(naps_of("interrupted"), after.blocked - before.blocked);
}

static void *sleep_in_thread(void *naps)
{
	SELFMON_REGION_OF(selfmon_region("thread"))
		*(uint64_t *)naps += nap(5);
	return NULL;
}

Test(off_cpu, is_kept_by_a_state_that_several_threads_have)
{
	uint64_t naps = 0;
	pthread_t thread;
	int i;

	for (i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, sleep_in_thread, &naps);
		pthread_join(thread, NULL);
	}
	cr_assert_gt(naps, 0);
	cr_assert_eq(naps_of("thread"), naps);
}

static void job_naps(struct job *job)
{
	SELFMON_REGION("in the job") {
		job->n = nap(3);
		job_pause(job);
		job->n += nap(4);
	}
}

Test(off_cpu, goes_to_the_fiber_that_ran)
{
	uint64_t outside;
	struct job job;

	SELFMON_REGION("outside") {
		job_make(&job, "job", job_naps);
		job_run(&job);
		outside = nap(2);
		job_run(&job);
	}
	cr_assert_eq(naps_of("in the job"), job.n);
	cr_assert_eq(naps_of("job"), job.n);
	cr_assert_eq(naps_of("outside"), outside);
	job_end(&job);
}

static int wait_for(pid_t child)
{
	int status;

	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

Test(off_cpu, begins_anew_in_a_forked_child)
{
	uint64_t naps, later;
	pid_t child;

	SELFMON_REGION("parent")
		naps = nap(3);
	child = fork();
	if (child == 0) {
		struct selfmon_report *report;
		struct selfmon_row row;

		SELFMON_REGION("child")
			later = nap(2);
		report = rows_take();
		row = *selfmon_report_row(report, 0);
		_exit(selfmon_report_row_count(report) != 1 ||
		      row.switches - row.preemptions != later);
	}
	cr_assert_eq(wait_for(child), 0);
	SELFMON_REGION("parent, later")
		later = nap(1);
	cr_assert_eq(naps_of("parent"), naps);
	cr_assert_eq(naps_of("parent, later"), later);
}

static void live_until_killed(uint64_t *naps)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "@offcpu";
	options.output = NULL;
	options.live = "/dev/shm/selfmon-off-cpu-%p";
	selfmon_configure(&options);
	SELFMON_REGION("alive")
		*naps = nap(6);
	kill(getpid(), SIGKILL);
}

Test(off_cpu, survives_in_a_live_file)
{
	struct selfmon_report *report;
	struct selfmon_row row;
	struct selfmon_failure failure;
	char path[64];
	uint64_t *const naps = mmap(NULL, sizeof(*naps),
				    PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const pid_t child = fork();

	if (child == 0)
		live_until_killed(naps);
	cr_assert(WIFSIGNALED(wait_for(child)));
	snprintf(path, sizeof(path), "/dev/shm/selfmon-off-cpu-%d", child);
	cr_assert_eq(selfmon_report_open(path, &report, &failure), 0, "%s",
		     failure.message);
	row = row_in(report, "alive");
	cr_assert_gt(*naps, 0);
	cr_assert_eq(row.switches - row.preemptions, *naps);
	cr_assert_gt(row.blocked_ns, 0);
	cr_assert(rows_say(report, SELFMON_TEXT, "Off the CPU"));
	selfmon_report_free(report);
	unlink(path);
}

/* ---- refusals ------------------------------------------------------------ */

/*
 * Without a free descriptor a thread has no ring. It measures time alone, and
 * the report says that its time off the CPU was not recorded.
 */
Test(off_cpu, says_which_threads_have_none)
{
	struct selfmon_report *report;
	struct rlimit limit, none;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	SELFMON_REGION("nap")
		nap(2);
	setrlimit(RLIMIT_NOFILE, &limit);
	report = rows_take();
	cr_assert_eq(selfmon_report_row(report, 0)->measured, 1);
	cr_assert_eq(selfmon_report_row(report, 0)->switches, 0);
	cr_assert(rows_say(report, SELFMON_JSON, "\"no_off_cpu\": 1,"));
	cr_assert(rows_say(report, SELFMON_TEXT,
			   "did not record when they were off the CPU"));
	selfmon_report_free(report);
}

Test(off_cpu, is_not_recorded_of_one_visit_in_n)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "@offcpu";
	options.every = 10;
	cr_assert_eq(selfmon_configure(&options), 0);
	SELFMON_REGION("nap")
		nap(1);
	report = rows_take();
	cr_assert(rows_say(report, SELFMON_TEXT, "@offcpu is not recorded"));
	cr_assert_not(rows_say(report, SELFMON_TEXT, "Off the CPU"));
	selfmon_report_free(report);
}

Test(off_cpu, is_no_event_of_a_set)
{
	struct selfmon_failure failure;
	struct selfmon_events events;

	cr_assert_eq(selfmon_events_parse("cs,@offcpu", &events, &failure),
		     -ENOENT);
	cr_assert(strstr(failure.message, "SELFMON_EVENTS"));
}
