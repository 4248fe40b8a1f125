/* SPDX-License-Identifier: MIT */
/*
 * Writes samples as folded stacks: first the regions from the top, then the
 * functions from the outermost one, including inlined ones.
 */
#ifndef SELFMON_TOOLS_REPORT_FOLDED_SAMPLES_H
#define SELFMON_TOOLS_REPORT_FOLDED_SAMPLES_H

#include <stdio.h>

#include <selfmon/report.h>

#include "symbols.h"

/* path is that of the report, for messages. */
int report_folded_samples(const struct selfmon_report *report, const char *path,
			  struct symbols *symbols, FILE *to);

#endif
