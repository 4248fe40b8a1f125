/* SPDX-License-Identifier: MIT */
/* Makes a report from a live file. */
#ifndef SELFMON_REPORT_LIVE_OPEN_H
#define SELFMON_REPORT_LIVE_OPEN_H

#include "report/model.h"

/* Like selfmon_report_open(), but with rows by thread in addition. */
int selfmon_report_open_apart(const char *path, struct selfmon_report **report,
			      struct selfmon_failure *failure);

#endif
