/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_DOCTOR_CAUSE_OPEN_H
#define SELFMON_DOCTOR_CAUSE_OPEN_H

#include <stdbool.h>

#include <selfmon/error.h>

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Adds cause and remedy of a failed perf_event_open(2). Returns false, and adds
 * nothing, if the error is unknown.
 */
bool selfmon_cause_of_open(const struct selfmon_failure *failure,
			   const struct selfmon_facts *facts,
			   struct selfmon_sentence *sentence);

#endif
