/* SPDX-License-Identifier: MIT */
/* Writes in a few lines what a trace has. */
#ifndef SELFMON_TOOLS_TRACE_SUMMARY_H
#define SELFMON_TOOLS_TRACE_SUMMARY_H

#include <stdio.h>

#include "trace_read.h"

/* Writes tracks, regions and their longest visits. Returns 0 or -ENOMEM. */
int trace_write_summary(const struct trace *trace, FILE *to);

#endif
