/* SPDX-License-Identifier: MIT */
/*
 * Tests fibers with counters: what a fiber executes is counted exactly, on any
 * thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "form.h"
#include "hw.h"
#include "kernel/fibers.h"
#include "rows.h"

#define EVENTS "cycles,instructions"
#define FIBERS 3

/* Iterations of each fiber in one turn. Each iteration has two instructions. */
static const uint64_t turn[FIBERS] = { 1, 50000, 150000 };
static const char *const name[FIBERS] = { "idle", "small", "large" };

static struct job job[FIBERS];
static uint64_t turns;

static HW_NOINLINE void work_in_turns(struct job *this)
{
	uint64_t i;

	SELFMON_REGION("work")
		for (i = 0; i < turns; i++) {
			hw_loop(this->n);
			job_pause(this);
		}
}

/*
 * Skips the test if the set is read by read(2). Such a count includes a part of
 * the return from the kernel, so it would not be exact.
 */
static void prepare(void)
{
	struct selfmon_counters *set;

	hw_require_exact();
	set = hw_open(EVENTS);
	hw_require_user_reads(set);
	selfmon_counters_close(set);
	hw_configure(EVENTS);
}

static void make_jobs(void)
{
	int i;

	for (i = 0; i < FIBERS; i++) {
		job_make(&job[i], name[i], work_in_turns);
		job[i].n = turn[i];
	}
}

static void run_jobs(void)
{
	int i;

	for (i = 0; i < FIBERS; i++)
		job_run(&job[i]);
}

/*
 * Expects that each fiber counts two instructions per iteration, and the same
 * constant part. The idle fiber shows the constant part.
 */
static void expect_turns(uint64_t slack)
{
	struct selfmon_report *const report = rows_take();
	const struct selfmon_quantity *count[FIBERS];
	const struct selfmon_row *row;
	uint64_t cost;
	int i;

	rows_check(report);
	for (i = 0; i < FIBERS; i++) {
		row = ROWS_GET(report, name[i], "work");
		count[i] = &row->counter[1];
		cr_assert_eq(row->visits, 1);
		cr_assert_eq(row->suspended, turns);
		cr_assert_eq(row->lost + row->refused + row->impossible +
				     row->repaired, 0);
		cr_assert_eq(count[i]->verdict, SELFMON_EXACT);
		if (row->retried)
			slack += 500 * row->retried;
	}
	cost = count[0]->sum - 2 * turns;
	printf("a switch costs its fiber %.1f instructions, of which "
		    "%.1f are subtracted\n",
		    (double)cost / (double)turns,
		    ((double)count[0]->sum - count[0]->net) / (double)turns);
	for (i = 1; i < FIBERS; i++) {
		const uint64_t wanted = 2 * turn[i] * turns + cost;

		cr_assert_leq(count[i]->sum, wanted + slack, "%s: %ld more",
			      name[i], (long)(count[i]->sum - wanted));
		cr_assert_geq(count[i]->sum + slack, wanted, "%s: %ld less",
			      name[i], (long)(wanted - count[i]->sum));
	}
	/* The thread's own visit must not include work of the fibers. */
	row = ROWS_GET(report, "scheduler");
	cr_assert_leq(row->counter[1].net, 2000.0 * (double)turns);
	selfmon_report_free(report);
}

Test(hw_fiber, counts_of_fibers_that_take_turns_are_exact, .timeout = 600)
{
	uint64_t i;

	prepare();
	turns = (uint64_t)by_form(200, 500, 10000);
	make_jobs();
	SELFMON_REGION("scheduler")
		for (i = 0; i <= turns; i++)
			run_jobs();
	for (i = 0; i < FIBERS; i++)
		job_end(&job[i]);
	expect_turns(0);
}

static sem_t may_run[2];

static void *run_alternately(void *which)
{
	const int own = *(int *)which;
	uint64_t i;

	SELFMON_REGION("scheduler")
		for (i = (uint64_t)own; i <= turns; i += 2) {
			sem_wait(&may_run[own]);
			run_jobs();
			sem_post(&may_run[!own]);
		}
	return NULL;
}

Test(hw_fiber, counts_of_fibers_that_move_between_threads_are_exact,
     .timeout = 600)
{
	int which[2] = { 0, 1 };
	pthread_t thread[2];
	int i;

	prepare();
	turns = (uint64_t)by_form(200, 500, 10000);
	make_jobs();
	sem_init(&may_run[0], 0, 1);
	sem_init(&may_run[1], 0, 0);
	for (i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, run_alternately,
					    &which[i]), 0);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < FIBERS; i++)
		job_end(&job[i]);
	expect_turns(0);
}
