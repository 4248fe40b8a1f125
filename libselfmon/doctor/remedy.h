/* SPDX-License-Identifier: MIT */
/* Commands to type, for the kind of container that this process runs in. */
#ifndef SELFMON_DOCTOR_REMEDY_H
#define SELFMON_DOCTOR_REMEDY_H

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Begins a remedy that root must type, `As root: sysctl -w NAME=VALUE`; in a
 * container it must be typed outside.
 */
void selfmon_sentence_add_sysctl(struct selfmon_sentence *sentence,
				 const struct selfmon_facts *facts,
				 const char *name, int64_t value);

/*
 * Adds a clause: how to give this process CAP_SYS_ADMIN (admin) or CAP_PERFMON.
 * Not for user namespaces, in which neither has an effect.
 */
void selfmon_sentence_add_capability(struct selfmon_sentence *sentence,
				     const struct selfmon_facts *facts,
				     bool admin);

/* Adds a sentence: how to make the seccomp filter allow perf_event_open(2). */
void selfmon_sentence_add_unfilter(struct selfmon_sentence *sentence,
				   const struct selfmon_facts *facts);

/*
 * Adds a clause: how to start a container with another resource limit. name and
 * value as in docker's --ulimit.
 */
void selfmon_sentence_add_limit(struct selfmon_sentence *sentence,
				const struct selfmon_facts *facts,
				const char *name, const char *value);

#endif
