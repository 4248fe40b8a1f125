/* SPDX-License-Identifier: MIT */
/*
 * Runs a program in a child process, and forwards signals to it. This process
 * then exits in the same way as the child.
 */
#ifndef SELFMON_TOOLS_CHILD_H
#define SELFMON_TOOLS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	bool began;  /* the program was found and started */
	int signal;  /* the signal that killed it; 0: none */
};

/* Exit statuses that shells use: not executable, and not found. */
#define CHILD_NOT_RUN 126
#define CHILD_NOT_FOUND 127

/*
 * Runs a program found through PATH, and waits until it exits. Forwards SIGHUP,
 * SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH and SIGALRM to the
 * child, unless they are ignored. Signals of a terminal reach the child
 * directly. Returns the program's exit status, or 128 + the signal that killed
 * it. If the program could not be started, prints a message and returns
 * CHILD_NOT_RUN or CHILD_NOT_FOUND.
 */
int child_run(struct child *child, char **argv);

/*
 * If a signal killed the child, kills this process with the same signal.
 * Otherwise returns status.
 */
int child_exit(const struct child *child, int status);

#endif
