/* SPDX-License-Identifier: MIT */
/* The facts in a live file: the content of a report's header. */
#ifndef SELFMON_SESSION_LIVE_FACTS_H
#define SELFMON_SESSION_LIVE_FACTS_H

#include "store/process.h"

/*
 * Writes the facts again, if there is a live file. The caller holds the process
 * lock.
 */
void selfmon_facts_publish(struct selfmon_process *process);

#endif
