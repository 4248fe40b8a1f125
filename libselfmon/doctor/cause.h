/* SPDX-License-Identifier: MIT */
/* Why a call failed, by its error and the machine's facts. */
#ifndef SELFMON_DOCTOR_CAUSE_H
#define SELFMON_DOCTOR_CAUSE_H

#include <stdbool.h>
#include <string.h>

#include <selfmon/error.h>

#include "doctor/sentence.h"
#include "platform/facts.h"

/* Does the event's name begin with these words? */
static inline bool selfmon_event_begins(const struct selfmon_failure *failure,
					const char *words)
{
	return strncmp(failure->event, words, strlen(words)) == 0;
}

/* Is this capability held where perf events ask for it? */
bool selfmon_facts_hold(const struct selfmon_facts *facts,
			unsigned int capability);

/*
 * Does perf_event_paranoid refuse this process every event, as only patched
 * kernels do? Or does it not matter at all?
 */
bool selfmon_facts_refuse_all(const struct selfmon_facts *facts);
bool selfmon_facts_privileged(const struct selfmon_facts *facts);

/* Who forbade perf_event_open(2), by errno. */
void selfmon_cause_eacces(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);
void selfmon_cause_eperm(const struct selfmon_failure *failure,
			 const struct selfmon_facts *facts,
			 struct selfmon_sentence *s);
void selfmon_cause_enosys(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);

/* What the kernel does not have, or does not take, by the kind of event. */
void selfmon_cause_enoent(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);
void selfmon_cause_einval(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s);

/*
 * Cause and remedy of a failed perf_event_open(2), or of a failed mmap(2),
 * read(2) or ioctl(2). False, and nothing added, if the error is none they
 * know.
 */
bool selfmon_cause_of_open(const struct selfmon_failure *failure,
			   const struct selfmon_facts *facts,
			   struct selfmon_sentence *sentence);
bool selfmon_cause_of_use(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *sentence);

#endif
