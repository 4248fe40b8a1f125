/* SPDX-License-Identifier: MIT */
/* Writes a summary of a trace in a few lines. */
#ifndef SELFMON_TOOLS_TRACE_SUMMARY_H
#define SELFMON_TOOLS_TRACE_SUMMARY_H

#include <stdio.h>

#include "trace_model.h"

/*
 * Writes the regions and their longest visits, and then the tracks: all, or
 * those with the most visits. The tracks must have lanes. Returns 0 or -ENOMEM.
 */
int trace_write_summary(const struct trace *trace, bool all, FILE *to);

#endif
