/* SPDX-License-Identifier: MIT */
/* The facts of a live file: the text of a report above its table. */
#ifndef SELFMON_SESSION_LIVE_FACTS_H
#define SELFMON_SESSION_LIVE_FACTS_H

#include "store/process.h"

/* Writes the facts again, if there is a file. Under the process lock. */
void selfmon_facts_publish(struct selfmon_process *process);

#endif
