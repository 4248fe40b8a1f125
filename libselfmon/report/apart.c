/* SPDX-License-Identifier: MIT */
/*
 * Rows by thread: each thread is a row at the top level, whose values are the
 * sums of its regions below. A thread has a row of its own if no other thread
 * used the same state, and if the number of the state is below
 * SELFMON_THREADS_APART. All other threads share one row.
 */
#include "report/apart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/add.h"
#include "report/columns.h"
#include "report/gather_samples.h"
#include "report/net_values.h"
#include "report/order.h"
#include "report/recorded.h"
#include "report/units.h"

/*
 * For each index k of selfmon_gather_thread(): the index of the row + 1; 0 if
 * there is no row yet.
 */
struct tops {
	size_t row[1 + SELFMON_THREADS_APART];
};

static size_t top_row(struct selfmon_report *made, struct tops *tops, size_t k,
		      const struct selfmon_gathered_thread *thread)
{
	struct selfmon_row *row;

	if (tops->row[k])
		return tops->row[k] - 1;
	row = &made->row[made->rows];
	memset(row, 0, sizeof(*row));
	row->name = row->file = "";
	row->parent = -1;
	memset(&made->detail[made->rows], 0, sizeof(*made->detail));
	made->detail[made->rows].thread = *thread;
	tops->row[k] = ++made->rows;
	return made->rows - 1;
}

/*
 * Sets the self values, units and samples of a thread's row to 0: only regions
 * are measured, so all of them belong to the regions.
 */
static void has_no_self(struct selfmon_row *row,
			struct selfmon_row_detail *detail)
{
	size_t k;

	row->exclusive_valid = true;
	row->bytes = row->items = row->samples = 0;
	memset(row->unit, 0, sizeof(row->unit));
	selfmon_row_units_free(detail);
	row->time.exclusive = 0;
	row->time.net_exclusive = 0;
	for (k = 0; k < SELFMON_MAX_COUNTERS; k++) {
		row->counter[k].exclusive = 0;
		row->counter[k].net_exclusive = 0;
	}
}

static uint32_t threads_of_row(const struct selfmon_row_detail *detail)
{
	const uint64_t threads = detail->thread.threads;

	return threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
}

static int add_tops(struct selfmon_report *made,
		    const struct selfmon_gather_apart *apart)
{
	const size_t regions = made->rows;
	struct tops tops = { .row = { 0 } };
	size_t i;
	int error = 0;

	for (i = 0; i < regions && !error; i++) {
		struct selfmon_row *const row = &made->row[i];
		size_t k, top;

		if (row->parent >= 0)
			continue;
		k = (size_t)(-2 - row->parent);
		top = top_row(made, &tops, k, &apart->thread[k]);
		error = selfmon_row_add(&made->row[top], &made->detail[top],
					row, &made->detail[i], made->columns);
		row->parent = (int32_t)top;
	}
	for (i = regions; i < made->rows && !error; i++) {
		has_no_self(&made->row[i], &made->detail[i]);
		made->row[i].threads = threads_of_row(&made->detail[i]);
		error = selfmon_row_settle_sum(made, i);
	}
	return error;
}

/*
 * Makes room for the rows of threads: one for each thread with a row of its
 * own, and one for all others.
 */
static int make_top_room(struct selfmon_report *made)
{
	const size_t room = made->rows + 1 + SELFMON_THREADS_APART;
	struct selfmon_row_detail *detail;
	struct selfmon_row *row;

	row = realloc(made->row, room * sizeof(*row));
	if (!row)
		return -ENOMEM;
	made->row = row;
	detail = realloc(made->detail, room * sizeof(*detail));
	if (!detail)
		return -ENOMEM;
	made->detail = detail;
	return 0;
}

static bool is_main(const struct selfmon_report *report,
		    const struct selfmon_gathered_thread *thread)
{
	return thread->tid == (uint32_t)report->pid;
}

/*
 * Returns true if the thread has the same name as the main thread. A thread
 * inherits the name of its creator, so this name does not identify the thread.
 */
static bool is_named_as_main(const struct selfmon_report *report,
			     const char *name)
{
	size_t i;

	for (i = 0; i < report->rows; i++) {
		const struct selfmon_gathered_thread *const thread =
			&report->detail[i].thread;

		if (thread->threads && is_main(report, thread) &&
		    !strcmp(name, thread->name))
			return true;
	}
	/*
	 * The main thread may have no region, so compares with the program's
	 * name. The kernel truncates names of threads.
	 */
	return !strncmp(name, report->program, SELFMON_THREAD_NAME - 1);
}

static void name_thread(const struct selfmon_report *report,
			struct selfmon_row_detail *detail)
{
	const struct selfmon_gathered_thread *const thread = &detail->thread;
	const char *name = thread->name;

	if (!*name || is_named_as_main(report, name))
		name = "thread";
	if (is_main(report, thread))
		name = "main";
	if (thread->tid)
		snprintf(detail->others, sizeof(detail->others), "%s %lu", name,
			 (unsigned long)thread->tid);
	else
		snprintf(detail->others, sizeof(detail->others),
			 "other threads (%llu)",
			 (unsigned long long)thread->threads);
}

/*
 * Call when rows are in their final places, since names point into row details.
 */
static void name_threads(struct selfmon_report *made)
{
	size_t i;

	for (i = 0; i < made->rows; i++) {
		struct selfmon_row_detail *const detail = &made->detail[i];

		if (!detail->thread.threads)
			continue;
		name_thread(made, detail);
		made->row[i].name = detail->others;
	}
}

/* Copies what belongs to the report and not to a row, except samples. */
static void take_counts(struct selfmon_gather *to,
			const struct selfmon_gather *from)
{
	to->named = from->named;
	to->too_deep = from->too_deep;
	to->unready = from->unready;
	to->displaced = from->displaced;
	to->evicted = from->evicted;
	to->uncounted = from->uncounted;
	to->unread = from->unread;
}

static int settle_apart(struct selfmon_report *made,
			const struct selfmon_report *report)
{
	const struct selfmon_recorded *const recorded = report->recorded;
	struct selfmon_gather_apart *const apart = recorded->gather.apart;
	int error;

	take_counts(&apart->gather, &recorded->gather);
	memcpy(made->column, recorded->column, sizeof(made->column));
	made->total_ns = 0;
	error = selfmon_report_settle_values(made, &apart->gather,
					     &recorded->calibration,
					     &recorded->clock);
	made->notes = report->notes;
	if (error || !made->rows)
		return error;
	selfmon_report_columns_as_asked(made);
	/*
	 * Must precede add_tops(), which adds up the samples of these rows for
	 * each thread.
	 */
	selfmon_samples_add_up(made);
	error = make_top_room(made);
	if (!error)
		error = add_tops(made, apart);
	if (!error)
		error = selfmon_report_order(made);
	if (!error)
		name_threads(made);
	return error;
}

int selfmon_report_apart(struct selfmon_report *report)
{
	struct selfmon_report *const made = selfmon_report_empty(report, 0);
	int error;

	if (!made)
		return -ENOMEM;
	free(made->row);
	free(made->detail);
	made->row = NULL;
	made->detail = NULL;
	error = settle_apart(made, report);
	selfmon_gather_free_apart(&report->recorded->gather);
	if (error)
		selfmon_report_free_empty(made);
	else
		report->apart = made;
	return error;
}
