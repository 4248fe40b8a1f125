/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_SESSION_SLOW_PATH_H
#define SELFMON_SESSION_SLOW_PATH_H

#include "store/process.h"

/*
 * Explains in one line why visits do not take the fast path; "" if they do.
 * Does not check each thread: some may have no ring, or count fewer events than
 * the process.
 */
void selfmon_slow_path(const struct selfmon_process *process, char *text,
		       size_t size);

#endif
