/* SPDX-License-Identifier: MIT */
/*
 * Tests selfmon doctor: sets up the state of a machine, and compares the
 * output.
 */
#ifndef SELFMON_TESTS_DOCTOR_DOCTOR_H
#define SELFMON_TESTS_DOCTOR_DOCTOR_H

#include <stdbool.h>

#include "../../../tools/doctor.h"

/*
 * Unpacks the files of a machine from tests/programs/doctor/NAME.machine into a
 * new directory. root receives its path, probe the results of the probes.
 */
void machine_unpack(const char *folder, const char *name, char root[256],
		    struct doctor_probe *probe);
void machine_remove(const char *root);

/*
 * Returns true if a thread that may run on two core types is pinned to one
 * type, and its affinity is restored afterwards.
 */
bool pin_works(void);

/*
 * Returns true if microarchitecture, caches and features of some invented CPUs
 * are correct.
 */
bool cpu_works(void);

/*
 * Returns true if the text matches tests/programs/doctor/NAME.expected; prints
 * the first difference. In that file, # begins a comment line, a line of ...
 * stands for any lines, and * for any characters.
 */
bool expect_matches(const char *path, const char *text);

/* A setup of this machine, made in a process that has just been forked. */
struct live {
	const char *name;
	/* Prerequisite of the setup, for the message of a skip. */
	const char *needs;
	bool (*possible)(void);
	void (*set)(void);
};
extern const struct live live_state[];

#endif
