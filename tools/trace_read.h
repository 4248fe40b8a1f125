/* SPDX-License-Identifier: MIT */
/* Reads the file of a trace (store/trace_file.h). */
#ifndef SELFMON_TOOLS_TRACE_READ_H
#define SELFMON_TOOLS_TRACE_READ_H

#include "trace_model.h"

/*
 * Reads a file. On failure, returns NULL, and stores one line with the reason
 * in `why`: the file cannot be read, is not a trace, has another byte order or
 * version, or is damaged.
 */
struct trace *trace_read(const char *path, char why[TRACE_WHY_SIZE]);

#endif
