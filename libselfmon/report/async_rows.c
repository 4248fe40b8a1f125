/* SPDX-License-Identifier: MIT */
/*
 * The detached spans of a report. They are not part of the call tree, so they
 * are in a report of their own. The library's overhead is not subtracted from
 * them: it is about one timestamp, which is negligible for spans such as
 * requests.
 */
#include "report/async_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "report/gather.h"
#include "report/net_values.h"
#include "report/order.h"
#include "store/calibration.h"

static int settle_spans(struct selfmon_report *made,
			const struct selfmon_gather *gather,
			const struct selfmon_clock *clock)
{
	static const struct selfmon_calibration none = { .done = 0 };
	int error;
	size_t i;

	error = selfmon_report_settle_values(made, gather, &none, clock);
	for (i = 0; !error && i < made->rows; i++) {
		const uint64_t *const count = gather->row[i].stats.kind;

		made->row[i].elsewhere = count[SELFMON_ASYNC_ELSEWHERE];
		made->row[i].switched = count[SELFMON_ASYNC_COROUTINE];
		made->row[i].frames = count[SELFMON_ASYNC_FRAME];
	}
	return error ? error : selfmon_report_order(made);
}

void selfmon_report_begin_async(struct selfmon_report *async,
				const struct selfmon_report *report)
{
	*async = *report;
	async->spans = true;
	async->columns = 0;
	async->total_ns = 0;
	async->rows = 0;
	async->row = NULL;
	async->detail = NULL;
	async->regions = 0;
	async->region = NULL;
	async->recorded = NULL;
	async->apart = NULL;
	async->async = NULL;
	async->stacks = false;
}

int selfmon_report_take_async(struct selfmon_report *report,
			      const struct selfmon_gather *gather,
			      const struct selfmon_clock *clock)
{
	struct selfmon_gather *const async = gather->async;
	struct selfmon_report *made;
	int error;

	if (!async || !async->rows)
		return 0;
	made = malloc(sizeof(*made));
	if (!made)
		return -ENOMEM;
	selfmon_report_begin_async(made, report);
	async->named = gather->named;
	error = settle_spans(made, async, clock);
	if (error)
		selfmon_report_free_empty(made);
	else
		report->async = made;
	return error;
}
