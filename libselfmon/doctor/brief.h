/* SPDX-License-Identifier: MIT */
/* Writes a cause and its remedy as one sentence. */
#ifndef SELFMON_DOCTOR_BRIEF_H
#define SELFMON_DOCTOR_BRIEF_H

#include <stdbool.h>

#include <selfmon/error.h>

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Appends `CAUSE; REMEDY`. If the remedy has alternatives, uses only the first.
 */
void selfmon_brief_add(struct selfmon_sentence *to,
		       const struct selfmon_sentence *cause,
		       const struct selfmon_sentence *remedy);

/*
 * Appends why this process counts no hardware event, and the first remedy. If
 * the cause is the event and not the machine, appends nothing and returns
 * false.
 */
bool selfmon_brief_off(const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts,
		       struct selfmon_sentence *to);

#endif
