/* SPDX-License-Identifier: MIT */
/*
 * Tests fibers of one thread: their regions count what ran on the fiber's stack.
 */
#define _GNU_SOURCE
#include "kernel/fiber_work.h"

Test(fibers, count_the_events_of_what_ran_on_their_own_stack)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	struct job job[2];
	int i;

	choose("page-faults");
	warm();
	job_make(&job[0], "small", fault_in_turns);
	job_make(&job[1], "large", fault_in_turns);
	job[0].n = 3;
	job[1].n = 7;
	SELFMON_REGION("loop")
		run_in_turns(job, 2);
	for (i = 0; i < 2; i++)
		job_end(&job[i]);
	report = rows_take();
	rows_check(report);
	row = ROWS_GET(report, "small", "request");
	cr_assert_eq(row->visits, TURNS);
	expect_faults(row, TURNS * (3 + 2));
	row = ROWS_GET(report, "large", "request");
	expect_faults(row, TURNS * (7 + 2));
	row = ROWS_GET(report, "large", "request", "read");
	expect_faults(row, TURNS * 2);
	cr_assert_eq(row->suspended, TURNS);
	cr_assert_gt(row->suspended_ns, 0);
	cr_assert_eq(row->cut_off + row->overlapped + row->switched, 0);
	/* The visits of the thread itself do not include what the jobs did. */
	row = ROWS_GET(report, "loop", "turn");
	cr_assert_eq(row->visits, 2 * (TURNS + 1));
	expect_faults(row, 0);
	cr_assert_null(ROWS_FIND(report, "loop", "turn", "request"));
	row = ROWS_GET(report, "large");
	cr_assert_eq(row->visits, 1);
	cr_assert_eq(row->open, 0);
	cr_assert_eq(row->suspended, TURNS + 1);
	expect_faults(row, TURNS * (7 + 2));
	selfmon_report_free(report);
}

Test(fibers, have_the_time_of_what_ran_and_that_between_beside_it)
{
	struct selfmon_report *report;
	const struct selfmon_row *own, *read;
	struct job job[2];
	int i;

	choose("none");
	warm();
	for (i = 0; i < 2; i++) {
		job_make(&job[i], "job", fault_in_turns);
		job[i].n = 1;
	}
	SELFMON_REGION("loop")
		run_in_turns(job, 2);
	for (i = 0; i < 2; i++)
		job_end(&job[i]);
	report = rows_take();
	rows_check(report);
	own = ROWS_GET(report, "job");
	read = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(own->visits, 2);
	cr_assert_eq(read->visits, 2 * TURNS);
	cr_assert_leq(read->time.sum, own->time.sum);
	cr_assert_leq(read->suspended_ns, own->suspended_ns);
	/* While one fiber is suspended the other one runs. */
	cr_assert_geq(own->suspended_ns + own->suspended, read->time.sum / 2);
	cr_assert(rows_say(report, SELFMON_TEXT, "Suspended while others ran"));
	cr_assert(rows_say(report, SELFMON_CSV, ",suspended,suspended_ns,"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"suspended\": 50, "));
	selfmon_report_free(report);
}

static void count_in_turns(struct job *job)
{
	uint64_t i;

	for (i = 0; i < TURNS; i++)
		SELFMON_REGION("request") {
			selfmon_region_count(rows_unit, job->n);
			job_pause(job);
			selfmon_region_count(rows_unit, 1);
		}
}

/* All fibers have visits open at the same node. */
Test(fibers, count_the_units_of_each_visit)
{
	struct selfmon_report *report;
	struct selfmon_report_unit unit;
	struct job job[3];
	int i;

	choose("none");
	for (i = 0; i < 3; i++) {
		job_make(&job[i], "job", count_in_turns);
		job[i].n = (uint64_t)(10 << 4 * i);
	}
	run_in_turns(job, 3);
	for (i = 0; i < 3; i++)
		job_end(&job[i]);
	report = rows_take();
	unit = rows_counted(report, ROWS_GET(report, "job", "request"),
			    "rows");
	cr_assert_eq(unit.sum, TURNS * (10 + 160 + 2560 + 3));
	cr_assert_eq(unit.visits, TURNS * 3);
	cr_assert_eq(unit.min, 11);
	cr_assert_eq(unit.max, 2561);
	selfmon_report_free(report);
}

static void nest(struct job *job, int depth)
{
	SELFMON_REGION("deeper") {
		if (depth > 1)
			nest(job, depth - 1);
		else
			job_pause(job);
	}
}

static void nest_in_turns(struct job *job)
{
	int i;

	for (i = 0; i < 3; i++)
		nest(job, (int)job->n);
}

Test(fibers, may_be_suspended_at_any_depth)
{
	struct selfmon_report *report;
	uint64_t visits = 0;
	struct job job[2];
	size_t i;

	choose("none");
	job_make(&job[0], "job", nest_in_turns);
	job_make(&job[1], "job", nest_in_turns);
	job[0].n = 1;
	job[1].n = 50;
	run_in_turns(job, 2);
	job_end(&job[0]);
	job_end(&job[1]);
	report = rows_take();
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, i);

		cr_assert_eq(row->cut_off + row->open, 0);
		if (!strcmp(row->name, "deeper"))
			visits += row->visits;
	}
	cr_assert_eq(visits, 3 * (1 + 50));
	selfmon_report_free(report);
}

Test(fibers, one_visit_in_n_of_which_is_measured_are_all_counted)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	struct job job[2];
	int i;

	options.events = "none";
	options.every = 4;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < 2; i++) {
		job_make(&job[i], "job", fault_in_turns);
		job[i].n = 1;
	}
	run_in_turns(job, 2);
	for (i = 0; i < 2; i++)
		job_end(&job[i]);
	report = rows_take();
	row = ROWS_GET(report, "job", "request", "read");
	cr_assert_eq(row->visits, 2 * TURNS);
	cr_assert_lt(row->measured, TURNS);
	cr_assert_eq(ROWS_GET(report, "job")->visits, 2);
	selfmon_report_free(report);
}
