/* SPDX-License-Identifier: MIT */
/* Tests of selfmon doctor: a state is set, its output compared. */
#ifndef SELFMON_TESTS_DOCTOR_DOCTOR_H
#define SELFMON_TESTS_DOCTOR_DOCTOR_H

#include <stdbool.h>

#include "../../../tools/doctor.h"

/*
 * Files of a machine, unpacked from tests/programs/doctor/NAME.machine below a new
 * folder, whose path is written to root. What was tried on it comes with it.
 */
void machine_unpack(const char *folder, const char *name, char root[256],
		    struct doctor_probe *probe);
void machine_remove(const char *root);

/* Is a thread that may run on two types of core put on one, and back? */
bool pin_works(void);

/* Are microarchitecture, caches and features those of made-up CPUs? */
bool cpu_works(void);

/*
 * Does the text match tests/programs/doctor/NAME.expected? In that file a line with a
 * # is a remark, one with ... stands for any lines, a * for any characters.
 * Says where they differ.
 */
bool expect_matches(const char *path, const char *text);

/* A state of this machine, for a process that has just been forked. */
struct live {
	const char *name;
	const char *needs; /* NULL, or how to put it into a skip's reason */
	bool (*possible)(void);
	void (*set)(void);
};
extern const struct live live_state[];

#endif
