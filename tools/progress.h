/* SPDX-License-Identifier: MIT */
/*
 * A line on standard error for what takes more than a second, if that is a
 * terminal: `reading reports: 3 of 40`. One at a time.
 */
#ifndef SELFMON_TOOLS_PROGRESS_H
#define SELFMON_TOOLS_PROGRESS_H

#include <stddef.h>

/* what: a string that stays */
void progress_begin(const char *what, size_t total);
void progress_at(size_t done);
/* Before something else is said; the line comes again. */
void progress_clear(void);
/* The line is gone. */
void progress_end(void);

#endif
