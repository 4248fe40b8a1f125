/* SPDX-License-Identifier: MIT */
/* Finds out what refused an event. */
#ifndef SELFMON_DOCTOR_CAUSE_ACCESS_H
#define SELFMON_DOCTOR_CAUSE_ACCESS_H

#include <stdbool.h>

#include <selfmon/error.h>

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Returns true if the process holds this capability in the namespace that perf
 * events check.
 */
bool selfmon_facts_hold(const struct selfmon_facts *facts,
			unsigned int capability);
/*
 * Returns true if perf_event_paranoid refuses every event to this process, as
 * only patched kernels do. Also returns true if the setting does not apply to
 * this process.
 */
bool selfmon_facts_refuse_all(const struct selfmon_facts *facts);
bool selfmon_facts_privileged(const struct selfmon_facts *facts);
/* Each adds what refused perf_event_open(2) with this errno. */
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
