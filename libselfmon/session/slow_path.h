/* SPDX-License-Identifier: MIT */
/* Explains why visits take the slow path. */
#ifndef SELFMON_SESSION_SLOW_PATH_H
#define SELFMON_SESSION_SLOW_PATH_H

#include "store/process.h"

/*
 * Explains why visits do not take the fast path; "" if they do. Does not check
 * for threads that have a ring, or that count fewer events than the process.
 */
void selfmon_slow_path(const struct selfmon_process *process, char *text,
		       size_t size);

#endif
