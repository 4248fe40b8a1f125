/* SPDX-License-Identifier: MIT */
/* Turns failures into text. The caller passes the facts about the machine. */
#ifndef SELFMON_DOCTOR_EXPLAIN_H
#define SELFMON_DOCTOR_EXPLAIN_H

#include <selfmon/doctor.h>

#include "doctor/sentence.h"
#include "platform/facts.h"

/* Like selfmon_explain(), for a machine with these facts. */
size_t selfmon_explain_with(const struct selfmon_failure *failure,
			    const struct selfmon_facts *facts, char *text,
			    size_t size);

/*
 * Appends the explanation in two parts, without the name of the event. If no
 * remedy is known, *remedy is unchanged. Strings in the failure must be
 * zero-terminated.
 */
void selfmon_explain_parts(const struct selfmon_failure *failure,
			   const struct selfmon_facts *facts,
			   struct selfmon_sentence *cause,
			   struct selfmon_sentence *remedy);

#endif
