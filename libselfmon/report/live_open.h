/* SPDX-License-Identifier: MIT */
/* A report of a live file. */
#ifndef SELFMON_REPORT_LIVE_OPEN_H
#define SELFMON_REPORT_LIVE_OPEN_H

#include "report/model.h"

/* Like selfmon_report_open(), with rows by thread as well. */
int selfmon_report_open_apart(const char *path, struct selfmon_report **report,
			      struct selfmon_failure *failure);

#endif
