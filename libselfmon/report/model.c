/* SPDX-License-Identifier: MIT */
/*
 * Makes empty copies of a report in memory, and frees reports. A copy shares
 * some parts with the original.
 */
#include "report/model.h"

#include <stdlib.h>

#include "report/recorded.h"
#include "report/samples.h"
#include "report/units.h"

static void free_recorded(struct selfmon_recorded *recorded)
{
	if (!recorded)
		return;
	selfmon_gather_free(&recorded->gather);
	free(recorded);
}

void selfmon_report_free(struct selfmon_report *report)
{
	size_t i;

	if (!report)
		return;
	for (i = 0; i < report->regions; i++)
		free(report->region[i]);
	for (i = 0; report->detail && i < report->rows; i++)
		selfmon_row_detail_free(&report->detail[i]);
	free(report->detail);
	selfmon_report_free_empty(report->apart);
	selfmon_report_free_empty(report->async);
	free_recorded(report->recorded);
	selfmon_samples_free(report->samples);
	free(report->slow);
	free(report->process);
	free(report->region);
	free(report->row);
	free(report);
}

struct selfmon_report *selfmon_report_empty(const struct selfmon_report *report,
					  size_t rows)
{
	struct selfmon_report *const to = malloc(sizeof(*to));

	if (!to)
		return NULL;
	*to = *report;
	to->rows = 0;
	/*
	 * The original owns these parts, so they are not freed with the copy.
	 */
	to->regions = 0;
	to->region = NULL;
	to->recorded = NULL;
	to->apart = NULL;
	to->stacks = false; /* stacks refer to rows of the original */
	to->row = calloc(rows + 1, sizeof(*to->row));
	to->detail = calloc(rows + 1, sizeof(*to->detail));
	if (to->row && to->detail)
		return to;
	selfmon_report_free_empty(to);
	return NULL;
}

void selfmon_report_free_empty(struct selfmon_report *report)
{
	if (report) {
		report->process = NULL;
		report->async = NULL;
		report->samples = NULL;
		report->slow = NULL;
	}
	selfmon_report_free(report);
}
