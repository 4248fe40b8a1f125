/* SPDX-License-Identifier: MIT */
/* selfmon run --compare: alternates two commands, and runs selfmon compare. */
#ifndef SELFMON_TOOLS_RUN_COMPARE_H
#define SELFMON_TOOLS_RUN_COMPARE_H

#include <stdbool.h>

#define RUN_COMPARE_RUNS 10
#define RUN_COMPARE_WORDS 16

struct run_compare {
	/* The commands A and B. If command[0] is NULL, nothing is compared. */
	const char *command[2];
	const char *keep;        /* folder where the reports stay, or NULL */
	unsigned int runs;       /* per side; 0: RUN_COMPARE_RUNS */
	/* Options for selfmon compare, as the user wrote them. */
	const char *word[RUN_COMPARE_WORDS];
	int words;
};

/* Adds an option for selfmon compare. value may be NULL. */
void run_compare_pass(struct run_compare *compare, const char *option,
		      const char *value);

/*
 * Runs and compares both commands. Returns the exit status of selfmon compare,
 * or TOOL_USAGE with a message if a command fails. If a signal kills the shell
 * of a command, this process is killed by the same signal.
 */
int run_compare(const struct run_compare *compare);

#endif
