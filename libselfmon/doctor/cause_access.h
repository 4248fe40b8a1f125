/* SPDX-License-Identifier: MIT */
/* Finds out what denied access to an event. */
#ifndef SELFMON_DOCTOR_CAUSE_ACCESS_H
#define SELFMON_DOCTOR_CAUSE_ACCESS_H

#include <stdbool.h>

#include <selfmon/error.h>

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Returns true if the process holds this capability in the initial user
 * namespace. perf_event_open(2) ignores capabilities in other user namespaces.
 */
bool selfmon_facts_hold(const struct selfmon_facts *facts,
			unsigned int capability);
/*
 * Returns true if perf_event_paranoid refuses every event to this process. Only
 * the patched kernels of some distributions have such a level.
 */
bool selfmon_facts_refuse_all(const struct selfmon_facts *facts);
bool selfmon_facts_privileged(const struct selfmon_facts *facts);
/* Append what refused perf_event_open(2) with this errno, and the remedy. */
void selfmon_cause_eacces(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);
void selfmon_cause_eperm(const struct selfmon_failure *failure,
			 const struct selfmon_facts *facts,
			 struct selfmon_sentence *s);
void selfmon_cause_enosys(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);

#endif
