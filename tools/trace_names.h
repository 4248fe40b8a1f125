/* SPDX-License-Identifier: MIT */
/* Takes the blocks that name things: regions, threads, and columns. */
#ifndef SELFMON_TOOLS_TRACE_NAMES_H
#define SELFMON_TOOLS_TRACE_NAMES_H

#include "trace_reader.h"

/* Take a block SELFMON_TRACE_REGION, _THREAD or _COLUMN of `size` bytes. */
void trace_take_region(struct trace_reader *reader, const void *block, size_t size);
void trace_take_thread(struct trace_reader *reader, const void *block, size_t size);
void trace_take_column(struct trace_reader *reader, const void *block, size_t size);

#endif
