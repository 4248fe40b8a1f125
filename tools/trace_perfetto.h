/* SPDX-License-Identifier: MIT */
/* Writes a trace for Perfetto (ui.perfetto.dev), as a message Trace. */
#ifndef SELFMON_TOOLS_TRACE_PERFETTO_H
#define SELFMON_TOOLS_TRACE_PERFETTO_H

#include <stdio.h>

#include "trace_read.h"

/*
 * The tracks have lanes. Several traces are of one boot of a machine. Returns 0
 * or -ENOMEM; errors of the stream stay.
 */
int trace_write_perfetto(struct trace *const *trace, size_t traces, FILE *to);

#endif
