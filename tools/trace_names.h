/* SPDX-License-Identifier: MIT */
/* Takes the blocks that name things: regions, threads, and columns. */
#ifndef SELFMON_TOOLS_TRACE_NAMES_H
#define SELFMON_TOOLS_TRACE_NAMES_H

#include "trace_reader.h"

/* Each takes a block of its type (SELFMON_TRACE_), of `size` bytes. */
void trace_take_region(struct trace_reader *reader, const void *block, size_t size);
void trace_take_thread(struct trace_reader *reader, const void *block, size_t size);
void trace_take_column(struct trace_reader *reader, const void *block, size_t size);

#endif
