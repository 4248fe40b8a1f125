/* SPDX-License-Identifier: MIT */
/* Failures into words; the machine's facts come in from outside. */
#ifndef SELFMON_DOCTOR_EXPLAIN_H
#define SELFMON_DOCTOR_EXPLAIN_H

#include <selfmon/doctor.h>

#include "platform/facts.h"

/* More than any explanation needs: a name, a message and two sentences. */
#define SELFMON_SENTENCE_SIZE 1024

struct selfmon_sentence {
	size_t length;
	char text[SELFMON_SENTENCE_SIZE];
};

/* Appends in the manner of printf(3); what does not fit is left out. */
void selfmon_sentence_add(struct selfmon_sentence *sentence, const char *format,
			  ...) __attribute__((format(printf, 2, 3)));

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

/* Does the event's name begin with these words? */
bool selfmon_event_begins(const struct selfmon_failure *failure,
			  const char *words);

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

/* selfmon_explain() on a machine of which facts are true. */
size_t selfmon_explain_with(const struct selfmon_failure *failure,
			    const struct selfmon_facts *facts, char *text,
			    size_t size);

#endif
