/* SPDX-License-Identifier: MIT */
/*
 * Takes a report while threads keep running. Only one report is taken at a
 * time.
 */
#include "report/take.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/cancel.h"
#include "report/gather_threads.h"
#include "report/header.h"
#include "report/recorded.h"
#include "report/slow_visits.h"
#include "session/live_facts.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/process.h"
#include "visit/overhead.h"

static int fill_report(struct selfmon_report *report,
		       struct selfmon_process *process, bool apart)
{
	struct selfmon_recorded *const recorded = calloc(1, sizeof(*recorded));
	int error;

	report->recorded = recorded; /* the report owns it and frees it */
	if (!recorded)
		return -ENOMEM;
	recorded->ticks = selfmon_clock_ticks();
	if (apart && selfmon_gather_make_apart(&recorded->gather))
		return -ENOMEM;
	/*
	 * Gathers before the calibration, which measures only the kinds of
	 * visits that occurred.
	 */
	error = selfmon_gather_threads(&recorded->gather, process);
	if (!error)
		error = selfmon_gather_slowest(&recorded->gather, process);
	if (error)
		return error;
	selfmon_report_header(report, process);
	recorded->sampling = process->sampling;
	recorded->calibration = *selfmon_calibrate(
		process, selfmon_gather_occurred(&recorded->gather));
	recorded->clock = *selfmon_clock();
	return selfmon_recorded_settle(report);
}

/* Writes the current clock and overhead to the live file. */
static void publish_limits(struct selfmon_process *process)
{
	selfmon_process_lock(process);
	selfmon_facts_publish(process);
	selfmon_process_unlock(process);
}

static int take_report(struct selfmon_report **out, bool apart)
{
	struct selfmon_process *process = selfmon_process();
	struct selfmon_report *report = calloc(1, sizeof(*report));
	int error = -ENOMEM;
	struct selfmon_cancel cancel;

	*out = NULL;
	/*
	 * Disables cancellation: the calibration sleeps, and a thread cancelled
	 * while it sleeps would keep the lock for ever.
	 */
	selfmon_cancel_off(&cancel);
	if (process && report) {
		pthread_mutex_lock(&process->report_lock);
		error = fill_report(report, process, apart);
		publish_limits(process);
		pthread_mutex_unlock(&process->report_lock);
	}
	if (error) {
		selfmon_report_free(report);
		report = NULL;
	}
	*out = report;
	selfmon_cancel_restore(&cancel);
	return error;
}

int selfmon_report_take(struct selfmon_report **out)
{
	return take_report(out, false);
}

int selfmon_report_take_apart(struct selfmon_report **out)
{
	return take_report(out, true);
}

int selfmon_report_print(enum selfmon_format format, FILE *stream)
{
	struct selfmon_report *report;
	struct selfmon_cancel cancel;
	int error;

	/*
	 * Disables cancellation: writing is a cancellation point, where the
	 * report would leak.
	 */
	selfmon_cancel_off(&cancel);
	error = selfmon_report_take(&report);
	if (!error)
		error = selfmon_report_write(report, format, stream);
	selfmon_report_free(report);
	selfmon_cancel_restore(&cancel);
	return error;
}
