/* SPDX-License-Identifier: MIT */
/* Writes samples in the format of pprof. */
#ifndef SELFMON_TOOLS_REPORT_PPROF_H
#define SELFMON_TOOLS_REPORT_PPROF_H

#include <stdio.h>

#include "symbols.h"

/* Writes the samples of a report. Returns 0, or TOOL_NO with a message. */
int report_pprof(const struct selfmon_report *report, const char *path,
		 struct symbols *symbols, FILE *to);

#endif
