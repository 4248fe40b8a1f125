/* SPDX-License-Identifier: MIT */
/* A child process that stands in for this one: signals, its end. */
#ifndef SELFMON_TOOLS_CHILD_H
#define SELFMON_TOOLS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	bool began;  /* the program was found and ran */
	int signal;  /* that ended it; 0: none */
};

/* Exit statuses of shells: it is not a program, it is not there. */
#define CHILD_NOT_RUN 126
#define CHILD_NOT_FOUND 127

/*
 * Runs a program of PATH and waits for its end. Signals that are sent to this
 * process go on to the child; those that a terminal sends reach it anyway.
 * Returns its exit status, 128 + the signal that ended it, or, having said
 * why on standard error, one of the two above.
 */
int child_run(struct child *child, char **argv);

/* Ends this process as the child was ended, by its signal; else: status. */
int child_exit(const struct child *child, int status);

#endif
