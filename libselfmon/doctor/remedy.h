/* SPDX-License-Identifier: MIT */
/* What helps, in words for the kind of container, or for no container. */
#ifndef SELFMON_DOCTOR_REMEDY_H
#define SELFMON_DOCTOR_REMEDY_H

#include "doctor/sentence.h"
#include "platform/facts.h"

/*
 * Appends a remedy for root, `As root: sysctl -w NAME=VALUE`. In a container:
 * `As root on the host: ...`.
 */
void selfmon_sentence_add_sysctl(struct selfmon_sentence *sentence,
				 const struct selfmon_facts *facts,
				 const char *name, int64_t value);

/*
 * Appends a clause: how to give this process CAP_SYS_ADMIN (if admin is true)
 * or CAP_PERFMON. Do not call it in a user namespace, where neither has an
 * effect.
 */
void selfmon_sentence_add_capability(struct selfmon_sentence *sentence,
				     const struct selfmon_facts *facts,
				     bool admin);

/*
 * Appends a sentence: how to make the seccomp filter allow perf_event_open(2).
 */
void selfmon_sentence_add_unfilter(struct selfmon_sentence *sentence,
				   const struct selfmon_facts *facts);

/*
 * Appends a clause: how to start a container with another resource limit. name
 * and value are as for docker's --ulimit.
 */
void selfmon_sentence_add_limit(struct selfmon_sentence *sentence,
				const struct selfmon_facts *facts,
				const char *name, const char *value);

#endif
