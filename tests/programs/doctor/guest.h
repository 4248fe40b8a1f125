/* SPDX-License-Identifier: MIT */
/* The doctor in a throw-away machine, whose settings a test may change. */
#ifndef SELFMON_TESTS_DOCTOR_GUEST_H
#define SELFMON_TESTS_DOCTOR_GUEST_H

/*
 * Runs /tests/selfmon doctor, or selftest --quick, in each of the states, which
 * are named with the machine: /tests/MACHINE-STATE.expected has what it is to
 * say. Prints a count as the other programs of emulated machines do. An exit
 * status.
 */
int guest_run(const char *machine, char **states);

#endif
