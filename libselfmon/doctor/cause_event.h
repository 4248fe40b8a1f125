/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_DOCTOR_CAUSE_EVENT_H
#define SELFMON_DOCTOR_CAUSE_EVENT_H

#include <stdbool.h>

#include <selfmon/error.h>

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Append cause and remedy of a failed perf_event_open(2) with this errno,
 * depending on the kind of event.
 */
void selfmon_cause_enoent(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);
void selfmon_cause_einval(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);
/*
 * Returns true if the event itself is not the cause: in this process all
 * hardware events fail with this error.
 */
bool selfmon_cause_is_machine(const struct selfmon_failure *failure,
			      const struct selfmon_facts *facts);

#endif
