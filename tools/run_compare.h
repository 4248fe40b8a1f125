/* SPDX-License-Identifier: MIT */
/* selfmon run --compare: alternates two commands, and runs selfmon compare. */
#ifndef SELFMON_TOOLS_RUN_COMPARE_H
#define SELFMON_TOOLS_RUN_COMPARE_H

#include <stdbool.h>

#define RUN_COMPARE_RUNS 10
#define RUN_COMPARE_WORDS 16

struct run_compare {
	const char *command[2];  /* A and B; [0] NULL: nothing to compare */
	const char *keep;        /* a folder for the reports; NULL: none */
	unsigned int runs;       /* per side; 0: RUN_COMPARE_RUNS */
	/* Options of selfmon compare, as given. */
	const char *word[RUN_COMPARE_WORDS];
	int words;
};

/* Adds an option of selfmon compare; value may be NULL. */
void run_compare_pass(struct run_compare *compare, const char *option,
		      const char *value);

/* Runs both and compares; returns the exit status of selfmon compare. */
int run_compare(const struct run_compare *compare);

#endif
