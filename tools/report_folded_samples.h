/* SPDX-License-Identifier: MIT */
/*
 * Writes samples as folded stacks: regions from the top, then functions from
 * the outermost one, inlined ones too.
 */
#ifndef SELFMON_TOOLS_REPORT_FOLDED_SAMPLES_H
#define SELFMON_TOOLS_REPORT_FOLDED_SAMPLES_H

#include <stdio.h>

#include <selfmon/report.h>

#include "symbols.h"

/* path: of the report, for messages. */
int report_folded_samples(const struct selfmon_report *report, const char *path,
			  struct symbols *symbols, FILE *to);

#endif
