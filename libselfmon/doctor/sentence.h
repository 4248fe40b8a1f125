/* SPDX-License-Identifier: MIT */
/* Text of a bounded length, put together piece by piece. */
#ifndef SELFMON_DOCTOR_SENTENCE_H
#define SELFMON_DOCTOR_SENTENCE_H

#include <stddef.h>

/* More than any explanation needs: a name, a message and two sentences. */
#define SELFMON_SENTENCE_SIZE 1024

struct selfmon_sentence {
	size_t length;
	char text[SELFMON_SENTENCE_SIZE];
};

/*
 * Appends in the manner of printf(3), escaped for a terminal: names come from
 * users. Leaves out what does not fit.
 */
void selfmon_sentence_add(struct selfmon_sentence *sentence, const char *format,
			  ...) __attribute__((format(printf, 2, 3)));

#endif
