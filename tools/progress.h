/* SPDX-License-Identifier: MIT */
/*
 * A line on standard error for tasks of more than a second, if that is a
 * terminal: `reading reports: 3 of 40`. One at a time.
 */
#ifndef SELFMON_TOOLS_PROGRESS_H
#define SELFMON_TOOLS_PROGRESS_H

#include <stddef.h>

/* what: a string that stays valid */
void progress_begin(const char *what, size_t total);
void progress_at(size_t done);
/* Call before printing something else; the line is shown again. */
void progress_clear(void);
/* Removes the line. */
void progress_end(void);

#endif
