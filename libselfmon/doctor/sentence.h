/* SPDX-License-Identifier: MIT */
/* Text of bounded length, built piece by piece. */
#ifndef SELFMON_DOCTOR_SENTENCE_H
#define SELFMON_DOCTOR_SENTENCE_H

#include <stddef.h>

/* Longer than any explanation: a name, a message and two sentences. */
#define SELFMON_SENTENCE_SIZE 1024

struct selfmon_sentence {
	size_t length;
	/* Offset of the second alternative; 0 if there is none. */
	size_t other;
	char text[SELFMON_SENTENCE_SIZE];
};

/*
 * Appends like printf(3). Escapes the result for a terminal, since names come
 * from users. Leaves out text that does not fit.
 */
void selfmon_sentence_add(struct selfmon_sentence *sentence, const char *format,
			  ...) __attribute__((format(printf, 2, 3)));

/* Marks the start of a second alternative, which short forms leave out. */
void selfmon_sentence_other(struct selfmon_sentence *sentence);

#endif
