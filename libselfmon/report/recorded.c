/* SPDX-License-Identifier: MIT */
#include "report/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "report/apart.h"
#include "report/async_rows.h"
#include "report/columns.h"
#include "report/gather_samples.h"
#include "report/net_values.h"
#include "report/slow_visits.h"

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
	error = selfmon_report_take_samples(report, &recorded->gather,
					    &recorded->sampling,
					    1e9 / (double)recorded->clock.hz);
	if (error)
		return error;
	error = selfmon_report_take_slowest(report, recorded);
	if (error)
		return error;
	error = selfmon_report_take_async(report, &recorded->gather,
					  &recorded->clock);
	if (error)
		return error;
	return recorded->gather.apart ? selfmon_report_apart(report) : 0;
}
