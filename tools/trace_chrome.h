/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace as JSON in Chrome's Trace Event Format: for speedscope,
 * chrome://tracing, and Perfetto.
 */
#ifndef SELFMON_TOOLS_TRACE_CHROME_H
#define SELFMON_TOOLS_TRACE_CHROME_H

#include <stdio.h>

#include "trace_model.h"

/*
 * Writes traces whose tracks have lanes. Several traces must be from the same
 * boot of a machine. Returns 0 or -ENOMEM. The caller checks the stream for
 * errors.
 */
int trace_write_chrome(struct trace *const *trace, size_t traces, FILE *to);

#endif
