/* SPDX-License-Identifier: MIT */
/*
 * Tests a fiber that enters regions on one thread and leaves them on another,
 * inside one function. Exits with 1 if a visit is recorded wrongly, and with 3
 * if a function still saw the first thread after the move.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "functions.h"

#define MOVES 50
#define VISITS (3 * MOVES)

struct job {
	ucontext_t context, *back;
	struct selfmon_fiber *fiber;
	bool done;
};

static struct job job;
static char stack[256 << 10];
static void *seen[2];

static void swap_stacks(struct job *this)
{
	swapcontext(&this->context, this->back);
}

static void move(struct job *this)
{
	selfmon_fiber_switch(NULL);
	swap_stacks(this);
}

static void work(void)
{
	int i;

	migrate_self(&job, move, seen);
	for (i = 0; i < MOVES; i++) {
		migrate_region(&job, move);
		migrate_span(&job, move, selfmon_region("span"));
		migrate_switch(&job, swap_stacks);
	}
	job.done = true;
	move(&job);
}

static void *run_job(void *unused)
{
	ucontext_t here;

	job.back = &here;
	selfmon_fiber_switch(job.fiber);
	swapcontext(&here, &job.context);
	return unused;
}

/* Runs the job to its end, alternately on this thread and on a new one. */
static int run_in_two_threads(void)
{
	pthread_t thread;

	while (!job.done) {
		run_job(NULL);
		if (pthread_create(&thread, NULL, run_job, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	selfmon_fiber_destroy(job.fiber);
	return 0;
}

static const struct selfmon_row *row_named(const struct selfmon_report *report,
					   const char *name)
{
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			return selfmon_report_row(report, i);
	return NULL;
}

static int expect(const struct selfmon_report *report, const char *name,
		  uint64_t suspended)
{
	const struct selfmon_row *const row = row_named(report, name);

	if (!row) {
		printf("migrate: %s: no row\n", name);
		return 1;
	}
	if (row->visits == MOVES && row->suspended == suspended &&
	    row->open + row->cut_off + row->overlapped + row->lost +
			    row->switched == 0)
		return 0;
	printf("migrate: %s: %llu visits, %llu times suspended, %llu open, "
	       "%llu cut off\n", name, (unsigned long long)row->visits,
	       (unsigned long long)row->suspended,
	       (unsigned long long)row->open, (unsigned long long)row->cut_off);
	return 1;
}

static int expect_all(void)
{
	struct selfmon_report *report;
	int bad;

	if (selfmon_report_take(&report))
		return 1;
	bad = expect(report, "moved", MOVES) + expect(report, "first", 0) +
	      expect(report, "second", 0) + expect(report, "span", MOVES) +
	      expect(report, "around", MOVES) + expect(report, "after", 0);
	selfmon_report_free(report);
	return bad;
}

int main(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "none";
	options.output = NULL;
	if (selfmon_configure(&options))
		return 2;
	job.fiber = selfmon_fiber_create("job");
	getcontext(&job.context);
	job.context.uc_stack.ss_sp = stack;
	job.context.uc_stack.ss_size = sizeof(stack);
	makecontext(&job.context, work, 0);
	if (run_in_two_threads() || expect_all())
		return 1;
	return seen[0] == seen[1] ? 3 : 0;
}
