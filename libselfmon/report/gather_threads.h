/* SPDX-License-Identifier: MIT */
/* Gathers the call trees of all threads of the process. */
#ifndef SELFMON_REPORT_GATHER_THREADS_H
#define SELFMON_REPORT_GATHER_THREADS_H

#include "report/gather.h"
#include "store/process.h"

/*
 * The caller holds the report lock. The threads keep running. Returns 0 or
 * -ENOMEM.
 */
int selfmon_gather_threads(struct selfmon_gather *gather,
			   struct selfmon_process *process);

#endif
