/* SPDX-License-Identifier: MIT */
/* The part of the report above the table. */
#ifndef SELFMON_REPORT_HEADER_H
#define SELFMON_REPORT_HEADER_H

#include "report/model.h"

void selfmon_report_header(struct selfmon_report *report,
			   struct selfmon_process *process);

#endif
