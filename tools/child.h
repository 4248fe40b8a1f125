/* SPDX-License-Identifier: MIT */
/*
 * Runs a child process in place of this one: forwards signals, and ends like
 * the child.
 */
#ifndef SELFMON_TOOLS_CHILD_H
#define SELFMON_TOOLS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	bool began;  /* the program was found and started */
	int signal;  /* that ended it; 0: none */
};

/* Exit statuses as of a shell: not executable, and not found. */
#define CHILD_NOT_RUN 126
#define CHILD_NOT_FOUND 127

/*
 * Runs a program found through PATH and waits for its end. Signals sent to this
 * process are forwarded to the child; signals of a terminal reach it anyway.
 * Returns its exit status, or 128 + the signal that ended it. Returns one of
 * the two statuses above, with a message on standard error, if it could not be
 * started.
 */
int child_run(struct child *child, char **argv);

/*
 * Ends this process by the child's signal if there was one; else returns
 * status.
 */
int child_exit(const struct child *child, int status);

#endif
