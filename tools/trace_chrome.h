/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace as JSON in Chrome's Trace Event Format: for speedscope,
 * chrome://tracing, and Perfetto.
 */
#ifndef SELFMON_TOOLS_TRACE_CHROME_H
#define SELFMON_TOOLS_TRACE_CHROME_H

#include <stdio.h>

#include "trace_read.h"

/*
 * The tracks have lanes. Several traces are of one boot of a machine. Returns 0
 * or -ENOMEM; errors of the stream stay.
 */
int trace_write_chrome(struct trace *const *trace, size_t traces, FILE *to);

#endif
