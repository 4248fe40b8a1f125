/* SPDX-License-Identifier: MIT */
#include "report/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "report/apart.h"

int selfmon_recorded_settle(struct selfmon_report *report)
{
	struct selfmon_recorded *const recorded = report->recorded;
	int error;

	memcpy(recorded->column, report->column, sizeof(recorded->column));
	error = selfmon_report_settle(report, &recorded->gather,
				      &recorded->calibration, &recorded->clock);
	if (error)
		return error;
	selfmon_report_columns_as_asked(report);
	return recorded->gather.apart ? selfmon_report_apart(report) : 0;
}

void selfmon_recorded_free(struct selfmon_recorded *recorded)
{
	if (!recorded)
		return;
	selfmon_gather_free(&recorded->gather);
	free(recorded);
}
