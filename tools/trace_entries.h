/* SPDX-License-Identifier: MIT */
/* Makes visits from the entries of the threads' rings. */
#ifndef SELFMON_TOOLS_TRACE_ENTRIES_H
#define SELFMON_TOOLS_TRACE_ENTRIES_H

#include "trace_reader.h"

/* Take a block SELFMON_TRACE_VISITS or SELFMON_TRACE_BURST of `size` bytes. */
void trace_take_visits(struct trace_reader *reader, const void *block, size_t size);
void trace_take_burst(struct trace_reader *reader, const void *block, size_t size);

#endif
