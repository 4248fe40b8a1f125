/* SPDX-License-Identifier: MIT */
/* Tests the samples of other threads, of fibers, and of forked children. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/fibers.h"
#include "kernel/samples_wanted.h"

/* Minimum CPU time of a thread, long enough for some samples. */
static uint64_t thread_ns;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *visit_in_thread(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < 2000 || cpu_ns() < thread_ns; i++)
		visit_nested();
	return NULL;
}

static void in_threads(void)
{
	pthread_t thread[3];
	int i;

	for (i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_in_thread,
					    NULL), 0);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

Test(samples, of_threads_that_ended_stay)
{
	ask_for(OFTEN);
	thread_ns = 2 * period();
	do {
		in_threads();
	} while (samples_of("a") + samples_of("b") < wanted());
	assert_apart(wanted() / 2);
}

static int stop;

static void *work_until_stopped(void *unused)
{
	(void)unused;
	SELFMON_REGION("a")
		while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
			work_a(SHORT);
	return NULL;
}

/*
 * The main thread and the library's thread read the samples; the visiting
 * thread does not.
 */
Test(samples, of_a_visit_that_does_not_end_are_in_a_report)
{
	pthread_t thread;

	ask_for(OFTEN);
	cr_assert_eq(pthread_create(&thread, NULL, work_until_stopped, NULL),
		     0);
	while (samples_of("a") < 50)
		;
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_apart(25);
}

/*
 * Reports and visits read samples at the same time. The attribution stays
 * correct.
 */
Test(samples, are_attributed_alike_by_another_thread)
{
	pthread_t thread[2];
	int i;

	ask_for(OFTEN);
	do {
		for (i = 0; i < 2; i++)
			cr_assert_eq(pthread_create(&thread[i], NULL,
						    visit_in_thread, NULL), 0);
		for (i = 0; i < 200; i++)
			selfmon_report_free(rows_take());
		for (i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	} while (samples_of("a") + samples_of("b") < wanted());
	assert_apart(wanted() / 2);
}

static int ended;

static void *visit_long_in_thread(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < 50; i++)
		visit_long();
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

Test(samples, of_before_a_visit_are_not_its_own_for_another_thread)
{
	pthread_t thread;

	ask_for(OFTEN);
	long_ns = 2 * period();
	cr_assert_eq(pthread_create(&thread, NULL, visit_long_in_thread, NULL),
		     0);
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		selfmon_report_free(rows_take());
	pthread_join(thread, NULL);
	assert_apart(75);
}

Test(samples, of_a_child_begin_at_zero)
{
	pid_t child;
	int status;

	SKIP_IF_SANITIZED("in a child it still has its parent's threads");
	ask_for(OFTEN);
	until(wanted(), visit_both);
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		const uint64_t before = samples_of("a") + samples_of("b");

		until(50, visit_both);
		_exit(before != 0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	until(wanted() + 50, visit_both);
	assert_apart(wanted() / 2);
}

/* ---- fibers -------------------------------------------------------------- */

static void run_job(struct job *job)
{
	struct selfmon_region *const region = selfmon_region("b");

	for (;;)
		SELFMON_REGION_OF(region) {
			work_b(SHORT);
			job_pause(job);
			work_b(SHORT);
		}
}

static struct job job;

static void visit_beside_job(void)
{
	SELFMON_REGION("a") {
		work_a(SHORT);
		job_run(&job);
		work_a(SHORT);
	}
}

Test(samples, of_a_fiber_are_its_own)
{
	ask_for(OFTEN);
	job_make(&job, "job", run_job);
	until_in_their_code(wanted(), visit_beside_job);
	assert_apart(wanted());
}

static void run_long_job(struct job *own)
{
	struct selfmon_region *const region = selfmon_region("b");

	for (;;)
		SELFMON_REGION_OF(region) {
			work_for(long_ns, work_b);
			job_pause(own);
			work_for(long_ns, work_b);
		}
}

Test(samples, of_a_fiber_that_is_suspended_stay_its_own)
{
	struct selfmon_report *report;
	struct counts outside;
	int i;

	ask_for(ALONE);
	long_ns = 2 * period();
	job_make(&job, "job", run_long_job);
	for (i = 0; i < 20; i++)
		SELFMON_REGION("a") {
			work_a_for(long_ns);
			job_run(&job);
			work_a_for(long_ns);
		}
	assert_apart(30);
	report = rows_take();
	outside = counts_at(report, SELFMON_NO_ROW);
	cr_expect_eq(outside.a + outside.b, 0);
	selfmon_report_free(report);
}
