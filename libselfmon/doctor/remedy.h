/* SPDX-License-Identifier: MIT */
/* What to type, in the words of the container this process runs in. */
#ifndef SELFMON_DOCTOR_REMEDY_H
#define SELFMON_DOCTOR_REMEDY_H

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Begins a remedy that root has to type, `As root: sysctl -w NAME=VALUE`;
 * inside a container it has to be typed outside.
 */
void selfmon_sentence_add_sysctl(struct selfmon_sentence *sentence,
				 const struct selfmon_facts *facts,
				 const char *name, int64_t value);

/*
 * How this process gets CAP_SYS_ADMIN (admin) or CAP_PERFMON: a clause. Not
 * for user namespaces, in which neither counts.
 */
void selfmon_sentence_add_capability(struct selfmon_sentence *sentence,
				     const struct selfmon_facts *facts,
				     bool admin);

/* How the seccomp filter is made to allow perf_event_open(2): a sentence. */
void selfmon_sentence_add_unfilter(struct selfmon_sentence *sentence,
				   const struct selfmon_facts *facts);

/*
 * How a container is started with another limit of resources: a clause. name
 * and value as docker's --ulimit has them.
 */
void selfmon_sentence_add_limit(struct selfmon_sentence *sentence,
				const struct selfmon_facts *facts,
				const char *name, const char *value);

#endif
