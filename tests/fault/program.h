/* SPDX-License-Identifier: MIT */
/* A program with regions that runs while calls fail, and its result. */
#ifndef TESTS_FAULT_PROGRAM_H
#define TESTS_FAULT_PROGRAM_H

#include <stdbool.h>

#include "fault/kernel_faults.h"

struct program {
	const char *events;
	bool more; /* also uses a guard, signals, a probe and fork() */
};

/* Shared by all processes. */
struct outcome {
	bool untouched;
	unsigned int calls;
	char name[FAULT_NAME];
	char fault[256];
};

extern struct outcome *outcome;

/*
 * Runs the program in this process, which writes its outcome and exits with
 * status 0.
 */
void program_run(const struct program *program, const char *output)
	__attribute__((noreturn));

#endif
