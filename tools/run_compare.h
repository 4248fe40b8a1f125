/* SPDX-License-Identifier: MIT */
/* selfmon run --compare: alternates two commands, and runs selfmon compare. */
#ifndef SELFMON_TOOLS_RUN_COMPARE_H
#define SELFMON_TOOLS_RUN_COMPARE_H

#include <stdbool.h>

#define RUN_COMPARE_RUNS 10
#define RUN_COMPARE_WORDS 16

struct run_compare {
	/* A and B; if [0] is NULL, nothing is compared. */
	const char *command[2];
	const char *keep;        /* folder in which reports are kept, or NULL */
	unsigned int runs;       /* per side; 0: RUN_COMPARE_RUNS */
	/* Options for selfmon compare, as the user wrote them. */
	const char *word[RUN_COMPARE_WORDS];
	int words;
};

/* Adds an option of selfmon compare; value may be NULL. */
void run_compare_pass(struct run_compare *compare, const char *option,
		      const char *value);

/* Runs both and compares; returns the exit status of selfmon compare. */
int run_compare(const struct run_compare *compare);

#endif
