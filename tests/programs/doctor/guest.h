/* SPDX-License-Identifier: MIT */
/* Runs the doctor in a throw-away machine, whose settings a test may change. */
#ifndef SELFMON_TESTS_DOCTOR_GUEST_H
#define SELFMON_TESTS_DOCTOR_GUEST_H

/*
 * Runs /tests/selfmon doctor, or selftest, in each of the states. The
 * expected output is in /tests/MACHINE-STATE.expected. Prints how many
 * states passed and failed, in the form of the other programs in emulated
 * machines. Returns an exit status.
 */
int guest_run(const char *machine, char **states);

#endif
