/* SPDX-License-Identifier: MIT */
/* How much memory a user may lock for the pages and rings of events. */
#ifndef SELFMON_DOCTOR_LOCKABLE_H
#define SELFMON_DOCTOR_LOCKABLE_H

#include "platform/facts.h"

/* If a result is at least this, the number of pages is unlimited. */
#define SELFMON_LOCKABLE_UNLIMITED (SELFMON_FACT_UNLIMITED / 4)

/*
 * Returns how many pages of events this user may map, or SELFMON_FACT_UNKNOWN.
 * cpus is the number of online CPUs.
 */
int64_t selfmon_lockable_pages(const struct selfmon_facts *facts, int64_t cpus,
			       int64_t page_size);

#endif
